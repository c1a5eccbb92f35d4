import { isList, isObject, type Json } from '../object/json.ts'
import type { StructuralSchema } from './structuralSchema.ts'
import { childPath, memberSchema } from './validateValue.ts'

export interface TypeProblem {
  readonly path: string
  readonly want: string
  readonly got: string
}

/** The first member whose JSON type is not the one its field has; nulls count as missing. */
export function wrongType(value: Json, schema: StructuralSchema, path: string, quantities: ReadonlySet<string>): TypeProblem | undefined {
  if (value === null || schema['x-kubernetes-preserve-unknown-fields'] === true) return undefined
  const got = jsonType(value)
  if (schema['x-kubernetes-int-or-string'] === true)
    return got === 'number' || got === 'string' ? undefined : { path, want: 'intstr.IntOrString', got }
  if (schema.type !== undefined && got !== schema.type) {
    const isQuantity = got === 'number' && schema.type === 'string' && path.split('.').some((step) => quantities.has(step))
    return isQuantity ? undefined : { path, want: schema.type, got }
  }
  if (isList(value)) {
    for (const item of value) {
      const problem = schema.items && wrongType(item, schema.items, path, quantities)
      if (problem) return problem
    }
  }
  if (!isObject(value)) return undefined
  for (const [key, member] of Object.entries(value)) {
    const known = memberSchema(schema, key)
    const problem = known && member !== undefined ? wrongType(member, known, childPath(path, key), quantities) : undefined
    if (problem) return problem
  }
  return undefined
}

function jsonType(value: Json): string {
  return isList(value) ? 'array' : typeof value
}
