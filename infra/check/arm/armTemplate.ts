// What azd reads of a template: its parameters, the types they refer to, its outputs, and the types of its resources, in the form in which Bicep prints
// them. It does not say what the resources are: `metadata.joiner` names the file instead, and the local ARM evaluates that.
import type { Evaluator } from '../evaluate/evaluate.ts'
import { besides } from '../evaluate/session.ts'
import type { Json } from '../evaluate/value.ts'
import {
  type BicepFile,
  type Decorator,
  type Expression,
  plainText,
  Refusal,
  type TypeDeclaration,
  type TypeSyntax,
} from '../parse/syntax.ts'

export type JsonObject = { readonly [name: string]: Json }

const SCHEMAS: { readonly [scope: string]: string } = {
  subscription: 'https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#',
  resourceGroup: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
}
const BUILT_IN: ReadonlySet<string> = new Set(['string', 'int', 'bool', 'object', 'array'])
/** The members of a declaration that decorators with one argument give. */
const BOUNDS: { readonly [decorator: string]: string } = {
  minLength: 'minLength',
  maxLength: 'maxLength',
  minValue: 'minValue',
  maxValue: 'maxValue',
  allowed: 'allowedValues',
}

/** Returns the template of `main`. `digest` stands for all of its source: azd compares it to see whether a template has changed. Throws `Refusal`. */
export function armTemplate({ parse }: Pick<Evaluator, 'parse'>, main: string, digest: string): JsonObject {
  const file = parse(main)
  const definitions = definitionsOf(parse, file)
  const parameters = file.declarations.flatMap((each) => {
    if (each.kind !== 'param') return []
    const fallback = each.fallback === undefined ? {} : { defaultValue: printed(each.fallback) }
    return [[each.name, { ...declared(each.type, each.decorators), ...fallback }] as const]
  })
  const outputs = file.declarations.flatMap((each) =>
    each.kind === 'output' ? [[each.name, declared(each.type, each.decorators)] as const] : [],
  )
  const schema = SCHEMAS[file.targetScope]
  if (schema === undefined) throw new Refusal({ file: main, line: 1 }, `the scope ${file.targetScope} is not supported`)
  return {
    $schema: schema,
    languageVersion: '2.0',
    contentVersion: '1.0.0.0',
    metadata: { _generator: { name: 'joiner', templateHash: digest }, joiner: { source: main } },
    ...(definitions.length === 0 ? {} : { definitions: Object.fromEntries(definitions) }),
    parameters: Object.fromEntries(parameters),
    resources: resourcesOf(file),
    ...(outputs.length === 0 ? {} : { outputs: Object.fromEntries(outputs) }),
  }
}

/** Returns the types of the file, and those that it imports, with the file that they are from. */
function definitionsOf(parse: Evaluator['parse'], file: BicepFile): readonly (readonly [string, JsonObject])[] {
  const own = typesOf(file).map((each) => [each.name, declared(each.type, each.decorators)] as const)
  const imported = file.imports.flatMap(({ path, names }) =>
    typesOf(parse(besides(file.path, path))).flatMap((each) => {
      const named = names.find(({ name }) => name === each.name)
      if (named === undefined) return []
      const { metadata, ...rest } = declared(each.type, each.decorators)
      const from = { '__bicep_imported_from!': { sourceTemplate: path } }
      return [[named.alias, { ...rest, metadata: { ...(isObject(metadata) ? metadata : {}), ...from } }] as const]
    }),
  )
  return [...own, ...imported]
}

/** A module is a deployment in a deployment, which is what Bicep makes of it. */
function resourcesOf({ declarations }: BicepFile): JsonObject {
  return Object.fromEntries(
    declarations.flatMap((each) => {
      if (each.kind === 'module') return [[each.name, { type: 'Microsoft.Resources/deployments', apiVersion: '2025-04-01' }] as const]
      if (each.kind !== 'resource') return []
      const [type = '', apiVersion = ''] = each.type.split('@')
      return [[each.name, { ...(each.isExisting ? { existing: true } : {}), type, apiVersion }] as const]
    }),
  )
}

