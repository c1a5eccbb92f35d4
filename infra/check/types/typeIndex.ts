// Azure's own definitions of its resource types: their properties, the type of each, and which of them are read-only.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'

const ref = z.object({ $ref: z.string() })
const property = z.object({ type: ref, flags: z.number() })
const properties = z.record(z.string(), property)
const schema = z.discriminatedUnion('$type', [
  z.object({ $type: z.literal('AnyType') }),
  z.object({ $type: z.literal('BooleanType') }),
  z.object({ $type: z.literal('IntegerType'), minValue: z.number().optional(), maxValue: z.number().optional() }),
  z.object({
    $type: z.literal('StringType'),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    pattern: z.string().optional(),
    sensitive: z.boolean().optional(),
  }),
  z.object({ $type: z.literal('StringLiteralType'), value: z.string() }),
  z.object({ $type: z.literal('UnionType'), elements: z.array(ref) }),
  z.object({ $type: z.literal('ArrayType'), itemType: ref, minLength: z.number().optional(), maxLength: z.number().optional() }),
  z.object({ $type: z.literal('ObjectType'), name: z.string(), properties, additionalProperties: ref.optional() }),
  z.object({
    $type: z.literal('DiscriminatedObjectType'),
    name: z.string(),
    discriminator: z.string(),
    baseProperties: properties,
    elements: z.record(z.string(), ref),
  }),
  z.object({ $type: z.literal('ResourceType'), name: z.string(), body: ref, readableScopes: z.number(), writableScopes: z.number() }),
  z.object({ $type: z.literal('ResourceFunctionType') }),
])

export type AzureType = z.infer<typeof schema>
type TypeProperty = z.infer<typeof property>

/** Flags of a property. */
export const REQUIRED = 1
export const READ_ONLY = 2
export const WRITE_ONLY = 4

/** A type. `resolve` finds the types that it refers to in the same file. */
export type Located = { readonly type: AzureType; readonly resolve: (reference: { readonly $ref: string }) => Located }
export type ResourceDefinition = {
  readonly name: string
  readonly body: Located
  readonly readableScopes: number
  readonly writableScopes: number
}
export type TypeIndex = {
  /** Finds a type by `type@version`, whatever its case. */
  readonly find: (type: string, apiVersion: string) => ResourceDefinition | undefined
  readonly versionsOf: (type: string) => readonly string[]
  readonly size: number
}

/** Reads all files of a folder. Each is a compressed `types.json` of Azure's index, for one provider and version. */
export function loadTypeIndex(folder: string): TypeIndex {
  const definitions = new Map<string, ResourceDefinition>()
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json.gz'))) {
    const parsed: unknown = JSON.parse(gunzipSync(readFileSync(join(folder, name))).toString('utf8'))
    for (const definition of definitionsIn(parsed)) definitions.set(definition.name.toLowerCase(), definition)
  }
  return {
    size: definitions.size,
    find: (type, apiVersion) => definitions.get(`${type}@${apiVersion}`.toLowerCase()),
    versionsOf: (type) =>
      [...definitions.keys()].filter((key) => key.startsWith(`${type.toLowerCase()}@`)).map((key) => key.slice(type.length + 1)),
  }
}

function definitionsIn(parsed: unknown): readonly ResourceDefinition[] {
  const raw = z.array(z.unknown()).parse(parsed)
  // Only few of the thousands of types are used, so each is parsed at its first use.
  const types = new Map<number, AzureType>()
  const at = (index: number): AzureType => {
    const known = types.get(index) ?? schema.parse(raw[index])
    types.set(index, known)
    return known
  }
  const resolve = ({ $ref }: { readonly $ref: string }): Located => ({ type: at(Number($ref.replace('#/', ''))), resolve })
  const isResource = z.object({ $type: z.literal('ResourceType') })
  return raw.flatMap((each, index) => {
    if (!isResource.safeParse(each).success) return []
    const type = at(index)
    return type.$type === 'ResourceType'
      ? [{ name: type.name, body: resolve(type.body), readableScopes: type.readableScopes, writableScopes: type.writableScopes }]
      : []
  })
}

/** Returns the properties of an object type, those of all its variants included. */
export function propertiesOf({ type, resolve }: Located): ReadonlyMap<string, TypeProperty> {
  if (type.$type === 'ObjectType') return new Map(Object.entries(type.properties))
  if (type.$type !== 'DiscriminatedObjectType') return new Map()
  return new Map([
    ...Object.entries(type.baseProperties),
    ...Object.values(type.elements).flatMap((element) => [...propertiesOf(resolve(element))]),
  ])
}
