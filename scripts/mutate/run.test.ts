import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../../test/architecture/temporaryTree.ts'
import type { MutationTarget } from './folders.ts'
import { type Mutant, mutantOf } from './mutant.ts'
import { type Equivalent, readOutcomes } from './record.ts'
import { mutateAll, type Order, orderOf } from './run.ts'

const TREE = {
  'one/a.ts': 'const a = 1\n  const b = 2\nconst c = 3\n',
  'one/a.test.ts': 'test()\n',
  'two/b.ts': 'const d = 4\n',
  'two/b.test.ts': 'test()\n',
  'twofold/c.test.ts': 'test()\n',
  'results.json': '{}\n',
}
const ONE: MutationTarget = { folder: 'one', atLeast: 50, widerTests: [] }
const TWO: MutationTarget = { folder: 'two', atLeast: 50, widerTests: ['one'] }

/** Runs with one mutant at each chosen line. `killed` holds the lines whose test notices the mutant. */
async function run(killed: readonly string[], order: Partial<Order> = {}, listed: readonly Equivalent[] = []) {
  const root = temporaryTree(TREE)
  const results = join(root, 'results.json')
  const lines: string[] = []
  const asked: { readonly ranges: readonly string[]; readonly tests: readonly string[] }[] = []
  const runMutants = (ranges: readonly string[], tests: readonly string[]): Promise<readonly Mutant[]> => {
    asked.push({ ranges, tests })
    return Promise.resolve(
      ranges.flatMap((range) => {
        const [file = '', line = ''] = range.split(/[:-]/u)
        const place = { line: Number(line), column: 1 }
        const status = killed.includes(`${file}:${line}`) ? 'Killed' : 'Survived'
        return mutantOf('/x', { fileName: `/x/${file}`, location: { start: place, end: place }, replacement: '"mistake"', status })
      }),
    )
  }
  const code = await mutateAll(
    { folders: [ONE], seed: 1, lines: 200, records: true, ...order },
    { root, runMutants, listed, results, today: '2026-01-31', say: (line) => lines.push(line) },
  )
  return { code, lines, asked, outcomes: readOutcomes(results) }
}

describe('a run over a folder', () => {
  it('asks its tests about its lines, names what they do not notice, and records what came of it', async () => {
    const { code, lines, asked, outcomes } = await run(['one/a.ts:1', 'one/a.ts:3'], { seed: 7 })
    expect(asked).toHaveLength(1)
    expect(asked[0]?.ranges.toSorted()).toEqual(['one/a.ts:1-1', 'one/a.ts:2-2', 'one/a.ts:3-3'])
    expect(asked[0]?.tests).toEqual(['one/a.test.ts'])
    expect(lines).toEqual([
      'one/a.ts:2\n  - const b = 2\n  + "mistake"',
      expect.stringMatching(/^one: 2 of 3 .*, 0 equivalent: 66\.6 % .*50\)$/),
    ])
    expect(outcomes).toEqual({ one: { seed: 7, date: '2026-01-31', lines: 3, mutants: 3, killed: 2, equivalent: 0, percent: 66.6 } })
    expect(code).toBe(0)
  })

  it('fails below the bar, and not at it', async () => {
    expect((await run([])).code).toBe(1)
    expect((await run(['one/a.ts:1', 'one/a.ts:2'])).code).toBe(0)
    const half = [{ file: 'one/a.ts', code: 'const c = 3', replacement: '"mistake"', why: 'nobody can tell' }]
    expect(await run(['one/a.ts:1'], {}, half)).toMatchObject({ code: 0, outcomes: { one: { equivalent: 1, percent: 50 } } })
  })

  it('mutates no more lines than it is told', async () => {
    const { asked } = await run(['one/a.ts:1', 'one/a.ts:2', 'one/a.ts:3'], { lines: 2 })
    expect(asked[0]?.ranges).toHaveLength(2)
  })

  it('records nothing where that is asked for', async () => {
    expect((await run([], { records: false })).outcomes).toEqual({})
  })

  it('asks the tests of others about what lives, and no folder whose name only begins alike', async () => {
    const { asked, outcomes, code } = await run(['one/a.ts:1', 'one/a.ts:2'], { folders: [ONE, TWO] })
    expect(asked.slice(1)).toEqual([
      { ranges: ['two/b.ts:1-1'], tests: ['two/b.test.ts'] },
      { ranges: ['two/b.ts:1:0-1:0'], tests: ['one/a.test.ts'] },
    ])
    // One folder below its least share is enough to fail, whatever came before or after.
    expect({ code, folders: Object.keys(outcomes) }).toEqual({ code: 1, folders: ['one', 'two'] })
    expect((await run(['two/b.ts:1'], { folders: [ONE, TWO] })).code).toBe(1)
  })
})

describe('what is asked for', () => {
  it('is a recorded run over 200 lines, unless more is said', () => {
    expect(orderOf(['shim'])).toMatchObject({ folders: [{ folder: 'shim' }], seed: 1, lines: 200, records: true })
    expect(orderOf(['shim', '--seed', '3', '--lines', '40', '--no-record'])).toMatchObject({ seed: 3, lines: 40, records: false })
  })

  it.each([
    { args: [], says: /name one or more/ },
    { args: ['nowhere'], says: /nowhere is not one/ },
    { args: ['shim', '--seed', 'x'], says: /--seed x / },
    { args: ['shim', '--seed', '1.5'], says: /--seed 1\.5 / },
    { args: ['shim', '--lines', 'many'], says: /--lines many / },
    { args: ['shim', '--lines', '0'], says: /--lines 0 / },
  ])('is refused as $args', ({ args, says }) => expect(orderOf(args)).toMatch(says))

  it('may be one line', () => expect(orderOf(['shim', '--lines', '1'])).toMatchObject({ lines: 1 }))
})
