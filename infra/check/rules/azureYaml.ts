// Checks azure.yaml against its published schema. No key may be beside those of the schema, because azd ignores a misspelt hook without a message.
import { Ajv2019, type ErrorObject, type ValidateFunction } from 'ajv/dist/2019.js'
import { isNode, LineCounter, parseDocument } from 'yaml'
import type { Finding } from '../evaluate/session.ts'
import { finding } from './rule.ts'

const PATH = 'azure.yaml'
const RULE = 'azure-yaml'

/** Returns the findings about azure.yaml. `schema` is the published schema. */
export function checkAzureYaml(text: string, schema: unknown): readonly Finding[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const [wrong] = document.errors
  if (wrong !== undefined) return [finding(RULE, { file: PATH, line: wrong.linePos?.[0].line ?? 1 }, wrong.message)]
  const lineOf = (path: readonly string[]): number => {
    const node = path.length === 0 ? document.contents : document.getIn(path, true)
    return isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1
  }
  const validate = validatorOf(schema)
  validate(document.toJS())
  return (validate.errors ?? []).map((error) => {
    const path = error.instancePath.split('/').slice(1)
    return finding(RULE, { file: PATH, line: lineOf(path) }, `${path.join('.') || 'the file'}: ${sentence(error)}`)
  })
}

const validators = new Map<unknown, ValidateFunction>()

/** Returns the compiled schema, from a cache: compiling takes far longer than validating. */
function validatorOf(schema: unknown): ValidateFunction {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const made = new Ajv2019({ allErrors: true, strict: false, validateFormats: false }).compile(closed(schema))
  validators.set(schema, made)
  return made
}

function sentence({ message, params }: ErrorObject): string {
  const key: unknown = params['additionalProperty']
  if (typeof key === 'string') return `there is no key "${key}"`
  const values: unknown = params['allowedValues']
  return `${message ?? 'is wrong'}${Array.isArray(values) ? `: ${values.join(', ')}` : ''}`
}

/** Returns the schema with `additionalProperties: false` for every object that lists its properties. */
function closed(schema: unknown): object {
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node !== 'object' || node === null) return node
    const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, walk(value)]))
    return 'properties' in copy && copy['additionalProperties'] === true ? { ...copy, additionalProperties: false } : copy
  }
  const result = walk(schema)
  return typeof result === 'object' && result !== null ? result : {}
}
