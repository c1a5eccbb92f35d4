import { describe, expect, it } from 'vitest'
import { cruiserConfiguration } from './floorRules.ts'
import type { Floor, Floors } from './floors.ts'

const floor = (name: string, shape: Partial<Floor> = {}): Floor => ({
  name,
  level: 1,
  folder: `shared/${name}`,
  imports: [],
  packages: [],
  builtins: false,
  ...shape,
})

const FLOORS: Floors = {
  floors: [
    floor('base', { folder: 'shared/ba.se' }),
    floor('engine', {
      imports: ['base'],
      parts: { one: [], two: ['one'], three: [] },
      layers: [{ folder: 'shared/engine/one', fromBottom: ['low', 'low/mid', '.', 'top'] }],
    }),
    floor('adapters/x', { imports: ['base'], packages: ['zod', '@azure/core-*'], builtins: true }),
    floor('adapters/y', { imports: ['base'] }),
    floor('functions', {
      folder: 'functions',
      imports: ['base', 'engine', 'adapters'],
      composes: { floors: ['adapters'], only: ['functions/start.ts'] },
    }),
    floor('local', { folder: 'local', devPackages: true, builtins: true }),
  ],
  outside: { folders: ['test', 'bench'] },
  entries: { about: '', missing: [] },
}

type Patterns = string | readonly string[] | undefined
type Side = { readonly path?: Patterns; readonly pathNot?: Patterns }
type To = Side & { readonly dependencyTypes?: readonly string[]; readonly circular?: boolean; readonly couldNotResolve?: boolean }
type Import = { readonly from: string; readonly to: string; readonly kind?: string; readonly is?: 'circular' | 'couldNotResolve' }

const rules = (cruiserConfiguration(FLOORS).forbidden ?? []) as readonly {
  readonly name: string
  readonly comment: string
  readonly from: Side
  readonly to: To
}[]
const hits = (patterns: Patterns, path: string): boolean => [patterns ?? []].flat().some((each) => new RegExp(each).test(path))
const isOn = ({ path, pathNot }: Side, file: string): boolean => (path === undefined || hits(path, file)) && !hits(pathNot, file)

/** Returns the names of the rules that forbid an import, as dependency-cruiser applies them. */
function against({ from, to, kind = 'local', is }: Import): readonly string[] {
  return rules
    .filter((rule) => isOn(rule.from, from) && isOn(rule.to, to))
    .filter((rule) => rule.to.dependencyTypes?.includes(kind) ?? true)
    .filter((rule) => (rule.to.circular !== true || is === 'circular') && (rule.to.couldNotResolve !== true || is === 'couldNotResolve'))
    .map(({ name }) => name)
}

