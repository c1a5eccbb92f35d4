/** A folder whose tests must notice mutants: the share that they have to kill, and where more tests are. */
export type MutationTarget = {
  readonly folder: string
  /** Least share of mutants killed, in percent. */
  readonly atLeast: number
  /** Other folders of tests, and test files, that reach the code. They run against the mutants that survive the folder's own tests. */
  readonly widerTests: readonly string[]
}

/** Tests with whole clusters in one process that are quick. */
const QUICK_STORIES = [
  'claimCalls',
  'conflicts',
  'endCalls',
  'forbidden',
  'lateSuccess',
  'requeues',
  'marksOfEnds',
  'orphan',
  'refusedClaims',
  'undeclaredTaint',
  'unreadPods',
  'waves',
].map((name) => `test/crash/${name}.test.ts`)

export const MUTATED_FOLDERS: readonly MutationTarget[] = [
  { folder: 'shim', atLeast: 80, widerTests: [] },
  { folder: 'shared/flows', atLeast: 70, widerTests: ['functions', ...QUICK_STORIES] },
  { folder: 'shared/wire', atLeast: 80, widerTests: ['shared/adapters', 'functions', 'shim', 'test/schema'] },
  { folder: 'shared/engine/lifecycle', atLeast: 80, widerTests: ['shared/flows'] },
  {
    folder: 'shared/engine/disruption',
    atLeast: 80,
    widerTests: [
      'test/scenarios',
      'shared/flows',
      'test/properties/moves.test.ts',
      'test/properties/consolidation.test.ts',
      'test/properties/keptMoves.test.ts',
      'test/properties/plannedTaint.test.ts',
    ],
  },
  { folder: 'test/checker', atLeast: 74, widerTests: ['test/oracle', 'test/scenarios'] },
  { folder: 'scripts', atLeast: 80, widerTests: ['test/architecture'] },
  { folder: 'local', atLeast: 70, widerTests: ['test/azure', 'shared/adapters/kube', 'shared/adapters/storage', 'test/examples'] },
]

/** Returns the folders of these names, or a sentence about what is wrong with the names. */
export function foldersNamed(names: readonly string[]): readonly MutationTarget[] | string {
  const known = MUTATED_FOLDERS.map(({ folder }) => folder)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) return `${unknown.join(', ')} is not one of the folders: ${known.join(', ')}`
  if (names.length === 0) return `name one or more folders: ${known.join(', ')}`
  return MUTATED_FOLDERS.filter(({ folder }) => names.includes(folder))
}
