import { setOwnValue } from '../../../shared/base/values.ts'
import type { StructuralSchema } from '../schema/structuralSchema.ts'
import fields from './builtinFields.json' with { type: 'json' }
import { withSharing } from './sharedLists.ts'

/**
 * Types of the fields by type name and field name, from the JavaScript client (`getAttributeTypeMap`). It has names and types without descriptions.
 * Made from the installed client by `vitest run local/kubernetes/resources/builtinFields.test.ts --update`.
 */
const TYPES = new Map<string, { readonly [field: string]: string }>(Object.entries(fields))

/** Returns the name of a kind in the field tables. The name of the core Event holds its group, because there are two kinds Event. */
export function modelName(kind: string, version: string): string {
  const prefix = version.charAt(0).toUpperCase() + version.slice(1)
  return kind === 'Event' ? 'CoreV1Event' : `${prefix}${kind}`
}

/** Returns the schema of an object's metadata. */
export function metadataSchema(): StructuralSchema {
  return schemaOf('V1ObjectMeta')
}

/** Returns the types of a type's fields. Undefined if the tables do not have the type. */
export function fieldsOfType(name: string): { readonly [field: string]: string } | undefined {
  return TYPES.get(name)
}

/** Members whose values are quantities, where a number is as good as a string. */
export const QUANTITY_MEMBERS = new Set(
  'limits requests capacity allocatable podFixed overhead allocatedResources sizeLimit divisor min max hard used'.split(' '),
)

const made = new Map<string, StructuralSchema>()

/** Returns the schema of a built-in kind. Undefined if the tables do not have the kind. */
export function builtinSchema(kind: string, version: string): StructuralSchema | undefined {
  const name = modelName(kind, version)
  return TYPES.has(name) ? schemaOf(name) : undefined
}

const ANY: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true }
const MICRO_TIME: StructuralSchema = { type: 'string', format: 'micro-time' }
const INT_OR_STRING: StructuralSchema = { 'x-kubernetes-int-or-string': true }

function schemaOf(type: string): StructuralSchema {
  const list = /^Array<(.*)>$/.exec(type)?.[1]
  if (list !== undefined) return { type: 'array', items: schemaOf(list) }
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1]
  if (map !== undefined) return { type: 'object', additionalProperties: schemaOf(map) }
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return { type }
    case 'Date':
      return { type: 'string' }
    case 'V1MicroTime':
      return MICRO_TIME
    case 'IntOrString':
      return INT_OR_STRING
    default:
      return objectSchema(type)
  }
}

function objectSchema(name: string): StructuralSchema {
  const known = made.get(name)
  if (known) return known
  const type = TYPES.get(name)
  if (!type) return ANY
  // A type may contain itself, so the table is filled before the members are.
  const properties: Record<string, StructuralSchema> = {}
  const schema: StructuralSchema = { type: 'object', properties }
  made.set(name, schema)
  for (const [field, fieldType] of Object.entries(type)) setOwnValue(properties, field, withSharing(field, fieldType, schemaOf(fieldType)))
  return schema
}
