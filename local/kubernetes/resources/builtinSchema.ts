import type { StructuralSchema } from '../schema/structuralSchema.ts'
import fields from './builtinFields.json' with { type: 'json' }
import { withSharing } from './sharedLists.ts'

/**
 * Type name → field → type, as the JavaScript client tells them about itself (`getAttributeTypeMap`): names and types, no
 * descriptions. Made from the installed client by `vitest run local/kubernetes/resources/builtinFields.test.ts --update`.
 */
const TYPES = new Map<string, { readonly [field: string]: string }>(Object.entries(fields))

/** What a kind is called among the field tables; two kinds bear their group to be told apart. */
export function modelName(kind: string, version: string): string {
  const prefix = version.charAt(0).toUpperCase() + version.slice(1)
  return kind === 'Event' ? 'CoreV1Event' : `${prefix}${kind}`
}

/** The fields of every object's metadata. */
export function metadataSchema(): StructuralSchema {
  return schemaOf('V1ObjectMeta')
}

/** The fields of a type and their types; undefined when nobody wrote them down. */
export function fieldsOfType(name: string): { readonly [field: string]: string } | undefined {
  return TYPES.get(name)
}

/** Members whose texts are quantities: a number is as good as a text there. */
export const QUANTITY_MEMBERS = new Set(
  'limits requests capacity allocatable podFixed overhead allocatedResources sizeLimit divisor min max hard used'.split(' '),
)

const made = new Map<string, StructuralSchema>()

/** The fields of a built-in kind as a schema; undefined when nobody wrote them down. */
export function builtinSchema(kind: string, version: string): StructuralSchema | undefined {
  const name = modelName(kind, version)
  return TYPES.has(name) ? schemaOf(name) : undefined
}

const ANY: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true }
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
    case 'V1MicroTime':
      return { type: 'string' }
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
  // Types may hold themselves: the table is filled before its members are.
  const properties: Record<string, StructuralSchema> = {}
  const schema: StructuralSchema = { type: 'object', properties }
  made.set(name, schema)
  for (const [field, fieldType] of Object.entries(type)) properties[field] = withSharing(field, fieldType, schemaOf(fieldType))
  return schema
}
