import { describe, expect, it } from 'vitest'
import { run } from '../testing/inMemory.ts'
import { settle, toJson } from './value.ts'

const SUBSCRIPTION = '/subscriptions/00000000-0000-4000-8000-000000000001'
const GROUP = `${SUBSCRIPTION}/resourceGroups/rg`
const ACCOUNT = `${GROUP}/providers/Microsoft.Storage/storageAccounts/acc`

const account = `
resource account 'Microsoft.Storage/storageAccounts@2025-06-01' = {
  name: 'acc'
  location: 'here'
}
`

describe('resources', () => {
  it('have a type, an id, a body and what comes before them', async () => {
    const { resources, findings } = await run(`${account}
resource lock 'Microsoft.Authorization/locks@2020-05-01' = {
  name: 'lock'
  scope: account
  properties: { level: 'CanNotDelete' }
}`)
    expect(findings).toEqual([])
    expect(resources.map(({ id, body, dependsOn, line }) => ({ id, body, dependsOn, line }))).toEqual([
      { id: ACCOUNT, body: { location: 'here' }, dependsOn: [], line: 2 },
      {
        id: `${ACCOUNT}/providers/Microsoft.Authorization/locks/lock`,
        body: { properties: { level: 'CanNotDelete' } },
        dependsOn: [ACCOUNT],
        line: 7,
      },
    ])
  })

  it('stand after what they depend on, wherever they are written', async () => {
    const { resources } = await run(`
resource b 'A.B/c@2020-01-01' = {
  name: 'b'
  tags: { of: viaVariable }
}
var viaVariable = a.properties.x
resource a 'A.B/c@2020-01-01' = {
  name: 'a'
  dependsOn: [z]
}
resource z 'A.B/c@2020-01-01' = {
  name: 'z'
}`)
    expect(resources.map(({ name }) => name)).toEqual(['z', 'a', 'b'])
  })

  it('are nested with the type, version and condition of what they are in', async () => {
    const text = `
param on bool
resource a 'A.B/c@2020-01-01' = if (on) {
  name: 'a'
  resource d 'd' = {
    name: 'x'
    resource e 'e@2021-01-01' = [for i in range(0, 2): {
      name: 'y\${i}'
    }]
  }
}
output id string = a::d.id
`
    const { resources, outputs } = await run(text, { on: true })
    expect(resources.map(({ type, apiVersion, name }) => [type, apiVersion, name])).toEqual([
      ['A.B/c', '2020-01-01', 'a'],
      ['A.B/c/d', '2020-01-01', 'a/x'],
      ['A.B/c/d/e', '2021-01-01', 'a/x/y0'],
      ['A.B/c/d/e', '2021-01-01', 'a/x/y1'],
    ])
    expect(outputs['id']).toBe(`${GROUP}/providers/A.B/c/a/d/x`)
    expect((await run(text, { on: false })).resources).toEqual([])
  })

  it('may be in a loop with a condition, and have a parent of it', async () => {
    const { resources } = await run(`
resource a 'A.B/c@2020-01-01' = [for (n, i) in ['x', 'y', 'z']: if (n != 'y') {
  name: '\${n}\${i}'
}]
resource d 'A.B/c/d@2020-01-01' = {
  parent: a[2]
  name: 'child'
}`)
    expect(resources.map(({ name }) => name)).toEqual(['x0', 'z2', 'z2/child'])
  })

  it('that exist are expected and not made', async () => {
    const { resources, expected, findings } = await run(`
resource a 'A.B/c@2020-01-01' existing = {
  name: 'a'
  scope: resourceGroup('other')
}
output id string = a.id`)
    expect([resources, findings]).toEqual([[], []])
    expect(expected.map(({ id }) => id)).toEqual([`${SUBSCRIPTION}/resourceGroups/other/providers/A.B/c/a`])
  })
})

