import type { DefinitionManifest } from '../../shared/wire/schema/definitionManifest.ts'

/** A field with a list of values. List items in `place` are `[]`. */
export type EnumField = { readonly kind: string; readonly version: string; readonly place: string; readonly values: readonly string[] }

type Schema = {
  readonly enum?: readonly string[]
  readonly properties?: { readonly [name: string]: Schema }
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
}

/** Every field of the definition that has a list of values. */
export function enumsOf(definition: DefinitionManifest): readonly EnumField[] {
  const { kind } = definition.spec.names
  return definition.spec.versions.flatMap(({ name, schema }) =>
    below((schema as { readonly openAPIV3Schema: Schema }).openAPIV3Schema, '').map((each) => ({ kind, version: name, ...each })),
  )
}

function below(schema: Schema, place: string): readonly Pick<EnumField, 'place' | 'values'>[] {
  const { properties = {}, items, additionalProperties: values } = schema
  return [
    ...(schema.enum === undefined ? [] : [{ place, values: schema.enum }]),
    ...Object.entries(properties).flatMap(([name, member]) => below(member, place === '' ? name : `${place}.${name}`)),
    ...(items === undefined ? [] : below(items, `${place}[]`)),
    ...(typeof values === 'object' ? below(values, `${place}.*`) : []),
  ]
}
