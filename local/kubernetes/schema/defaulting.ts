import { isList, isObject, type Json, type JsonObject } from '../object/json.ts'
import type { StructuralSchema } from './structuralSchema.ts'

/** Puts the schema's defaults where nothing is written; a null where none is allowed counts as nothing. */
export function applyDefaults(value: Json, schema: StructuralSchema): Json {
  if (isList(value)) {
    const { items } = schema
    return items
      ? keepSame(
          value,
          value.map((item) => applyDefaults(item, items)),
        )
      : value
  }
  return isObject(value) ? defaultObject(value, schema) : value
}

function keepSame(before: readonly Json[], after: readonly Json[]): readonly Json[] {
  return after.every((item, index) => item === before[index]) ? before : after
}

function defaultObject(value: JsonObject, schema: StructuralSchema): JsonObject {
  const changes: Record<string, Json | undefined> = {}
  const removed: string[] = []
  for (const [key, member] of Object.entries(schema.properties ?? {})) {
    const found = value[key]
    const missing = found === undefined || (found === null && member.nullable !== true)
    if (!missing) {
      const next = applyDefaults(found, member)
      if (next !== found) changes[key] = next
    } else if (member.default !== undefined) changes[key] = applyDefaults(member.default, member)
    else if (found === null) removed.push(key)
  }
  const { additionalProperties } = schema
  if (typeof additionalProperties === 'object') {
    for (const [key, found] of Object.entries(value)) {
      if (found === undefined || schema.properties?.[key]) continue
      const next = applyDefaults(found, additionalProperties)
      if (next !== found) changes[key] = next
    }
  }
  if (removed.length === 0 && Object.keys(changes).length === 0) return value
  const kept = Object.entries(value).filter(([key]) => !removed.includes(key))
  return { ...Object.fromEntries(kept), ...changes }
}
