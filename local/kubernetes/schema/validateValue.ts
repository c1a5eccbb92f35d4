import { isList, isObject, type Json, type JsonObject, sameJson } from '../object/json.ts'
import { type FieldError, invalid, invalidText, notSupported, printed, required, tooLong, tooMany, typeInvalid } from './fieldError.ts'
import { formatProblem } from './formats.ts'
import { listTypeErrors } from './listTypes.ts'
import type { StructuralSchema } from './structuralSchema.ts'

/** A value to check and what stood in its place before: what did not change is not checked again. */
export interface Checked {
  readonly value: Json
  readonly old: Json | undefined
  readonly path: string
}

/** The errors of a value by its schema, in the words of the API server. */
export function validateValue(schema: StructuralSchema, { value, old, path }: Checked): FieldError[] {
  if (old !== undefined && sameJson(value, old)) return []
  const mismatch = typeProblem(schema, value, path)
  if (mismatch) return [mismatch]
  if (value === null) return []
  return [
    ...enumErrors(schema, value, path),
    ...(typeof value === 'string' ? textErrors(schema, value, path) : []),
    ...(typeof value === 'number' ? numberErrors(schema, value, path) : []),
    ...(isList(value) ? listErrors(schema, value, old, path) : []),
    ...(isObject(value) ? objectErrors(schema, value, old, path) : []),
    ...combinedErrors(schema, value, path),
  ]
}

export function childPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

export function itemPath(path: string, index: number): string {
  return `${path}[${index}]`
}

function typeProblem(schema: StructuralSchema, value: Json, path: string): FieldError | undefined {
  if (value === null) {
    if (schema.nullable === true || (schema.type === undefined && schema['x-kubernetes-int-or-string'] !== true)) return undefined
    return typeInvalid(path, null, `${path} in body must be of type ${schema.type ?? 'integer,string'}: "null"`)
  }
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (typeof value === 'string' || Number.isInteger(value)) return undefined
    return typeInvalid(path, value, `${path} in body must be of type integer,string: ${JSON.stringify(jsonType(value))}`)
  }
  if (schema.type === undefined) return undefined
  const found = jsonType(value)
  if (found === schema.type || (schema.type === 'number' && found === 'integer')) return undefined
  return {
    ...typeInvalid(path, null, ''),
    body: `Invalid value: ${JSON.stringify(found)}: ${path} in body must be of type ${schema.type}: ${JSON.stringify(found)}`,
  }
}