describe('an import', () => {
  it.each<Import & { readonly want: readonly string[] }>([
    { from: 'shared/engine/one/a.ts', to: 'shared/ba.se/a.ts', want: [] },
    { from: 'shared/engine/a.ts', to: 'shared/engine/b.ts', want: [] },
    { from: 'shared/ba.se/a.ts', to: 'shared/engine/a.ts', want: ['base: floors'] },
    { from: 'shared/baXse/a.ts', to: 'shared/engine/a.ts', want: [] },
    { from: 'shared/engine/a.ts', to: 'shared/adapters/x/a.ts', want: ['engine: floors'] },
    { from: 'shared/adapters/x/a.ts', to: 'shared/adapters/y/a.ts', want: ['adapters/x: floors'] },
    { from: 'shared/engine/a.test.ts', to: 'shared/adapters/x/a.ts', want: [] },
    { from: 'shared/engine/testing/a.ts', to: 'local/a.ts', want: [] },
    { from: 'functions/start.ts', to: 'shared/adapters/x/a.ts', want: [] },
    { from: 'functions/other.ts', to: 'shared/adapters/x/a.ts', want: ['functions: composition'] },
    { from: 'functions/start.test.ts', to: 'shared/adapters/x/a.ts', want: [] },
    { from: 'functions/other.ts', to: 'shared/engine/a.ts', want: [] },
    { from: 'shared/engine/one/a.ts', to: 'shared/engine/two/a.ts', want: ['engine: one knows nothing of two'] },
    { from: 'shared/engine/two/a.ts', to: 'shared/engine/one/a.ts', want: [] },
    { from: 'shared/engine/two/a.ts', to: 'shared/engine/three/a.ts', want: ['engine: two knows nothing of three'] },
    { from: 'shared/engine/one/low/mid/a.ts', to: 'shared/engine/one/low/a.ts', want: [] },
    { from: 'shared/engine/one/a.ts', to: 'shared/engine/one/low/mid/a.ts', want: [] },
    { from: 'shared/engine/one/top/a.ts', to: 'shared/engine/one/a.ts', want: [] },
    { from: 'shared/engine/one/low/a.ts', to: 'shared/engine/one/low/b.ts', want: [] },
    {
      from: 'shared/engine/one/low/a.ts',
      to: 'shared/engine/one/low/mid/a.ts',
      want: ['shared/engine/one: low knows only what is below it'],
    },
    {
      from: 'shared/engine/one/low/mid/a.ts',
      to: 'shared/engine/one/a.ts',
      want: ['shared/engine/one: low/mid knows only what is below it'],
    },
    { from: 'shared/engine/one/a.ts', to: 'shared/engine/one/elsewhere/a.ts', want: ['shared/engine/one: . knows only what is below it'] },
    { from: 'shared/engine/one/low/a.test.ts', to: 'shared/engine/one/top/a.ts', want: [] },
    { from: 'shared/engine/one/a.test.ts', to: 'shared/engine/two/a.ts', want: [] },
    { from: 'shared/adapters/x/a.ts', to: 'node_modules/zod/index.js', kind: 'npm', want: [] },
    { from: 'shared/adapters/x/a.ts', to: 'node_modules/@types/zod/index.d.ts', kind: 'npm', want: [] },
    { from: 'shared/adapters/x/a.ts', to: 'node_modules/zodiac/index.js', kind: 'npm', want: ['adapters/x: packages'] },
    { from: 'shared/adapters/x/a.ts', to: 'node_modules/@azure/core-auth/index.js', kind: 'npm', want: [] },
    { from: 'shared/adapters/x/a.ts', to: 'node_modules/@azure/identity/index.js', kind: 'npm', want: ['adapters/x: packages'] },
    { from: 'shared/engine/a.ts', to: 'node_modules/zod/index.js', kind: 'npm', want: ['engine: packages'] },
    { from: 'shared/adapters/x/a.ts', to: 'node_modules/zod/index.js', kind: 'npm-dev', want: ['adapters/x: dev packages'] },
    { from: 'local/a.ts', to: 'elsewhere/zod/index.js', kind: 'npm-dev', want: [] },
    { from: 'shared/engine/a.ts', to: 'fs', kind: 'core', want: ['engine: node'] },
    { from: 'shared/adapters/x/a.ts', to: 'fs', kind: 'core', want: [] },
    { from: 'shared/engine/a.ts', to: 'test/a.ts', want: ['nothing imports tests'] },
    { from: 'shared/engine/a.ts', to: 'shared/engine/a.test.ts', want: ['nothing imports tests'] },
    { from: 'shared/engine/a.test.ts', to: 'test/a.ts', want: [] },
    { from: 'test/a.ts', to: 'bench/a.ts', want: [] },
    { from: 'test/a.ts', to: 'test/b.ts', is: 'circular', want: ['no cycle'] },
    { from: 'test/a.ts', to: './b.ts', is: 'couldNotResolve', want: ['no unresolved import'] },
    { from: 'test/a.ts', to: 'bun:test', is: 'couldNotResolve', want: [] },
    { from: 'shared/engine/a.ts', to: 'ghost', kind: 'npm-no-pkg', want: ['no unlisted package'] },
    { from: 'shared/engine/a.ts', to: 'ghost', kind: 'npm-unknown', want: ['no unlisted package'] },
    { from: 'test/a.ts', to: 'ghost', kind: 'npm-unknown', want: [] },
  ])('of $to by $from ($kind $is): $want', ({ want, ...each }) => expect(against(each)).toEqual(want))

  it('is told what would be allowed', () => {
    expect(rules.filter(({ comment }) => !/\w+ \w+/.test(comment))).toEqual([])
    expect(rules.find(({ name }) => name === 'engine: floors')?.comment).toContain('base')
    expect(rules.find(({ name }) => name === 'base: floors')?.comment).toContain('nothing else of ours')
    expect(rules.find(({ name }) => name === 'adapters/x: packages')?.comment).toContain('zod, @azure/core-*')
    expect(rules.find(({ name }) => name === 'engine: packages')?.comment).toContain('no package')
    expect(rules.find(({ name }) => name.startsWith('engine: two'))?.comment).toContain('may use one')
    expect(rules.find(({ name }) => name.startsWith('engine: one'))?.comment).toContain('no other part')
    expect(rules.find(({ name }) => name === 'functions: composition')?.comment).toContain('functions/start.ts')
  })
})

describe('a rule', () => {
  it('between parts of a floor reaches through files between them', () => {
    const between = rules.filter(({ name }) => name.includes('knows nothing of'))
    expect(between.map(({ to }) => 'reachable' in to && to.reachable)).toEqual(between.map(() => true))
  })

  it('is kept to', () => expect(rules.map((rule) => 'severity' in rule && rule.severity)).toEqual(rules.map(() => 'error')))
})
