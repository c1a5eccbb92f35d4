import { ownValue, setOwnValue } from '../../../shared/base/values.ts'
import { isList, isObject, type Json } from '../object/json.ts'
import type { StructuralSchema } from './structuralSchema.ts'

// Words that CEL reserves. A field of such a name has an escaped name in rules.
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
)

/** Returns a value as a rule sees it: integers and doubles are distinct, and reserved names are escaped. */
export function toCel(schema: StructuralSchema, value: Json): unknown {
  if (typeof value === 'number') return Number.isInteger(value) && schema.type !== 'number' ? BigInt(value) : value
  if (isList(value)) return value.map((item) => toCel(schema.items ?? {}, item))
  if (!isObject(value)) return value
  const isMap = schema.properties === undefined
  const members: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue
    const known = ownValue(schema.properties, key) ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {})
    setOwnValue(members, isMap ? key : escapeField(key), toCel(known, member))
  }
  return members
}

function escapeField(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`
  return name.replaceAll('__', '__underscores__').replaceAll('.', '__dot__').replaceAll('-', '__dash__').replaceAll('/', '__slash__')
}