describe('what only Azure can say', () => {
  it('stays open with its path, and is filled in by an answer', async () => {
    const { resources, reads, outputs } = await run(`${account}
resource b 'A.B/c@2020-01-01' = {
  name: 'b'
  properties: {
    url: '\${account.properties.primaryEndpoints.blob}x'
    up: toUpper(account.properties.list[1])
    is: account.properties.n == 3 ? 'three' : 'other'
    all: string([account.properties.n])
    none: account.properties.?none ?? 'fallback'
    count: length([account.properties.n])
  }
}
output host string = account.properties.host`)
    expect(reads.map(({ resourceId, path }) => [resourceId, path.join('.')])).toEqual([
      [ACCOUNT, 'properties.host'],
      [ACCOUNT, 'properties.primaryEndpoints.blob'],
      [ACCOUNT, 'properties.list.1'],
      [ACCOUNT, 'properties.n'],
      [ACCOUNT, 'properties.n'],
      [ACCOUNT, 'properties.none'],
    ])
    const answers = new Map<string, string | number | null>([
      ['properties.primaryEndpoints.blob', 'https://acc/'],
      ['properties.list.1', 'two'],
      ['properties.n', 3],
      ['properties.host', 'h'],
    ])
    const settled = settle(resources[1]?.body ?? null, ({ path }) => answers.get(path.join('.')) ?? null)
    expect(settled).toEqual({ properties: { url: 'https://acc/x', up: 'TWO', is: 'three', all: '[3]', none: 'fallback', count: 1 } })
    expect(settle(outputs, ({ path }) => answers.get(path.join('.')) ?? null)).toEqual({ host: 'h' })
    expect(toJson(outputs)).toEqual({ host: `<${ACCOUNT}#properties.host>` })
  })

  it.each([
    ['the name of a resource', "resource b 'A.B/c@2020-01-01' = {\n  name: account.properties.x\n}", 'known when the deployment starts'],
    ['the list of a loop', 'output o array = [for x in account.properties.x: x]', 'known when the deployment starts'],
    ['a condition', "resource b 'A.B/c@2020-01-01' = if (account.properties.x) {\n  name: 'b'\n}", 'when the deployment starts'],
    [
      'a resource that is not made',
      "resource b 'A.B/c@2020-01-01' = if (false) {\n  name: 'b'\n}\noutput o string = b.properties.x",
      'not deployed',
    ],
    ['a key', 'output o array = account.listKeys()', 'a call on a resource'],
  ])('is refused as %s', async (_, text, words) => {
    const { findings } = await run(`${account}${text}\n`)
    expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining(words)])
  })
})

describe('modules', () => {
  const inner = `
param name string
@minValue(2)
param count int = 2
resource a 'A.B/c@2020-01-01' = {
  name: name
}
output id string = a.id
output host string = a.properties.host
`

  it('run in their scope, and what leans on them comes after all they make', async () => {
    const { resources, outputs, findings } = await run({
      'main.bicep': `targetScope = 'subscription'
resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {
  name: 'g'
  location: 'here'
}
module inner 'modules/inner.bicep' = [for n in ['x', 'y']: {
  scope: group
  params: { name: n }
}]
module last 'modules/inner.bicep' = {
  scope: resourceGroup('other')
  params: { name: last(split(inner[1].outputs.id, '/')) }
}
output host string = inner[0].outputs.host
`,
      'modules/inner.bicep': inner,
    })
    expect(findings).toEqual([])
    const group = `${SUBSCRIPTION}/resourceGroups/g`
    expect(resources.map(({ id, module, dependsOn }) => [id, module, dependsOn])).toEqual([
      [group, '', []],
      [`${group}/providers/A.B/c/x`, 'inner-0', [group]],
      [`${group}/providers/A.B/c/y`, 'inner-1', [group]],
      [`${SUBSCRIPTION}/resourceGroups/other/providers/A.B/c/y`, 'last', [`${group}/providers/A.B/c/x`, `${group}/providers/A.B/c/y`]],
    ])
    expect(toJson(outputs)).toEqual({ host: `<${group}/providers/A.B/c/x#properties.host>` })
  })

  it.each([
    ['an unknown parameter', "params: { name: 'a', other: 1 }", 'no parameter "other"'],
    ['a missing parameter', 'params: {}', '"name" of inner.bicep is missing'],
    ['a wrong type', 'params: { name: 1 }', 'must be string'],
    ['a value out of bounds', "params: { name: 'a', count: 1 }", 'at least 2'],
    ['an unknown key', "params: { name: 'a' }\n  colour: 'red'", 'no colour'],
    ['an output that is not there', "params: { name: 'a' }", 'no property "nothing"'],
  ])('%s is refused', async (_, body, words) => {
    const { findings } = await run({
      'main.bicep': `module m 'inner.bicep' = {\n  ${body}\n}\noutput o any = m.outputs.nothing\n`,
      'inner.bicep': inner,
    })
    expect(findings.map(({ message }) => message)).toContainEqual(expect.stringContaining(words))
  })

  it('of another scope are refused', async () => {
    const { findings } = await run({ 'main.bicep': "module m 'inner.bicep' = {\n}\n", 'inner.bicep': "targetScope = 'subscription'\n" })
    expect(findings).toEqual([
      {
        file: 'main.bicep',
        line: 1,
        rule: 'evaluate',
        message: 'inner.bicep is for a subscription, and is deployed to a resourceGroup: give a scope',
      },
    ])
  })
})

