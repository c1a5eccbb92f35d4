import { ownValue, setOwnValue } from '../../../shared/base/values.ts'
import { isList, isObject, type Json, type JsonObject } from '../object/json.ts'
import type { StructuralSchema } from './structuralSchema.ts'

interface Pruned {
  readonly value: JsonObject
  /** Paths of the members that are not in the schema, as error messages write them. */
  readonly unknown: readonly string[]
}

const OBJECT_MEMBERS = new Set(['apiVersion', 'kind', 'metadata'])

/** Drops members that are not in the schema. The root and embedded resources keep apiVersion, kind and metadata. */
export function pruneRoot(value: JsonObject, schema: StructuralSchema): Pruned {
  const unknown: string[] = []
  const pruned = pruneObject(value, schema, { path: '', unknown, resource: true })
  return { value: pruned, unknown }
}

interface Place {
  readonly path: string
  readonly unknown: string[]
  readonly resource: boolean
}

function prune(value: Json, schema: StructuralSchema, place: Omit<Place, 'resource'>): Json {
  if (isList(value)) {
    const { items } = schema
    return items ? value.map((item, index) => prune(item, items, { ...place, path: `${place.path}[${index}]` })) : value
  }
  if (!isObject(value)) return value
  return pruneObject(value, schema, { ...place, resource: schema['x-kubernetes-embedded-resource'] === true })
}

function pruneObject(value: JsonObject, schema: StructuralSchema, place: Place): JsonObject {
  const kept: Record<string, Json | undefined> = {}
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue
    if (place.resource && OBJECT_MEMBERS.has(key)) {
      setOwnValue(kept, key, member)
      continue
    }
    const path = place.path === '' ? key : `${place.path}.${key}`
    const known =
      ownValue(schema.properties, key) ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined)
    if (known) setOwnValue(kept, key, prune(member, known, { path, unknown: place.unknown }))
    else if (keepsUnknown || schema.additionalProperties === true) setOwnValue(kept, key, member)
    else place.unknown.push(path)
  }
  return kept
}
