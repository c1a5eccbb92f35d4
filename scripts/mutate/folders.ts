/** Folders whose tests are asked whether they notice a mistake, the share of mutants that they have to notice, and where their tests are. */
export type Struck = {
  readonly folder: string
  /** Least share of mutants killed, in percent. */
  readonly atLeast: number
  /** Other folders of tests, and test files, that reach the code. They are asked about what the folder's own tests let live. */
  readonly widerTests: readonly string[]
}

/** Stories of whole clusters in one process that take moments. */
const QUICK_STORIES = ['claimCalls', 'conflicts', 'forbidden', 'lateSuccess', 'looks', 'orphan', 'undeclaredTaint', 'waves'].map(
  (name) => `test/crash/${name}.test.ts`,
)

export const STRUCK: readonly Struck[] = [
  { folder: 'shim', atLeast: 80, widerTests: [] },
  { folder: 'shared/flows', atLeast: 80, widerTests: ['functions', ...QUICK_STORIES] },
  { folder: 'shared/wire', atLeast: 80, widerTests: ['shared/adapters', 'functions', 'shim', 'test/schema'] },
  { folder: 'shared/engine/lifecycle', atLeast: 80, widerTests: ['shared/flows'] },
  {
    folder: 'shared/engine/disruption',
    atLeast: 80,
    widerTests: ['test/scenarios', 'shared/flows', 'test/properties/moves.test.ts', 'test/properties/consolidation.test.ts'],
  },
  { folder: 'test/checker', atLeast: 80, widerTests: ['test/oracle', 'test/scenarios'] },
  { folder: 'scripts', atLeast: 80, widerTests: ['test/architecture'] },
  { folder: 'local', atLeast: 70, widerTests: ['test/azure', 'shared/adapters/kube', 'shared/adapters/storage', 'test/examples'] },
]

/** The folders that are asked for, or what is wrong with what is asked. */
export function foldersNamed(names: readonly string[]): readonly Struck[] | string {
  const known = STRUCK.map(({ folder }) => folder)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) return `${unknown.join(', ')} is not one of the folders: ${known.join(', ')}`
  if (names.length === 0) return `name one or more folders: ${known.join(', ')}`
  return STRUCK.filter(({ folder }) => names.includes(folder))
}
