/** A rule of a definition with the path of its fields. List items are `[]`. */
export type PlacedRule = { readonly version: string; readonly place: string; readonly rule: string; readonly message: string }

type Schema = {
  readonly properties?: { readonly [name: string]: Schema }
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string; readonly message: string }[]
}

export function rulesOf(definition: { readonly spec: unknown }): readonly PlacedRule[] {
  const { versions } = definition.spec as {
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[]
  }
  return versions.flatMap(({ name, schema }) => below(schema.openAPIV3Schema, '').map((rule) => ({ version: name, ...rule })))
}

function below(schema: Schema, place: string): readonly Omit<PlacedRule, 'version'>[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ rule, message }) => ({ place, rule, message }))
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    below(member, place === '' ? name : `${place}.${name}`),
  )
  return [...own, ...members, ...(schema.items ? below(schema.items, `${place}[]`) : [])]
}

/** The path with every list index replaced by `[]`. */
export function withoutIndexes(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]')
}