const typesOf = ({ declarations }: BicepFile): readonly TypeDeclaration[] => declarations.filter((each) => each.kind === 'type')

/** Returns a type with what its decorators say. */
function declared(type: TypeSyntax, decorators: readonly Decorator[]): JsonObject {
  let [said, metadata]: [JsonObject, JsonObject] = [typeOf(type), {}]
  for (const { name, given, ...place } of decorators) {
    const [first] = given
    const value = first === undefined ? true : printed(first)
    const bound = BOUNDS[name]
    if (bound !== undefined) said = { ...said, [bound]: value }
    else if (name === 'description') metadata = { ...metadata, description: value }
    else if (name === 'metadata' && isObject(value)) metadata = { ...metadata, ...value }
    else if (name === 'secure') said = { ...said, type: said['type'] === 'object' ? 'secureObject' : 'securestring' }
    else if (name !== 'export') throw new Refusal(place, `the decorator ${name} is not supported`)
  }
  return Object.keys(metadata).length === 0 ? said : { ...said, metadata }
}

function typeOf(type: TypeSyntax): JsonObject {
  switch (type.kind) {
    case 'named':
      return BUILT_IN.has(type.name) ? { type: type.name } : { $ref: `#/definitions/${type.name}` }
    case 'nullable':
      return { ...typeOf(type.of), nullable: true }
    case 'array':
      return { type: 'array', items: typeOf(type.of) }
    case 'literal':
      return { type: typeName(type.value), allowedValues: [type.value] }
    case 'union': {
      const values = type.options.map((each) => {
        if (each.kind !== 'literal') throw new Refusal(each, 'a union of other things than literals is not supported')
        return each.value
      })
      return { type: typeName(values[0] ?? null), allowedValues: values.sort(inOrderOfText) }
    }
    case 'object': {
      const properties = Object.fromEntries(type.properties.map((each) => [each.name, declared(each.type, each.decorators)]))
      return { type: 'object', properties, ...(type.others === undefined ? {} : { additionalProperties: typeOf(type.others) }) }
    }
  }
}

/** Bicep prints the options of a union in this order. */
const inOrderOfText = (left: unknown, right: unknown): number => (String(left) < String(right) ? -1 : 1)

function typeName(value: string | number | boolean | null): string {
  if (typeof value === 'string') return 'string'
  return typeof value === 'number' ? 'int' : 'bool'
}

/** Prints a value that is plain, or a call of a function with plain arguments, such as `utcNow('yyyy-MM-01')`. */
function printed(expression: Expression): Json {
  if (expression.kind === 'call' && expression.on === undefined) return `[${callText(expression)}]`
  return literal(expression)
}

function callText({ name, given }: Extract<Expression, { kind: 'call' }>): string {
  const texts = given.map((each) => {
    const value = literal(each)
    return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : JSON.stringify(value)
  })
  return `${name}(${texts.join(', ')})`
}

function literal(expression: Expression): Json {
  if (expression.kind === 'literal') return expression.value
  if (expression.kind === 'array') return expression.items.map(literal)
  if (expression.kind === 'object') return Object.fromEntries(expression.properties.map(({ key, value }) => [keyOf(key), literal(value)]))
  if (expression.kind === 'unary' && expression.operator === '-') return -Number(literal(expression.of))
  const text = plainText(expression)
  // A text that begins with a bracket is an expression to ARM, unless the bracket is doubled.
  if (text !== undefined) return text.startsWith('[') ? `[${text}` : text
  throw new Refusal(expression, 'a default that is computed is not supported')
}

function keyOf(key: Expression): string {
  const text = key.kind === 'name' ? key.name : plainText(key)
  if (text === undefined) throw new Refusal(key, 'a key that is computed is not supported')
  return text
}

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
