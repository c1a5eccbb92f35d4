import { ownValue } from '../../../shared/base/values.ts'
import { isObject, type Json } from '../object/json.ts'
import { duplicate, type FieldError } from './fieldError.ts'
import type { StructuralSchema } from './structuralSchema.ts'

/** Checks that no item of a set and no key of a map list occurs twice. */
export function listTypeErrors(schema: StructuralSchema, value: readonly Json[], path: string): FieldError[] {
  const type = schema['x-kubernetes-list-type']
  if (type === 'set') return repeated(value, path, (item) => item)
  const keys = schema['x-kubernetes-list-map-keys']
  if (type !== 'map' || !keys) return []
  return repeated(value, path, (item) => Object.fromEntries(keys.map((key) => [key, isObject(item) ? ownValue(item, key) : undefined])))
}

function repeated(value: readonly Json[], path: string, idOf: (item: Json) => Json): FieldError[] {
  const seen = new Set<string>()
  return value.flatMap((item, index) => {
    const id = idOf(item)
    const text = JSON.stringify(id)
    const again = seen.has(text)
    seen.add(text)
    return again ? [duplicate(`${path}[${index}]`, id)] : []
  })
}
