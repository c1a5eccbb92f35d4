import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')

type Row = { readonly parameter: string; readonly variable: string; readonly values: string; readonly fallback: string }

const rows: readonly Row[] = [...read('docs/install.md').matchAll(/^\| `(\w+)` *\| (?:`(\w+)`|none) *\| (.*?) *\| (.*?) *\| .+\|$/gm)].map(
  ([, parameter = '', variable = '', values = '', fallback = '']) => ({ parameter, variable, values, fallback }),
)

/** Each declaration with its decorators: `@allowed([...])` and so on, then `param name type = default`. */
const declared = [...read('infra/main.bicep').matchAll(/((?:^@.*\n)*)^param (\w+) \S+(?: = (.*))?$/gm)].map(
  ([, decorators = '', name = '', fallback]) => ({ name, decorators, fallback }),
)
const { parameters } = JSON.parse(read('infra/main.parameters.json')) as {
  readonly parameters: { readonly [name: string]: { readonly value: string } }
}

describe('docs/install.md', () => {
  it('has a row for each parameter of the template, and no other', () => {
    expect(declared.length).toBeGreaterThan(20)
    expect(rows.map(({ parameter }) => parameter)).toEqual(declared.map(({ name }) => name))
  })

  it('says that topics are public, as they are in every mode', () => {
    const access = [...read('infra/modules/topics.bicep').matchAll(/publicNetworkAccess: '(\w+)'/g)].map(([, value]) => value)
    expect(access).toEqual(['Enabled'])
    expect(read('docs/install.md')).toContain('the Event Grid topics of the clusters stay public, also with `network=private`')
  })

  it('leads from a row to the very place on another page', () => {
    const links = read('docs/install.md')
      .split('\n')
      .flatMap((line) => (line.startsWith('|') ? [...line.matchAll(/\]\(([^)]+)\)/g)] : []))
    expect(links.length).toBeGreaterThan(2)
    expect(links.map(([, to = '']) => to).filter((to) => !to.includes('#'))).toEqual([])
  })

  it.each(rows)('names the variable of $parameter', ({ parameter, variable }) => {
    expect(parameters[parameter]?.value).toBe(variable === '' ? undefined : `\${${variable}}`)
  })

  it.each(declared)('names the values, bounds and default of $name', ({ name, decorators, fallback }) => {
    const row = rows.find(({ parameter }) => parameter === name)
    const [, allowed = ''] = /@allowed\(\[(.*?)\]\)/.exec(decorators) ?? []
    for (const value of allowed.split(', ')) expect(row?.values).toContain(value.replaceAll("'", ''))
    for (const [, bound = ''] of decorators.matchAll(/@(?:min|max)Value\((\d+)\)/g))
      expect(row?.values).toMatch(new RegExp(`\\b${bound}\\b`))
    const isPlain = fallback !== undefined && /^('[^']+'|\d+)$/.test(fallback) && !fallback.includes('(')
    if (isPlain) expect(row?.fallback.replaceAll('`', '')).toBe(fallback.replaceAll("'", ''))
    if (fallback === undefined && name !== 'subnets') expect(row?.fallback).toBe('required')
  })
})
