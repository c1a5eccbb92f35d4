import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { entryProblems, knipEntries } from '../../scripts/entries.ts'
import { type Floor, floorsOf, loadFloors, repositoryRoot, sourceFiles } from '../../scripts/floors.ts'
import { temporaryTree } from './temporaryTree.ts'

const floors = loadFloors()
const files = sourceFiles(repositoryRoot)
const BANNED_FOLDERS = /(^|\/)(utils?|helpers?|commons?|misc|lib)\//

describe('the floors', () => {
  it('have source to speak of', () => expect(files.length).toBeGreaterThan(40))

  it('own every source file, each on exactly one', () => {
    const inFolders = files.filter((file) => file.includes('/'))
    expect(inFolders.filter((file) => floorsOf(file, floors).length !== 1)).toEqual([])
  })

  it('have one entry each', () => {
    const folders = floors.floors.map(({ folder }) => folder)
    expect(new Set(folders).size).toBe(folders.length)
  })

  it('go up only: a floor imports lower ones', () => {
    const level = (name: string): number =>
      floors.floors.find((floor) => floor.name === name || floor.name.startsWith(`${name}/`))?.level ?? Number.NaN
    const upward = floors.floors.flatMap((floor: Floor) =>
      floor.imports.filter((name) => !(level(name) < floor.level)).map((name) => `${floor.name} -> ${name}`),
    )
    expect(upward).toEqual([])
  })

  it('let engine and model import no package and no Node module', () => {
    const core = floors.floors.filter(({ name }) => ['base', 'model', 'engine', 'ports'].includes(name))
    expect(core.map(({ packages, builtins }) => ({ packages, builtins }))).toEqual(core.map(() => ({ packages: [], builtins: false })))
  })

  it('are the folders the compiler sees without platform types', () => {
    const { include } = JSON.parse(readFileSync(join(repositoryRoot, 'tsconfig.core.json'), 'utf8'))
    expect(include).toEqual(['shared/base', 'shared/model', 'shared/engine', 'shared/ports'])
  })

  it('have no folder whose name says nothing', () => expect(files.filter((file) => BANNED_FOLDERS.test(file))).toEqual([]))

  it('that have layers list every folder of them, and none that is not there', () => {
    for (const { folder, fromBottom } of floors.floors.flatMap(({ layers = [] }) => layers)) {
      const own = files.filter((file) => file.startsWith(`${folder}/`)).map((file) => relative(folder, dirname(file)) || '.')
      expect([...new Set(own)].sort()).toEqual([...fromBottom].sort())
    }
  })

  it('keep files short', () => {
    const long = files
      .map((file) => ({ file, lines: readFileSync(join(repositoryRoot, file), 'utf8').split('\n').length - 1 }))
      .filter(({ file, lines }) => lines > (/\.test(-d)?\.ts$|^test\//.test(file) ? 400 : 300))
    expect(long).toEqual([])
  })
})

describe('a file outside every floor', () => {
  it('has no floor', () => expect(floorsOf('shared/extra/a.ts', floors)).toEqual([]))
  it('stands on one when it is a test or a script', () => {
    expect(floorsOf('test/a.ts', floors)).toEqual(['outside'])
    expect(floorsOf('shared/adapters/kube/a.test.ts', floors)).toEqual(['adapters/kube'])
  })
})

describe('entries of programs', () => {
  const cases: {
    readonly [sentence: string]: { readonly file: string; readonly missing: readonly string[]; readonly want: RegExp | undefined }
  } = {
    'source without its entry': { file: 'shim/a.ts', missing: [], want: /^shim\/main.ts does not exist/ },
    'source whose entry is named as not written yet': { file: 'shim/a.ts', missing: ['shim/main.ts'], want: undefined },
    'an entry that is there and still named as missing': { file: 'shim/main.ts', missing: ['shim/main.ts'], want: /take it off/ },
    'an entry that is there': { file: 'shim/main.ts', missing: [], want: undefined },
  }
  for (const [sentence, { file, missing, want }] of Object.entries(cases)) {
    it(`${want === undefined ? 'pass' : 'fail'} with ${sentence}`, () => {
      const problems = entryProblems(temporaryTree({ [file]: 'export const a = 1\n' }), {
        ...floors,
        entries: { ...floors.entries, missing },
      })
      if (want === undefined) expect(problems).toEqual([])
      else expect(problems.join('\n')).toMatch(want)
    })
  }

  it('stand in for shared code only while a program is missing', () => {
    const entries = (missing: readonly string[]): readonly string[] => knipEntries({ ...floors, entries: { ...floors.entries, missing } })
    expect(entries(['shim/main.ts'])).toContain('shared/**/*.ts')
    expect(entries([])).not.toContain('shared/**/*.ts')
  })
})
