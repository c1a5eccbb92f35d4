// Rules of Azure's linter, and warnings of its compiler, that look at several declarations. The linter (0.49) and its source are the reference:
// github.com/Azure/bicep, src/Bicep.Core/Analyzers/Linter/Rules, read in November 2026.
import { besides } from '../evaluate/session.ts'
import type { BicepFile, Declaration, Expression, ModuleDeclaration, ParameterDeclaration, ResourceDeclaration } from '../parse/syntax.ts'
import { plainText } from '../parse/syntax.ts'
import { namesIn } from '../parse/walk.ts'
import type { TypeIndex } from '../types/typeIndex.ts'
import { lateIn, needing, withBody } from './atStart.ts'
import { type Checked, finding, type Rule } from './rule.ts'

type Files = Checked['files']
type Given = { readonly module: ModuleDeclaration; readonly inner: BicepFile; readonly name: string; readonly value: Expression }

/** Returns each parameter that a file gives to a module. */
function givenIn(file: BicepFile, files: Files): readonly Given[] {
  return file.declarations.flatMap((module) => {
    if (module.kind !== 'module') return []
    const inner = files.find(({ path }) => path === besides(file.path, module.path))
    const given = bodyOf(module.body)?.properties.find(({ key }) => plainText(key) === 'params')?.value
    if (inner === undefined || given?.kind !== 'object') return []
    return given.properties.flatMap(({ key, value }) => ({ module, inner, name: plainText(key) ?? '', value }))
  })
}

/** Returns the object that declares a resource or module, inside of its loop and condition. */
function bodyOf(body: Expression): Extract<Expression, { kind: 'object' }> | undefined {
  if (body.kind === 'for' || body.kind === 'if') return bodyOf(body.body)
  return body.kind === 'object' ? body : undefined
}

/** A name, a scope or a condition that comes from a module or a resource hides all resources of the module from what-if. */
export const whatIf: Rule = {
  name: 'what-if-short-circuiting',
  check: ({ files }) =>
    files.flatMap((file) =>
      givenIn(file, files).flatMap(({ module, inner, name, value }) =>
        lateIn(value, file) !== undefined && identifying(inner, files).has(name)
          ? [
              finding(
                'what-if-short-circuiting',
                value,
                `"${name}" is part of a name, scope or condition in module ${module.name}, and known only once something is deployed: pass what it is made of`,
              ),
            ]
          : [],
      ),
    ),
}

/** Returns the parameters of a file that are part of a name, a scope or a condition in it or in its modules. */
function identifying(file: BicepFile, files: Files): ReadonlySet<string> {
  const own = file.declarations.flatMap(withBody).flatMap(({ body }) =>
    needing(body)
      .filter(({ what }) => what !== 'the list of a loop')
      .flatMap(({ expression }) => [...parametersIn(expression, file, loopsAround(body))]),
  )
  const passed = givenIn(file, files)
    .filter(({ inner, name }) => identifying(inner, files).has(name))
    .flatMap(({ module, value }) => [...parametersIn(value, file, loopsAround(module.body))])
  return new Set([...own, ...passed])
}

/** Items of loops, each with the list that it comes from. */
type Loops = ReadonlyMap<string, Expression>

/** The index of a range is known before the deployment, also if the length of the range is not. */
function loopsAround(body: Expression): Loops {
  if (body.kind !== 'for' || (body.list.kind === 'call' && body.list.name === 'range')) return new Map()
  return new Map([[body.item, body.list]])
}

/** Returns the parameters that an expression uses, also by variables, items of loops, and names of resources. */
function parametersIn(expression: Expression, file: BicepFile, loops: Loops, seen: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  const found = namesIn(expression).flatMap(({ name }) => {
    if (seen.has(name)) return []
    const inner = new Set([...seen, name])
    const list = loops.get(name)
    if (list !== undefined) return [...parametersIn(list, file, new Map(), inner)]
    const declaration = file.declarations.find((each) => each.name === name)
    if (declaration?.kind === 'param') return [name]
    if (declaration?.kind === 'var') return [...parametersIn(declaration.value, file, loops, inner)]
    if (declaration?.kind !== 'resource') return []
    return needing(declaration.body).flatMap((each) => [...parametersIn(each.expression, file, loopsAround(declaration.body), inner)])
  })
  return new Set(found)
}

/** Functions that give an id. */
const ID_FUNCTIONS: ReadonlySet<string> = new Set([
  'extensionResourceId',
  'guid',
  'if',
  'reference',
  'resourceId',
  'subscription',
  'subscriptionResourceId',
  'tenantResourceId',
])
/** Properties that end like an id and hold none. */
const NO_IDS = /^(appId|clientId|groupId|keyId|objectId|principalId|resource|subscriptionId|tags|tenantId|metadata)$/i

