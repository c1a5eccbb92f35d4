import { ownValue, setOwnValue } from '../../../shared/base/values.ts'
import { isList, isObject, type Json, type JsonObject } from '../object/json.ts'
import type { StructuralSchema } from './structuralSchema.ts'
import { memberSchema } from './validateValue.ts'

/** Adds the defaults of the schema where no value is written. A null counts as no value if the schema does not allow null. */
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
  const result: Record<string, Json | undefined> = {}
  for (const [key, found] of Object.entries(value)) {
    const known = memberSchema(schema, key)
    const dropped = found === undefined || (found === null && known !== undefined && known.nullable !== true)
    if (!dropped) setOwnValue(result, key, known ? applyDefaults(found, known) : found)
  }
  for (const [key, member] of Object.entries(schema.properties ?? {})) {
    if (ownValue(result, key) === undefined && member.default !== undefined) setOwnValue(result, key, applyDefaults(member.default, member))
  }
  const keys = new Set([...Object.keys(value), ...Object.keys(result)])
  return [...keys].every((key) => ownValue(result, key) === ownValue(value, key)) ? value : result
}
