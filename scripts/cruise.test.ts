import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../test/architecture/temporaryTree.ts'
import { cruiseTree } from './cruise.ts'
import { loadFloors } from './floors.ts'

const floors = loadFloors()
const A = 'export const a = 1\n'

async function errorsOf(files: { readonly [path: string]: string }): Promise<string> {
  const { errors } = await cruiseTree(temporaryTree(files), floors)
  return errors.join('\n')
}

describe('a good tree', () => {
  it('passes', async () => {
    const files = {
      'shared/base/a.ts': A,
      'shared/model/b.ts': "export { a } from '../base/a.ts'\n",
      'shared/adapters/azure/c.ts':
        "import { readFileSync } from 'node:fs'\nimport { ComputeManagementClient } from '@azure/arm-compute'\nexport const c = [readFileSync, ComputeManagementClient]\n",
    }
    expect(await errorsOf(files)).toBe('')
  })
})

describe('a bad tree', () => {
  const cases: { readonly [sentence: string]: { readonly files: { readonly [path: string]: string }; readonly want: string } } = {
    'an import upwards': {
      files: { 'shared/base/a.ts': "export { b } from '../model/b.ts'\n", 'shared/model/b.ts': 'export const b = 1\n' },
      want: 'base: floors: shared/base/a.ts -> shared/model/b.ts',
    },
    'an import upwards of a type only': {
      files: {
        'shared/model/a.ts': "import type { B } from '../engine/b.ts'\nexport type A = B\n",
        'shared/engine/b.ts': 'export type B = 1\n',
      },
      want: 'model: floors: shared/model/a.ts -> shared/engine/b.ts',
    },
    'a cycle of types only': {
      files: {
        'shared/model/a.ts': "import type { B } from './b.ts'\nexport type A = B | 1\n",
        'shared/model/b.ts': "import type { A } from './a.ts'\nexport type B = A | 2\n",
      },
      want: 'no cycle: shared/model/a.ts',
    },
    'flows that know the wire': {
      files: { 'shared/flows/a.ts': "export { w } from '../wire/w.ts'\n", 'shared/wire/w.ts': 'export const w = 1\n' },
      want: 'flows: floors',
    },
    'a sibling adapter': {
      files: { 'shared/adapters/kube/a.ts': "export { a } from '../azure/a.ts'\n", 'shared/adapters/azure/a.ts': A },
      want: 'adapters/kube: floors',
    },
    'a trigger that imports an adapter': {
      files: { 'functions/events.ts': "export { a } from '../shared/adapters/azure/a.ts'\n", 'shared/adapters/azure/a.ts': A },
      want: 'functions: composition',
    },
    'a Node module in the engine': {
      files: { 'shared/engine/a.ts': "import { readFileSync } from 'node:fs'\nexport const a = readFileSync\n" },
      want: 'engine: node: shared/engine/a.ts -> fs',
    },
    'a package in the engine': {
      files: { 'shared/engine/a.ts': "import { z } from 'zod'\nexport const a = z\n" },
      want: 'engine: packages',
    },
    'the SDK of another adapter': {
      files: {
        'shared/adapters/kube/a.ts':
          "import { ComputeManagementClient } from '@azure/arm-compute'\nexport const a = ComputeManagementClient\n",
      },
      want: 'adapters/kube: packages',
    },
    'a development package in what ships': {
      files: { 'shim/a.ts': "import { createPatch } from 'rfc6902'\nexport const a = createPatch\n" },
      want: 'shim: dev packages',
    },
    'a program that imports a test builder': {
      files: { 'shim/a.ts': "export { a } from '../test/builders/a.ts'\n", 'test/builders/a.ts': A },
      want: 'nothing imports tests',
    },
    'scheduling that reaches launch through a third file': {
      files: {
        'shared/engine/scheduling/a.ts': "export { a } from '../between.ts'\n",
        'shared/engine/between.ts': "export { a } from './launch/a.ts'\n",
        'shared/engine/launch/a.ts': A,
      },
      want: 'engine: scheduling knows nothing of launch',
    },
    'lifecycle that uses scheduling': {
      files: { 'shared/engine/lifecycle/a.ts': "export { a } from '../scheduling/a.ts'\n", 'shared/engine/scheduling/a.ts': A },
      want: 'engine: lifecycle knows nothing of scheduling',
    },
    'an import of nothing': {
      files: { 'shared/base/a.ts': "export { b } from './b.ts'\n" },
      want: 'no unresolved import',
    },
  }
  for (const [sentence, { files, want }] of Object.entries(cases)) {
    it(`fails on ${sentence}`, async () => expect(await errorsOf(files)).toContain(want))
  }
})

describe('what the cruise says', () => {
  it('names the rule, both ends of the import and what to do', async () => {
    expect(await errorsOf({ 'shim/a.ts': "export { a } from '../test/builders/a.ts'\n", 'test/builders/a.ts': A })).toBe(
      'nothing imports tests: shim/a.ts -> test/builders/a.ts (tests, benches and scripts stand above everything)',
    )
  })

  it('names every step of a cycle', async () => {
    const files = {
      'shared/model/a.ts': "import type { B } from './b.ts'\nexport type A = B | 1\n",
      'shared/model/b.ts': "import type { C } from './c.ts'\nexport type B = C | 2\n",
      'shared/model/c.ts': "import type { A } from './a.ts'\nexport type C = A | 3\n",
    }
    expect(await errorsOf(files)).toContain('no cycle: shared/model/a.ts -> shared/model/b.ts -> shared/model/c.ts -> shared/model/a.ts (')
  })

  it('counts the modules it saw', async () => {
    const files = { 'shared/base/a.ts': A, 'shared/model/b.ts': "export { a } from '../base/a.ts'\n", 'test/c.ts': A }
    expect(await cruiseTree(temporaryTree(files), floors)).toEqual({ modules: 3, errors: [] })
  })
})

describe('a cruise that sees nothing', () => {
  it('fails when there is no module', async () => {
    expect(await errorsOf({ 'shared/base/readme.md': 'empty\n' })).toBe('the cruise saw no module: nothing was checked')
  })

  it('fails when a file with source was not visited', async () => {
    const root = temporaryTree({ 'shared/base/a.ts': A, 'elsewhere/b.ts': A })
    expect((await cruiseTree(root, floors)).errors).toEqual(['the cruise did not see elsewhere/b.ts'])
  })

  it('may see one module without an import', async () => expect(await errorsOf({ 'shared/base/a.ts': A })).toBe(''))

  it('fails when many modules have no import at all', async () => {
    expect(await errorsOf({ 'shared/base/a.ts': A, 'shared/base/b.ts': A })).toMatch(/^the cruise saw 2 modules and not one import/)
  })

  it('lets disruption use scheduling', async () => {
    const files = { 'shared/engine/disruption/a.ts': "export { a } from '../scheduling/a.ts'\n", 'shared/engine/scheduling/a.ts': A }
    expect(await errorsOf(files)).toBe('')
  })
})
