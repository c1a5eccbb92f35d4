import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { createEvaluator } from './evaluate/evaluate.ts'
import type { Json } from './evaluate/value.ts'
import { EVENTS_SETS, LAYERS, MAIN_SETS } from './parameterSets.ts'
import { type Decorator, type Expression, type ParameterDeclaration, plainText, type TypeSyntax } from './parse/syntax.ts'
import { repositorySources } from './sources.ts'

const { readText } = repositorySources(repositoryRoot)
const evaluator = await createEvaluator(readText)
const types = evaluator.parse('infra/types.bicep').declarations

function literals(type: TypeSyntax): readonly Json[] {
  if (type.kind === 'literal') return [type.value]
  if (type.kind === 'union') return type.options.flatMap(literals)
  const named = type.kind === 'named' ? types.find((each) => each.kind === 'type' && each.name === type.name) : undefined
  return named?.kind === 'type' ? literals(named.type) : []
}

const jsonOf = (expression: Expression | undefined): Json | undefined =>
  expression === undefined ? undefined : (plainText(expression) ?? (expression.kind === 'literal' ? expression.value : undefined))

/** Returns the values that a decorator lists, or the one value that it holds. */
function first({ given: [value] }: Decorator): readonly Json[] {
  const items = value?.kind === 'array' ? value.items : [value]
  return items.map(jsonOf).filter((each) => each !== undefined)
}

/** Returns what the sets must hold for a parameter: each value of a closed list, and each bound. */
function wanted({ type, decorators }: ParameterDeclaration): { readonly values: readonly Json[]; readonly lengths: readonly Json[] } {
  const of = (name: string): readonly Json[] => decorators.filter((each) => each.name === name).flatMap(first)
  return {
    values: [...literals(type), ...of('allowed'), ...of('minValue'), ...of('maxValue')],
    lengths: [...of('minLength'), ...of('maxLength')],
  }
}

const lengthOf = (value: Json | undefined): number | undefined =>
  typeof value === 'string' || Array.isArray(value) ? value.length : undefined
/** Parameters whose bounds only require a text, or limit the form of an address. */
const LENGTHS_OF_FORM = new Set(['location', 'addressPrefix', 'alertEmail', 'resourceGroupName'])

describe.each(LAYERS)('the sets of parameters of $main', ({ main, sets }) => {
  const parameters = evaluator.parse(main).declarations.filter((each) => each.kind === 'param')

  it.each(parameters.map((each) => [each.name, each] as const))('hold each value and each bound of %s', (name, declaration) => {
    const fallback = jsonOf(declaration.fallback)
    const values = sets.map((set) => set.parameters[name] ?? fallback)
    for (const value of wanted(declaration).values) expect(values, `no set has ${name} ${String(value)}`).toContain(value)
    if (LENGTHS_OF_FORM.has(name)) return
    for (const length of wanted(declaration).lengths)
      expect(values.map(lengthOf), `no set has ${name} of length ${String(length)}`).toContain(length)
  })

  it.each(parameters.map((each) => [each.name]))('hold another value of %s than its default, somewhere', (name) => {
    expect(sets.some((set) => set.parameters[name] !== undefined)).toBe(true)
  })
})

describe('wrong parameters are refused before anything is made', () => {
  const right = MAIN_SETS[0]?.parameters ?? {}
  const events = EVENTS_SETS[0]?.parameters ?? {}

  it.each<[string, { readonly [name: string]: Json }, string]>([
    ['a parameter that there is not', { colour: 'red' }, 'no parameter "colour"'],
    ['a value that is not allowed', { size: 'huge' }, 'size must be one of small, fast'],
    ['a network that there is not', { network: 'none' }, 'network must be one of "public", "vnet", "private"'],
    ['a size that no instance has', { instanceMemoryMB: 1024 }, 'instanceMemoryMB must be one of 512, 2048, 4096'],
    ['no name', { environmentName: '' }, 'at least 1 is needed'],
    ['a name that is too long', { environmentName: 'e'.repeat(41) }, 'at most 40 is allowed'],
    ['too few days', { retentionDays: 29 }, 'retentionDays is 29, and at least 30 is needed'],
    ['too many days', { retentionDays: 731 }, 'retentionDays is 731, and at most 730 is allowed'],
    ['a number as a text', { dailyCapGb: '1' }, 'dailyCapGb must be int, not string'],
    ['no cluster', { clusters: [] }, 'at least 1 is needed'],
    ['a cluster without an id', { clusters: [{ name: 'a' }] }, 'clusters[0].id is missing'],
    [
      'a cluster with a misspelt field',
      { clusters: [{ ...Object(MAIN_SETS[0]?.parameters['clusters'])[0], subnets: [] }] },
      'no property "subnets"',
    ],
    [
      'a cluster without subnets',
      { clusters: [{ ...Object(MAIN_SETS[0]?.parameters['clusters'])[0], subnetIds: [] }] },
      'subnetIds has a length of 0',
    ],
  ])('%s', (_, wrong, words) => {
    const { findings, resources } = evaluator.evaluate('infra/main.bicep', { ...right, ...wrong })
    expect(findings).toContainEqual(expect.objectContaining({ rule: 'parameters', message: expect.stringContaining(words) }))
    expect(resources).toEqual([])
  })

  it.each([
    ['subnets without the one of the app', { network: 'vnet', subnets: {} }, 'app'],
    ['subnets without the one of endpoints', { network: 'private', subnets: { app: 'x' } }, 'endpoints'],
  ])('%s', (_, wrong, name) => {
    const { findings } = evaluator.evaluate('infra/main.bicep', { ...right, ...wrong })
    expect(findings).toContainEqual(expect.objectContaining({ message: expect.stringContaining(`"${name}"`) }))
  })

  it.each(['environmentName', 'location', 'clusters'])('%s is missing', (name) => {
    const { findings } = evaluator.evaluate('infra/main.bicep', Object.fromEntries(Object.entries(right).filter(([each]) => each !== name)))
    expect(findings.map(({ message }) => message)).toContain(`the parameter "${name}" of infra/main.bicep is missing`)
  })

  it.each(Object.keys(events))('%s of the second layer is missing', (name) => {
    const { findings } = evaluator.evaluate(
      'infra/events.bicep',
      Object.fromEntries(Object.entries(events).filter(([each]) => each !== name)),
    )
    expect(findings.map(({ message }) => message)).toContain(`the parameter "${name}" of infra/events.bicep is missing`)
  })
})
