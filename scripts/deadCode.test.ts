import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../test/architecture/temporaryTree.ts'
import { deadCode } from './deadCode.ts'
import { type Floors, loadFloors } from './floors.ts'

const CODE = 'export {}\n'
const SHIM = { 'shim/main.ts': CODE }

/** Runs the gate on a tree whose only program is the shim. `knip` is knip's answer. */
async function gate(files: { readonly [path: string]: string }, missing: readonly string[] = [], knip = { code: 0, output: '' }) {
  const floors: Floors = { ...loadFloors(), entries: { about: 'of programs', missing, shim: ['shim/main.ts'] } }
  const lines: string[] = []
  const asked: string[] = []
  const code = await deadCode(temporaryTree(files), floors, {
    knip: (args) => {
      asked.push(...args)
      return Promise.resolve({ ...knip, ms: 1 })
    },
    say: (line) => lines.push(line),
  })
  return { code, said: lines.join('\n').trim(), asked: asked.join(' ') }
}

describe('the gate of dead code', () => {
  it('is content where knip is and each program has its entry', async () => {
    expect(await gate(SHIM)).toMatchObject({ code: 0, said: '' })
  })

  it('fails as knip does, and says what it said', async () => {
    expect(await gate(SHIM, [], { code: 3, output: 'Unused files\n' })).toMatchObject({ code: 3, said: 'Unused files' })
  })

  it('fails where a program has no entry, though knip finds nothing', async () => {
    const { code, said } = await gate({ 'shim/a.ts': CODE })
    expect(code).toBe(1)
    expect(said).toMatch(/^shim\/main\.ts does not exist/)
  })

  it('counts packages where every program is there, and only there', async () => {
    expect((await gate(SHIM)).asked).not.toContain('dependencies')
    const { code, said, asked } = await gate({ 'shim/a.ts': CODE }, ['shim/main.ts'])
    expect(asked).toContain('--exclude dependencies')
    expect({ code, said }).toEqual({ code: 0, said: expect.stringMatching(/^skipped: .*shim\/main\.ts/) })
  })

  it('says what to do where knip is not there', async () => {
    const { code, said } = await gate(SHIM, [], { code: 127, output: 'spawn knip ENOENT\n' })
    expect(code).toBe(127)
    expect(said).toMatch(/^knip is not there \(spawn knip ENOENT\); .*npm ci/)
  })
})
