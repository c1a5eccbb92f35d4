/** A constraint of a schema on one field, and whether a value breaks it. Map members are under `*`, list items under `[]`. */
export type Constraint = { readonly place: string; readonly keyword: string; readonly isBrokenBy: (value: unknown) => boolean }

type Schema = { readonly [keyword: string]: unknown }
type Schemas = { readonly [name: string]: Schema }

export function constraintsOf(schema: Schema, place = ''): readonly Constraint[] {
  const properties = (schema['properties'] ?? {}) as Schemas
  const { items, additionalProperties } = schema as { readonly items?: Schema; readonly additionalProperties?: Schema }
  const required = (schema['required'] as readonly string[] | undefined) ?? []
  return [
    ...(place === '' ? [] : ownOf(schema, place)),
    // A required field with a default is never missing.
    ...required
      .filter((name) => properties[name]?.['default'] === undefined)
      .map((name) => ({ place: below(place, name), keyword: 'required', isBrokenBy: (value: unknown) => value === undefined })),
    // The server itself checks the other fields at the top, for example metadata.
    ...Object.entries(properties).flatMap(([name, one]) => (place === '' && !DATA.has(name) ? [] : constraintsOf(one, below(place, name)))),
    ...(items === undefined ? [] : constraintsOf(items, `${place}[]`)),
    ...(additionalProperties === undefined ? [] : constraintsOf(additionalProperties, below(place, '*'))),
  ]
}

const DATA = new Set(['spec', 'status'])

function below(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`
}

function ownOf(schema: Schema, place: string): readonly Constraint[] {
  return Object.entries(schema).flatMap(([keyword, limit]) => {
    // The published schemas have these two keywords on lists, where they have no effect.
    if (schema['type'] === 'array' && (keyword === 'pattern' || keyword === 'maxLength')) return []
    const isBroken = BROKEN[keyword]
    return isBroken === undefined ? [] : [{ place, keyword, isBrokenBy: (value: unknown) => value !== undefined && isBroken(value, limit) }]
  })
}

const BROKEN: { readonly [keyword: string]: (value: unknown, limit: unknown) => boolean } = {
  type: (value, type) => !TYPES[String(type)]?.(value),
  enum: (value, values) => typeof value === 'string' && !(values as readonly unknown[]).includes(value),
  pattern: (value, pattern) => typeof value === 'string' && !patternOf(String(pattern)).test(value),
  minimum: (value, least) => typeof value === 'number' && value < Number(least),
  maximum: (value, most) => typeof value === 'number' && value > Number(most),
  minLength: (value, least) => typeof value === 'string' && value.length < Number(least),
  maxLength: (value, most) => typeof value === 'string' && value.length > Number(most),
  maxItems: (value, most) => Array.isArray(value) && value.length > Number(most),
  maxProperties: (value, most) => TYPES['object']?.(value) === true && Object.keys(value as object).length > Number(most),
}

const TYPES: { readonly [type: string]: (value: unknown) => boolean } = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isInteger(value),
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

function patternOf(pattern: string): RegExp {
  return pattern.startsWith('(?i)') ? new RegExp(pattern.slice(4), 'ui') : new RegExp(pattern, 'u')
}
