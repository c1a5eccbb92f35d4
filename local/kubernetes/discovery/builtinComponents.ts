import { setOwnValue } from '../../../shared/base/values.ts'
import type { JsonObject } from '../object/json.ts'
import { fieldsOfType, modelName } from '../resources/builtinSchema.ts'

export interface Components {
  readonly root: JsonObject
  /** Schemas of the inner types, by component name. */
  readonly inner: { readonly [name: string]: JsonObject }
}

/** The OpenAPI schemas of a built-in kind: its own fields, and a component for each type inside them. */
export function builtinComponents(kind: string, version: string): Components | undefined {
  const fields = fieldsOfType(modelName(kind, version))
  if (!fields) return undefined
  const inner: Record<string, JsonObject> = {}
  return { root: objectOf(fields, inner), inner }
}

function objectOf(fields: { readonly [field: string]: string }, inner: Record<string, JsonObject>): JsonObject {
  const properties = Object.entries(fields).map(([field, type]) => [field, schemaOf(type, inner)])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function schemaOf(type: string, inner: Record<string, JsonObject>): JsonObject {
  const list = /^Array<(.*)>$/.exec(type)?.[1]
  if (list !== undefined) return { type: 'array', items: schemaOf(list, inner) }
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1]
  if (map !== undefined) return { type: 'object', additionalProperties: schemaOf(map, inner) }
  switch (type) {
    case 'string':
    case 'boolean':
      return { type }
    case 'number':
      return { type: 'integer' }
    case 'Date':
    case 'V1MicroTime':
      return { type: 'string', format: 'date-time' }
    case 'IntOrString':
      return { type: 'string', format: 'int-or-string' }
    default:
      return referenceTo(type, inner)
  }
}

function referenceTo(type: string, inner: Record<string, JsonObject>): JsonObject {
  const name = `io.k8s.api.types.${type.replace(/^(?:[A-Z][a-z]+)?V1/, '')}`
  if (!Object.hasOwn(inner, name)) {
    const fields = fieldsOfType(type)
    // A type may contain itself, so its name is entered before its fields are followed.
    setOwnValue(inner, name, OPEN)
    if (fields) setOwnValue(inner, name, objectOf(fields, inner))
  }
  return { allOf: [{ $ref: `#/components/schemas/${name}` }], default: {} }
}

const OPEN: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