describe('parameters', () => {
  const text = `
type pair = { x: string, y: int? }
param maybe pair?
@minLength(2)
@maxLength(3)
param name string
param mode 'a' | 'b' = 'a'
@allowed([1, 2])
param size int = 1
type item = {
  @minLength(1)
  tags: string[]
}
param items item[] = []
param flag bool = true
`

  it.each<[string, { readonly [name: string]: never } | object, string | undefined]>([
    ['right', { name: 'ab', mode: 'b', size: 2, maybe: { x: 'x' }, items: [{ tags: ['t'] }], flag: false }, undefined],
    ['missing', {}, '"name" of main.bicep is missing'],
    ['too short', { name: 'a' }, 'at least 2'],
    ['too long', { name: 'abcd' }, 'at most 3'],
    ['of another type', { name: 'ab', flag: 'true' }, 'flag must be bool, not string'],
    ['no member of a union', { name: 'ab', mode: 'c' }, 'must be one of "a", "b"'],
    ['not allowed', { name: 'ab', size: 3 }, 'must be one of 1, 2'],
    ['not there', { name: 'ab', other: 1 }, 'no parameter "other"'],
    ['without a field', { name: 'ab', maybe: {} }, 'maybe.x is missing'],
    ['with a foreign field', { name: 'ab', maybe: { x: 'x', z: 1 } }, 'no property "z"'],
    ['too short inside', { name: 'ab', items: [{ tags: [] }] }, 'items[0].tags has a length of 0'],
    ['wrong inside', { name: 'ab', items: [{ tags: [1] }] }, 'items[0].tags[0] must be string'],
    ['a fraction', { name: 'ab', size: 1.5 }, 'must be int'],
  ])('%s', async (_, parameters, words) => {
    const { findings } = await run(text, Object.fromEntries(Object.entries(parameters)))
    expect(findings.map(({ message }) => message)).toEqual(words === undefined ? [] : [expect.stringContaining(words)])
  })
})

describe('imports', () => {
  it('bring types, variables and functions of another file', async () => {
    const { outputs, findings } = await run(
      {
        'main.bicep': `import { double as twice, kind, start } from 'lib/all.bicep'
param of kind
output o string = twice(of.name)
output s int = start
`,
        'lib/all.bicep': `@export()
type kind = { name: letter }
type letter = 'a' | 'b'
@export()
func double(text string) string => '\${text}\${again(text)}\${third}'
func again(text string) string => toUpper(text)
var third = loadJsonContent('x.json').third
@export()
var start = 1
`,
        'lib/x.json': '{"third":"!"}',
      },
      { of: { name: 'a' } },
    )
    expect(findings).toEqual([])
    expect(outputs).toEqual({ o: 'aA!', s: 1 })
  })
})