function jsonType(value: Json): string {
  if (value === null) return 'null'
  if (isList(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function enumErrors(schema: StructuralSchema, value: Json, path: string): FieldError[] {
  if (!schema.enum || schema.enum.some((allowed) => sameJson(allowed, value))) return []
  return [
    notSupported(
      path,
      value,
      schema.enum.map((allowed) => (typeof allowed === 'string' ? allowed : JSON.stringify(allowed))),
    ),
  ]
}

function textErrors(schema: StructuralSchema, value: string, path: string): FieldError[] {
  const errors: FieldError[] = []
  const length = [...value].length
  if (schema.maxLength !== undefined && length > schema.maxLength)
    errors.push(tooLong(path, `may not be more than ${schema.maxLength} bytes`))
  if (schema.minLength !== undefined && length < schema.minLength)
    errors.push(invalid(path, value, `${path} in body should be at least ${schema.minLength} chars long`))
  if (schema.pattern !== undefined && !matches(schema.pattern, value))
    errors.push(invalid(path, value, `${path} in body should match '${schema.pattern}'`))
  const format = schema.format === undefined ? undefined : formatProblem(schema.format, value)
  if (format) errors.push(invalid(path, value, `${path} in body must be of type ${schema.format}: ${printed(value)}`))
  return errors
}

const patterns = new Map<string, RegExp>()

function matches(pattern: string, value: string): boolean {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u')
  patterns.set(pattern, known)
  return known.test(value)
}

function numberErrors(schema: StructuralSchema, value: number, path: string): FieldError[] {
  const { minimum, maximum, multipleOf } = schema
  const errors: FieldError[] = []
  const say = (words: string): FieldError => invalid(path, value, `${path} in body should be ${words}`)
  if (minimum !== undefined && value < minimum) errors.push(say(`greater than or equal to ${minimum}`))
  else if (minimum !== undefined && schema.exclusiveMinimum === true && value === minimum) errors.push(say(`greater than ${minimum}`))
  if (maximum !== undefined && value > maximum) errors.push(say(`less than or equal to ${maximum}`))
  else if (maximum !== undefined && schema.exclusiveMaximum === true && value === maximum) errors.push(say(`less than ${maximum}`))
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) errors.push(say(`a multiple of ${multipleOf}`))
  if (schema.format === 'int32' && (value > 2147483647 || value < -2147483648))
    errors.push(invalid(path, value, `${path} in body must be of type int32: ${printed(value)}`))
  return errors
}

function listErrors(schema: StructuralSchema, value: readonly Json[], old: Json | undefined, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (schema.maxItems !== undefined && value.length > schema.maxItems) errors.push(tooMany(path, value.length, schema.maxItems))
  if (schema.minItems !== undefined && value.length < schema.minItems)
    errors.push(invalid(path, value.length, `${path} in body should have at least ${schema.minItems} items`))
  const { items } = schema
  const oldOf = correlate(schema, old)
  if (items)
    errors.push(...value.flatMap((item, index) => validateValue(items, { value: item, old: oldOf(item), path: itemPath(path, index) })))
  return [...errors, ...listTypeErrors(schema, value, path)]
}

/** Only items of a list keyed like a map can be told apart from one version to the next. */
export function correlate(schema: StructuralSchema, old: Json | undefined): (item: Json) => Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys']
  if (schema['x-kubernetes-list-type'] !== 'map' || !keys || !isList(old)) return () => undefined
  const idOf = (item: Json): string => JSON.stringify(keys.map((key) => (isObject(item) ? (item[key] ?? null) : null)))
  const known = new Map(old.map((item) => [idOf(item), item]))
  return (item) => known.get(idOf(item))
}

function objectErrors(schema: StructuralSchema, value: JsonObject, old: Json | undefined, path: string): FieldError[] {
  const errors: FieldError[] = []
  const before = isObject(old) ? old : undefined
  const count = Object.values(value).filter((member) => member !== undefined).length
  if (schema.maxProperties !== undefined && count > schema.maxProperties) errors.push(tooMany(path, count, schema.maxProperties))
  if (schema.minProperties !== undefined && count < schema.minProperties)
    errors.push(invalid(path, count, `${path} in body should have at least ${schema.minProperties} properties`))
  for (const name of schema.required ?? []) if (value[name] === undefined) errors.push(required(childPath(path, name)))
  for (const [key, member] of Object.entries(value)) {
    const known = schema.properties?.[key] ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined)
    if (known && member !== undefined)
      errors.push(...validateValue(known, { value: member, old: before?.[key], path: childPath(path, key) }))
  }
  return errors
}

function combinedErrors(schema: StructuralSchema, value: Json, path: string): FieldError[] {
  const errors: FieldError[] = []
  const passes = (candidate: StructuralSchema): boolean => validateValue(candidate, { value, old: undefined, path }).length === 0
  // Only one of int-or-string's two types can match; the type itself has been checked.
  const intOrString = schema['x-kubernetes-int-or-string'] === true
  if (schema.anyOf && !intOrString && !schema.anyOf.some(passes))
    errors.push(combined(path, value, 'must validate at least one schema (anyOf)'))
  if (schema.oneOf && schema.oneOf.filter(passes).length !== 1)
    errors.push(combined(path, value, 'must validate one and only one schema (oneOf). Found none valid'))
  if (schema.not && passes(schema.not)) errors.push(combined(path, value, 'must not validate the schema (not)'))
  for (const each of schema.allOf ?? []) errors.push(...validateValue(each, { value, old: undefined, path }))
  return errors
}

function combined(path: string, value: Json, words: string): FieldError {
  return invalidText(path, isObject(value) || isList(value) ? '""' : printed(value), `"${path}" ${words}`)
}
