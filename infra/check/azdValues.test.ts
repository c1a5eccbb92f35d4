import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AZD_VALUES, type ValueRow, WRITTEN_VALUES } from '../../cli/preflight/values/azdValues.ts'
import { valueProblems } from '../../cli/preflight/values/checkValues.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { variablesOf } from '../../scripts/rehearse/azdQuestions.ts'
import { createEvaluator } from './evaluate/evaluate.ts'
import { DEMO_SETS, MAIN_SETS } from './parameterSets.ts'
import type { Expression, ParameterDeclaration, TypeSyntax } from './parse/syntax.ts'
import { plainText } from './parse/syntax.ts'
import { parametersOf } from './rules/azd.ts'
import { repositorySources } from './sources.ts'
import { azdSends } from './testing/azdSends.ts'

const { readText } = repositorySources(repositoryRoot)
const evaluator = await createEvaluator(readText)
const types = evaluator.parse('infra/types.bicep').declarations
const rows: readonly (readonly [name: string, row: ValueRow])[] = Object.entries(AZD_VALUES)

/** The layers whose parameters people set. The events layer takes outputs only. */
const LAYERS = [
  { main: 'infra/main.bicep', base: MAIN_SETS[0]?.parameters ?? {} },
  { main: 'infra/demo.bicep', base: DEMO_SETS[1]?.parameters ?? {} },
]

type Parameter = {
  readonly main: string
  readonly name: string
  readonly variable: string
  readonly type: string
  readonly fallback: string | undefined
  readonly options: readonly string[]
  readonly bounds: { readonly [decorator: string]: number }
}

const literal = (each: Expression): string => plainText(each) ?? ('value' in each ? String(each.value) : each.kind)

/** Resolves the name of a type of `types.bicep`. */
function resolved(type: TypeSyntax): TypeSyntax {
  if (type.kind === 'nullable') return resolved(type.of)
  const named = type.kind === 'named' ? types.find((each) => each.kind === 'type' && each.name === type.name) : undefined
  return named?.kind === 'type' ? named.type : type
}

function parameterOf(main: string, variable: string, { name, type, fallback, decorators }: ParameterDeclaration): Parameter {
  const [is, allowed] = [resolved(type), decorators.find((each) => each.name === 'allowed')?.given[0]]
  const union = is.kind === 'union' ? is.options.flatMap((each) => (each.kind === 'literal' ? [String(each.value)] : [])) : []
  return {
    main,
    name,
    variable,
    type: is.kind === 'named' ? is.name : is.kind === 'union' ? 'string' : is.kind,
    fallback: fallback === undefined ? undefined : fallback.kind === 'object' ? '{}' : literal(fallback),
    options: allowed?.kind === 'array' ? allowed.items.map(literal) : union,
    bounds: Object.fromEntries(
      decorators.filter((each) => /^(min|max)/.test(each.name)).map((each) => [each.name, Number(each.given.map(literal)[0])]),
    ),
  }
}

const parameters: readonly Parameter[] = LAYERS.flatMap(({ main }) => {
  const variables = variablesOf(readText(main.replace(/\.bicep$/, '.parameters.json')))
  return parametersOf(evaluator.parse(main)).flatMap((each) => {
    const variable = variables.get(each.name) ?? ''
    return variable.startsWith('JOINER_') ? [parameterOf(main, variable, each)] : []
  })
})
const byPeople = parameters.filter(({ variable }) => !WRITTEN_VALUES.has(variable))
const rowOf = (name: string): ValueRow => new Map(rows).get(name) ?? expect.fail(`${name} has no row`)
/** The shim needs an audience where it shows a token of the tenant. */
const takes = (name: string, text: string): boolean => valueProblems({ JOINER_ENTRA_AUDIENCE: 'app', [name]: text }).length === 0

/** Texts that people and scripts set, beside those of each parameter. */
const STRANGE = [
  '',
  ' ',
  '0',
  '-1',
  '+5',
  ' 5',
  '05',
  '1.5',
  '1e3',
  '0x10',
  '9'.repeat(30),
  'x',
  'true',
  'on',
  'null',
  '[]',
  '{}',
  '{"a":1}',
  '{"a":"b"}',
  '{"a":null}',
  '"',
  'a"b',
  'a\\b',
  'a\nb',
  'a@b.c',
  '10.0.0.0/25',
  '10.0.0.0/26',
  '10.0.0.0',
  'none',
  '${HOME}',
  'x'.repeat(300),
]

