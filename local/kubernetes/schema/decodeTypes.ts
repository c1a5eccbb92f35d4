import { isList, isObject, type Json } from '../object/json.ts'
import type { StructuralSchema } from './structuralSchema.ts'
import { childPath, memberSchema } from './validateValue.ts'

export interface TypeProblem {
  readonly path: string
  readonly want: string
  readonly got: string
}

/** Returns the first member whose JSON type differs from the type of its field. Nulls count as missing. */
export function wrongType(value: Json, schema: StructuralSchema, path: string, quantities: ReadonlySet<string>): TypeProblem | undefined {
  if (value === null || schema['x-kubernetes-preserve-unknown-fields'] === true) return undefined
  const got = jsonType(value)
  if (schema['x-kubernetes-int-or-string'] === true) {
    return INT_OR_STRING.has(got) ? undefined : { path, want: 'intstr.IntOrString', got }
  }
  if (schema.type !== undefined && got !== schema.type) {
    const isQuantity = got === 'number' && schema.type === 'string' && path.split('.').some((step) => quantities.has(step))
    return isQuantity ? undefined : { path, want: schema.type, got }
  }
  if (schema.format === 'micro-time') return isMicroTime(value) ? undefined : { path, want: 'v1.MicroTime', got }
  return firstInside(value, schema, path, quantities)
}

/** The server reads this form only: a time with six digits for the fraction of a second. */
const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$/

const INT_OR_STRING: ReadonlySet<string> = new Set(['number', 'string'])

function isMicroTime(value: Json): boolean {
  return typeof value === 'string' && MICRO_TIME.test(value)
}

function firstInside(value: Json, schema: StructuralSchema, path: string, quantities: ReadonlySet<string>): TypeProblem | undefined {
  const { items } = schema
  if (isList(value)) return items && firstOf(value, (item) => wrongType(item, items, path, quantities))
  if (!isObject(value)) return undefined
  return firstOf(Object.entries(value), ([key, member]) => {
    const known = memberSchema(schema, key)
    return known && member !== undefined ? wrongType(member, known, childPath(path, key), quantities) : undefined
  })
}

function firstOf<T>(values: readonly T[], problemOf: (value: T) => TypeProblem | undefined): TypeProblem | undefined {
  for (const value of values) {
    const problem = problemOf(value)
    if (problem) return problem
  }
  return undefined
}

function jsonType(value: Json): string {
  return isList(value) ? 'array' : typeof value
}
