// Checks whether Azure's answer holds what is read while a deployment runs.
import type { Open, Read } from '../evaluate/value.ts'
import { type AzureType, type Located, propertiesOf, type TypeIndex, WRITE_ONLY } from './typeIndex.ts'

/** Returns the type at the end of a path. Returns a sentence if the path does not exist. */
export function typeOfRead(read: Read, index: TypeIndex): Located | string {
  const definition = index.find(read.type, read.apiVersion)
  if (definition === undefined) return `${read.type}@${read.apiVersion} is no type that Azure knows`
  let at: Located = definition.body
  for (const [depth, key] of read.path.entries()) {
    const walked = read.path.slice(0, depth + 1).join('.')
    if (at.type.$type === 'AnyType') return at
    if (typeof key === 'number') {
      if (at.type.$type !== 'ArrayType') return `${walked} of ${read.type} is no array`
      at = at.resolve(at.type.itemType)
      continue
    }
    const property = propertiesOf(at).get(key)
    if (property !== undefined && (property.flags & WRITE_ONLY) !== 0) return `${walked} of ${read.type} can be written and not read`
    const others = at.type.$type === 'ObjectType' ? at.type.additionalProperties : undefined
    const next = property?.type ?? others
    if (next === undefined) return `${read.type} has no ${walked} in its answer`
    at = at.resolve(next)
  }
  return at
}

const KINDS: { readonly [type in AzureType['$type']]?: string } = {
  StringType: 'string',
  StringLiteralType: 'string',
  IntegerType: 'int',
  BooleanType: 'bool',
  ArrayType: 'array',
  ObjectType: 'object',
}

/** Returns the kind of the value that is read. Undefined if it is not known. */
export function kindOfRead(open: Open, index: TypeIndex): string | undefined {
  if (open.read === undefined) return open.text.startsWith('<text(') ? 'string' : undefined
  const located = typeOfRead(open.read, index)
  return typeof located === 'string' ? undefined : KINDS[located.type.$type]
}
