import { ownValue } from '../../../shared/base/values.ts'
import { isList, isObject, type Json, type JsonObject, sameJson } from '../object/json.ts'
import { type FieldError, invalid, invalidText, notSupported, printed, required, tooLong, tooMany, typeInvalid } from './fieldError.ts'
import { formatProblem } from './formats.ts'
import { listTypeErrors } from './listTypes.ts'
import { re2Pattern } from './re2Pattern.ts'
import type { StructuralSchema } from './structuralSchema.ts'

/** A value to check and the old value in its place. A value that has not changed is not checked again. */
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
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true
  const wanted = isIntOrString ? 'integer,string' : schema.type
  if (wanted === undefined || (value === null && schema.nullable === true)) return undefined
  const found = jsonType(value)
  if (value === null) return typeInvalid(path, null, `${path} in body must be of type ${wanted}: "null"`)
  if (isIntOrString) {
    const fits = found === 'string' || found === 'integer'
    return fits ? undefined : typeInvalid(path, value, `${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`)
  }
  if (found === wanted || (wanted === 'number' && found === 'integer')) return undefined
  return typeInvalid(path, found, `${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`)
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
  const length = Array.from(value).length
  if (schema.maxLength !== undefined && length > schema.maxLength)
    errors.push(tooLong(path, `may not be more than ${schema.maxLength} bytes`))
  if (schema.minLength !== undefined && length < schema.minLength)
    errors.push(invalid(path, value, `${path} in body should be at least ${schema.minLength} chars long`))
  if (schema.pattern !== undefined && !re2Pattern(schema.pattern).test(value))
    errors.push(invalid(path, value, `${path} in body should match '${schema.pattern}'`))
  const format = schema.format === undefined ? undefined : formatProblem(schema.format, value)
  if (format) errors.push(invalid(path, value, `${path} in body must be of type ${schema.format}: ${printed(value)}`))
  return errors
}

function numberErrors(schema: StructuralSchema, value: number, path: string): FieldError[] {
  const say = (words: string): FieldError => invalid(path, value, `${path} in body should be ${words}`)
  const errors = boundErrors(schema, value).map(say)
  const { multipleOf } = schema
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) errors.push(say(`a multiple of ${multipleOf}`))
  if (schema.format === 'int32' && (value > 2147483647 || value < -2147483648))
    errors.push(invalid(path, value, `${path} in body must be of type int32: ${printed(value)}`))
  return errors
}

function boundErrors({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: StructuralSchema, value: number): string[] {
  const errors: string[] = []
  if (minimum !== undefined && value < minimum) errors.push(`greater than or equal to ${minimum}`)
  else if (exclusiveMinimum === true && value === minimum) errors.push(`greater than ${minimum}`)
  if (maximum !== undefined && value > maximum) errors.push(`less than or equal to ${maximum}`)
  else if (exclusiveMaximum === true && value === maximum) errors.push(`less than ${maximum}`)
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

/** Returns a function that finds the old version of an item. Only items of map lists can be found again. */
export function correlate(schema: StructuralSchema, old: Json | undefined): (item: Json) => Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys']
  if (schema['x-kubernetes-list-type'] !== 'map' || !keys || !isList(old)) return () => undefined
  const idOf = (item: Json): string => JSON.stringify(keys.map((key) => (isObject(item) ? (ownValue(item, key) ?? null) : null)))
  const known = new Map(old.map((item) => [idOf(item), item]))
  return (item) => known.get(idOf(item))
}

function objectErrors(schema: StructuralSchema, value: JsonObject, old: Json | undefined, path: string): FieldError[] {
  const before = isObject(old) ? old : undefined
  const missing = (schema.required ?? []).filter((name) => ownValue(value, name) === undefined)
  const members = Object.entries(value).flatMap(([key, member]) => {
    const known = memberSchema(schema, key)
    return known && member !== undefined
      ? validateValue(known, { value: member, old: ownValue(before, key), path: childPath(path, key) })
      : []
  })
  return [...countErrors(schema, value, path), ...missing.map((name) => required(childPath(path, name))), ...members]
}

/** Returns the schema of a member: its own, or the schema of additional properties. */
export function memberSchema(schema: StructuralSchema, key: string): StructuralSchema | undefined {
  const own = ownValue(schema.properties, key)
  if (own) return own
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

function countErrors({ minProperties, maxProperties }: StructuralSchema, value: JsonObject, path: string): FieldError[] {
  const count = Object.values(value).filter((member) => member !== undefined).length
  const errors: FieldError[] = []
  if (maxProperties !== undefined && count > maxProperties) errors.push(tooMany(path, count, maxProperties))
  if (minProperties !== undefined && count < minProperties)
    errors.push(invalid(path, count, `${path} in body should have at least ${minProperties} properties`))
  return errors
}

function combinedErrors(schema: StructuralSchema, value: Json, path: string): FieldError[] {
  const errors: FieldError[] = []
  const passes = (candidate: StructuralSchema): boolean => validateValue(candidate, { value, old: undefined, path }).length === 0
  // A value can match only one of the two types of int-or-string, and the type is checked already.
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