export const resourceIds: Rule = {
  name: 'use-resource-id-functions',
  check: ({ files }) =>
    files.flatMap((file) =>
      file.declarations.flatMap(resourcesIn).flatMap(({ body }) => {
        const properties = bodyOf(body)?.properties.find(({ key }) => plainText(key) === 'properties')?.value
        return (properties === undefined ? [] : idsIn(properties))
          .filter(({ value }) => isWithoutSource(value, file))
          .map(({ name, at }) =>
            finding(
              'use-resource-id-functions',
              at,
              `"${name}" is neither a parameter, nor the id of a resource, nor made by resourceId()`,
            ),
          )
      }),
    ),
}

const resourcesIn = (declaration: Declaration): readonly ResourceDeclaration[] =>
  withBody(declaration).filter((each) => each.kind === 'resource')

type IdProperty = { readonly name: string; readonly at: Expression; readonly value: Expression }

function idsIn(value: Expression): readonly IdProperty[] {
  if (value.kind === 'array') return value.items.flatMap(idsIn)
  if (value.kind === 'for') return idsIn(value.body)
  if (value.kind !== 'object') return []
  return value.properties.flatMap(({ key, value: inner }) => {
    const name = plainText(key) ?? ''
    if (NO_IDS.test(name)) return []
    return /id$/i.test(name) && !name.endsWith('uid') ? [{ name, at: key, value: inner }] : idsIn(inner)
  })
}

/** Reports whether a text is made by hand. The type of items and members is not known here, so they pass. */
function isWithoutSource(value: Expression, file: BicepFile): boolean {
  const declared = new Map(file.declarations.map((each) => [each.name, each]))
  if (namesIn(value).some(({ name }) => ['resource', 'module'].includes(declared.get(name)?.kind ?? ''))) return false
  if (value.kind === 'call') return !ID_FUNCTIONS.has(value.name)
  if (value.kind === 'text') return true
  const variable = value.kind === 'name' ? declared.get(value.name) : undefined
  return variable?.kind === 'var' && isWithoutSource(variable.value, file)
}

/** Decorators that bound a parameter, and the warning where the bound of the giver is wider. */
const BOUNDS = [
  { bound: 'minValue', code: 'BCP329', isWider: (from: number, to: number) => from < to },
  { bound: 'maxValue', code: 'BCP330', isWider: (from: number, to: number) => from > to },
  { bound: 'minLength', code: 'BCP334', isWider: (from: number, to: number) => from < to },
  { bound: 'maxLength', code: 'BCP335', isWider: (from: number, to: number) => from > to },
] as const

export const bounds: Rule = {
  name: 'bounds',
  check: ({ files }) =>
    files.flatMap((file) =>
      givenIn(file, files).flatMap(({ module, inner, name, value }) => {
        const from = value.kind === 'name' ? parameterOf(file, value.name) : undefined
        const to = parameterOf(inner, name)
        return BOUNDS.flatMap(({ bound, code, isWider }) => {
          const [given, taken] = [boundOf(from, bound), boundOf(to, bound)]
          return given !== undefined && taken !== undefined && isWider(given, taken)
            ? [finding(code, value, `"${name}" may have ${bound} ${given}, and module ${module.name} takes ${taken}: use min() or max()`)]
            : []
        })
      }),
    ),
}

const parameterOf = (file: BicepFile, name: string): ParameterDeclaration | undefined =>
  file.declarations.filter((each) => each.kind === 'param').find((each) => each.name === name)

function boundOf(parameter: ParameterDeclaration | undefined, bound: string): number | undefined {
  const [value] = parameter?.decorators.find(({ name }) => name === bound)?.given ?? []
  return value?.kind === 'literal' && typeof value.value === 'number' ? value.value : undefined
}

/** A type that is chosen by a name is not checked where the name is an item of a loop. */
export const chosenNames: Rule = {
  name: 'BCP225',
  check: ({ files, index }) =>
    index === undefined
      ? []
      : files.flatMap((file) =>
          file.declarations.flatMap((declaration) => (declaration.kind === 'resource' ? chosenIn(declaration, '', index) : [])),
        ),
}

function chosenIn(resource: ResourceDeclaration, parent: string, index: TypeIndex): ReturnType<Rule['check']> {
  const type = parent === '' ? resource.type : nestedType(parent, resource.type)
  const [name = '', version = ''] = type.split('@')
  const body = bodyOf(resource.body)
  const definition = index.find(name, version)?.body.type
  const chooser = definition?.$type === 'DiscriminatedObjectType' ? definition.discriminator : undefined
  const given = body?.properties.find(({ key }) => plainText(key) === chooser)
  const nested = body?.resources ?? []
  return [
    ...(given !== undefined && plainText(given.value) === undefined
      ? [finding('BCP225', given, `"${chooser}" chooses the type of ${name}, which is not checked unless it is written out`)]
      : []),
    ...nested.flatMap((each) => chosenIn(each, type, index)),
  ]
}

function nestedType(parent: string, own: string): string {
  const [type = '', version = ''] = parent.split('@')
  const [name = '', newer = version] = own.split('@')
  return `${type}/${name}@${newer}`
}