describe('the table of values of azd', () => {
  it('has a row for each parameter that people set, and no row is sent nowhere', () => {
    expect(byPeople.length).toBeGreaterThan(20)
    const sent = rows.filter(([, { use }]) => use === 'sent').map(([name]) => name)
    expect([...new Set(byPeople.map(({ variable }) => variable))].sort()).toEqual(sent.sort())
  })

  it.each(byPeople)('knows the default of $variable, which is $fallback', ({ variable, fallback }) => {
    expect(rowOf(variable).fallback).toBe(fallback ?? 'null')
  })

  it.each(byPeople.filter(({ options }) => options.length > 0))('takes the choices of $variable and no other', ({ variable, options }) => {
    for (const option of options) expect(takes(variable, option), option).toBe(true)
    for (const other of STRANGE) expect(takes(variable, other), other).toBe(options.includes(other))
    for (const option of options) expect(takes(variable, `${option} `), `${option} with a space`).toBe(false)
  })

  it.each(byPeople.filter(({ type, options }) => type === 'int' && options.length === 0))(
    'takes the bounds of $variable and nothing beyond',
    ({ variable, bounds: { minValue = Number.NaN, maxValue = Number.NaN } }) => {
      const taken = [minValue - 1, minValue, maxValue, maxValue + 1].map((each) => takes(variable, String(each)))
      expect(taken).toEqual([false, true, true, false])
    },
  )

  it.each(byPeople)(
    'takes for $variable only what azd sends and the template takes',
    ({ main, name, variable, type, fallback, options, bounds }) => {
      const edges = Object.values(bounds).flatMap((bound) => [String(bound), 'n'.repeat(bound), 'n'.repeat(bound + 1)])
      const taken = [...STRANGE, ...options, ...edges].filter((text) => takes(variable, text))
      for (const text of taken) {
        const sent = azdSends({ type, fallback }, text)
        if (text === '') expect(sent, `${variable} is empty`).toBe('left out')
        if (text === '' || typeof sent === 'string') {
          expect([text, sent]).toEqual(['', 'left out'])
          continue
        }
        const given = { ...LAYERS.find((each) => each.main === main)?.base, [name]: sent.value }
        expect(evaluator.evaluate(main, given).findings, `${variable}=${text}`).toEqual([])
      }
      expect(taken.length).toBeLessThan(STRANGE.length)
    },
  )

  it('names what hooks and templates write, and nothing else is written', () => {
    const outputs = ['infra/main.bicep', 'infra/demo.bicep', 'infra/roles.bicep', 'infra/events.bicep'].flatMap((main) =>
      evaluator.parse(main).declarations.flatMap((each) => (each.kind === 'output' && each.name.startsWith('JOINER_') ? [each.name] : [])),
    )
    const hooks = [...(readText('infra/hooks/runPreprovision.ts') ?? '').matchAll(/^ {4}(?:\.\.\.\(.*\{ )?(JOINER_\w+):/gm)].flatMap(
      ([, name]) => name ?? [],
    )
    expect(hooks.length).toBeGreaterThan(2)
    expect([...WRITTEN_VALUES].sort()).toEqual([...new Set([...outputs, ...hooks])].sort())
    expect(rows.filter(([name]) => WRITTEN_VALUES.has(name))).toEqual([])
  })

  it('knows every value that a command or a hook reads', () => {
    const files = ['cli', 'infra/hooks'].flatMap((folder) =>
      readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|testing\//.test(file))
        .map((file) => join(folder, file)),
    )
    const read = files.flatMap((file) => readFileSync(join(repositoryRoot, file), 'utf8').match(/\bJOINER_[A-Z_]+[A-Z]\b/g) ?? [])
    const known = new Set([...rows.map(([name]) => name), ...WRITTEN_VALUES, 'JOINER_CLUSTERS'])
    expect([...new Set(read)].filter((name) => !known.has(name))).toEqual([])
  })

  it('has the values that pages tell people to set, and the pages have all of them', () => {
    const pages = ['install.md', 'uninstall.md'].map((page) => readText(`docs/${page}`) ?? '').join('\n')
    const told = [...pages.matchAll(/^\| (?:`\w+` \| )?`(JOINER_\w+)` \|/gm)].flatMap(([, name = '']) =>
      WRITTEN_VALUES.has(name) ? [] : [name],
    )
    expect(told.sort()).toEqual(rows.map(([name]) => name).sort())
  })

  it('is not left behind by its own defaults', () => {
    for (const [name, { use, fallback = '' }] of rows) if (use === 'sent') expect(takes(name, fallback), `${name}=${fallback}`).toBe(true)
  })
})
