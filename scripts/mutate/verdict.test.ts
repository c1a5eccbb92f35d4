import { describe, expect, it } from 'vitest'
import { foldersNamed, MUTATED_FOLDERS } from './folders.ts'
import { type Mutant, mutantOf } from './mutant.ts'
import { isListed, judgeFolder, verdictOf } from './verdict.ts'

const FOLDER = { folder: 'shim', atLeast: 80, widerTests: ['test'] }
const nothing = () => false

function mutant(line: number, fate: Mutant['fate'], replacement = 'true'): Mutant {
  return { file: 'shim/a.ts', line, range: `shim/a.ts:${line}:1-${line}:2`, replacement, fate }
}

/** `rounds` holds the mutants of each run. */
function outside(...rounds: readonly (readonly Mutant[])[]) {
  const asked: { readonly ranges: readonly string[]; readonly tests: readonly string[] }[] = []
  const runMutants = (ranges: readonly string[], tests: readonly string[]): Promise<readonly Mutant[]> => {
    asked.push({ ranges, tests })
    return Promise.resolve(rounds[asked.length - 1] ?? [])
  }
  return {
    asked,
    runMutants,
    testsIn: (folders: readonly string[]) => folders.flatMap((folder) => [`${folder}/a.test.ts`, `${folder}/b.integration.test.ts`]),
    isEquivalent: nothing,
  }
}

describe('what came of a mutant', () => {
  const result = {
    fileName: '/checkout/shim/a.ts',
    location: { start: { line: 1, column: 2 }, end: { line: 3, column: 4 } },
    replacement: 'true',
  }

  it.each([
    ['Killed', 'killed'],
    ['Timeout', 'killed'],
    ['Survived', 'lives'],
    ['NoCoverage', 'lives'],
    ['CompileError', 'invalid'],
    ['RuntimeError', 'invalid'],
  ])('that is %s: %s', (status, fate) => {
    expect(mutantOf('/checkout', { ...result, status })).toEqual([
      { file: 'shim/a.ts', line: 1, range: 'shim/a.ts:1:1-3:3', replacement: 'true', fate },
    ])
  })

  it('that was not tried is nothing', () => expect(mutantOf('/checkout', { ...result, status: 'Ignored' })).toEqual([]))
})

describe('the verdict', () => {
  const some = [mutant(1, 'killed'), mutant(2, 'killed'), mutant(3, 'lives'), mutant(4, 'lives')]

  it('counts what is killed, and names what is alive', () => {
    expect(verdictOf(some, nothing)).toEqual({ outcome: { mutants: 4, killed: 2, equivalent: 0, percent: 50 }, unnoticed: some.slice(2) })
  })

  it('leaves out what is equivalent', () => {
    const { outcome, unnoticed } = verdictOf(some, ({ line }) => line !== 3)
    expect(outcome).toEqual({ mutants: 4, killed: 2, equivalent: 1, percent: 66.6 })
    expect(unnoticed).toEqual([mutant(3, 'lives')])
  })

  it('is nothing of nothing', () => expect(verdictOf([], nothing).outcome.percent).toBe(0))
})

describe('a folder', () => {
  it('is judged by its own tests where they are enough', async () => {
    const all = [mutant(1, 'killed'), mutant(2, 'killed'), mutant(3, 'killed'), mutant(4, 'killed'), mutant(5, 'lives')]
    const { asked, ...given } = outside(all)
    expect((await judgeFolder(FOLDER, ['r'], given)).outcome.percent).toBe(80)
    expect(asked).toEqual([{ ranges: ['r'], tests: ['shim/a.test.ts'] }])
  })

  it('is judged by those of others where its own are not, for what is alive', async () => {
    const { asked, ...given } = outside(
      [mutant(1, 'killed'), mutant(2, 'lives'), mutant(3, 'lives'), mutant(3, 'lives', 'false')],
      [mutant(1, 'lives'), mutant(2, 'killed'), mutant(3, 'lives'), mutant(3, 'killed', 'false')],
    )
    const { outcome, unnoticed } = await judgeFolder(FOLDER, ['r'], given)
    expect({ outcome, unnoticed }).toEqual({
      outcome: { mutants: 4, killed: 3, equivalent: 0, percent: 75 },
      unnoticed: [mutant(3, 'lives')],
    })
    expect(asked[1]).toEqual({
      ranges: [mutant(2, 'lives').range, mutant(3, 'lives').range, mutant(3, 'lives').range],
      tests: ['shim/b.integration.test.ts', 'test/a.test.ts', 'test/b.integration.test.ts'],
    })
  })

  it('is judged by its own tests where there are no others', async () => {
    const { asked, ...rest } = outside([mutant(1, 'lives')])
    const given = { ...rest, testsIn: (folders: readonly string[]) => folders.map((folder) => `${folder}/a.test.ts`) }
    expect((await judgeFolder({ ...FOLDER, widerTests: [] }, ['r'], given)).outcome).toMatchObject({ mutants: 1, killed: 0 })
    expect(asked).toHaveLength(1)
  })

  it('is not blamed for mutants that do not compile', async () => {
    const { outcome } = await judgeFolder(FOLDER, ['r'], outside([mutant(1, 'killed'), mutant(2, 'invalid')]))
    expect(outcome.mutants).toBe(1)
  })
})

describe('a survivor', () => {
  const listed = [{ file: 'shim/a.ts', code: 'a < b', replacement: 'true', why: 'nobody can tell' }]

  it('is listed by its file, its line of code and what replaces it', () => {
    expect(isListed(mutant(1, 'lives'), 'a < b', listed)).toBe(true)
    expect(isListed(mutant(1, 'lives'), 'a > b', listed)).toBe(false)
    expect(isListed(mutant(1, 'lives', 'false'), 'a < b', listed)).toBe(false)
    expect(isListed({ ...mutant(1, 'lives'), file: 'shim/b.ts' }, 'a < b', listed)).toBe(false)
    expect(isListed(mutant(1, 'lives'), 'a < b', [])).toBe(false)
  })
})

describe('folders by name', () => {
  it('are those that are mutated', () => {
    expect(foldersNamed(['shim', 'local'])).toEqual(MUTATED_FOLDERS.filter(({ folder }) => folder === 'shim' || folder === 'local'))
  })

  it.each([
    { names: [], says: /^name one or more/ },
    { names: ['shim', 'nowhere'], says: /^nowhere is not one of the folders: shim, / },
  ])('are named in the refusal of $names', ({ names, says }) => expect(foldersNamed(names)).toMatch(says))
})
