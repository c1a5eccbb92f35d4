// Plants mistakes into the real templates, one for each line of the table. Each mistake must be found by its rule and by no other rule.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { checkInfra } from './checkInfra.ts'
import { DEMO_SETS, EVENTS_SETS, MAIN_SETS, ROLES_SETS } from './parameterSets.ts'
import { repositorySources } from './sources.ts'
import { MISTAKES } from './testing/mistakes.ts'

const sources = repositorySources(repositoryRoot)
const isHere = sources.index !== undefined
const SETS = new Set([
  'defaults',
  'private, and clusters in networks of their own',
  'shim with an identity',
  'things that exist',
  'cluster with everything',
])
const layers = [
  { main: 'infra/main.bicep', sets: MAIN_SETS.filter(({ name }) => SETS.has(name)) },
  { main: 'infra/events.bicep', sets: EVENTS_SETS.slice(0, 2) },
  { main: 'infra/roles.bicep', sets: ROLES_SETS.slice(1) },
  { main: 'infra/demo.bicep', sets: DEMO_SETS.slice(1, 2) },
]

/** Other rules that may report as a consequence: a file that cannot be read hides its declarations from the files that name them. */
const FOLLOWING: { readonly [rule: string]: readonly string[] } = {
  'assignment-names': ['what-if-short-circuiting', 'directive', 'made-twice', 'no-unused-params'],
  directive: ['what-if-short-circuiting'],
  'azd-asks': ['parameters', 'evaluate'],
  'what-if-short-circuiting': ['no-unnecessary-dependson'],
  'use-resource-symbol-reference': ['undeclared', 'evaluate'],
  'role-definition-type': ['roles'],
  undeclared: ['evaluate', 'unused', 'parameters', 'no-unused-imports', 'no-unused-funcs', 'no-unused-existing-resources'],
  parse: ['evaluate', 'module-parameters', 'orphans'],
  'module-parameters': ['evaluate', 'parameters', 'orphans', 'missing-property'],
  'known-at-start': ['evaluate', 'no-unused-params'],
}

describe.skipIf(!isHere)(`planted mistakes${isHere ? '' : ' (skipped: ../shared/data is absent)'}`, () => {
  let found = 0

  it.each(MISTAKES)('%s', async (_, rule, file, old, by) => {
    const path = `infra/${file}`
    const text = sources.readText(path) ?? ''
    expect(text, `${path} no longer has the text that the mistake replaces`).toContain(old)
    const readText = (each: string): string | undefined => (each === path ? text.replace(old, () => by) : sources.readText(each))
    const { findings } = await checkInfra({ ...sources, layers, readText })
    const rules = new Set(findings.map((each) => each.rule))
    // A planted text may be wider than the formatter writes it.
    const others = [...rules].filter((each) => ![rule, 'format'].includes(each) && FOLLOWING[rule]?.includes(each) !== true)
    expect({ has: rules.has(rule), others }, JSON.stringify(findings.slice(0, 6), undefined, 1)).toEqual({ has: true, others: [] })
    found += 1
  })

  it('are of forty kinds at least, each another', () => {
    expect(new Set(MISTAKES.map(([kind]) => kind)).size).toBe(MISTAKES.length)
    expect(MISTAKES.length).toBeGreaterThanOrEqual(40)
  })

  it('reach every rule', () => {
    const folder = join(repositoryRoot, 'infra/check/rules')
    const source = readdirSync(folder)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'azureYaml.ts')
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n')
    const rules = [...source.matchAll(/(?:finding|resourceRule|partRule)\(\s*'([a-zA-Z-]+)'|\brule: '([a-z-]+)'/g)].map(
      ([, one, two]) => one ?? two,
    )
    expect(rules.length).toBeGreaterThan(30)
    const reached = new Set(MISTAKES.map(([, rule]) => rule))
    expect([...new Set(rules)].filter((rule) => rule !== undefined && !reached.has(rule))).toEqual([])
  })

  it('do not stand in the templates already', async () => {
    expect((await checkInfra({ ...sources, layers })).findings).toEqual([])
  })

  afterAll(() => console.log(`planted mistakes found: ${found} of ${MISTAKES.length}`))
})
