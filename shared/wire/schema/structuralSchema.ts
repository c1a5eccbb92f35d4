import * as z from 'zod'
import { QUANTITY_PATTERN } from './parts.ts'

/** A schema in the form CustomResourceDefinitions ask for. */
export type StructuralSchema = { readonly [member: string]: unknown }

/**
 * The structural form of a schema: JSON Schema without what the API server refuses or misreads (closed objects, bounds
 * of safe integers, generated patterns beside a format, unions other than integer-or-text).
 */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  const json = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'throw',
    // One definition is printed whole: the API server follows no references.
    reused: 'inline',
    override: ({ zodSchema, jsonSchema }) => adapt(zodSchema, jsonSchema as Mutable),
  })
  const { $schema: _, ...rest } = json as Mutable
  return rest
}

/** Bounds that only say what the format says already. */
const IMPLIED: ReadonlySet<unknown> = new Set([Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, -(2 ** 31), 2 ** 31 - 1])

type Mutable = Record<string, unknown>

function adapt(zodSchema: unknown, json: Mutable): void {
  if (json['additionalProperties'] !== undefined && json['properties'] !== undefined) delete json['additionalProperties']
  delete json['propertyNames']
  if (IMPLIED.has(json['minimum'])) delete json['minimum']
  if (IMPLIED.has(json['maximum'])) delete json['maximum']
  if (json['format'] === 'date-time') delete json['pattern']
  if (json['x-kubernetes-int-or-string']) intOrString(json)
  if (typeof json['pattern'] === 'string') json['pattern'] = patternOf(zodSchema, json['pattern'])
  const names = json['requiredDespiteDefault']
  if (Array.isArray(names)) json['required'] = [...new Set([...((json['required'] as string[] | undefined) ?? []), ...(names as string[])])]
  delete json['requiredDespiteDefault']
  if (Array.isArray(json['required'])) (json['required'] as string[]).sort()
}

function intOrString(json: Mutable): void {
  json['anyOf'] = [{ type: 'integer' }, { type: 'string' }]
  json['pattern'] = QUANTITY_PATTERN.source
}

/** RE2 takes flags inside the pattern, and needs no escape before a slash: what JavaScript's source says otherwise. */
function patternOf(zodSchema: unknown, pattern: string): string {
  const checks = (zodSchema as { readonly _zod: { readonly def: { readonly checks?: readonly Check[] } } })._zod.def.checks ?? []
  const isCaseless = checks.some(({ _zod: { def } }) => def.pattern?.source === pattern && def.pattern.ignoreCase)
  return `${isCaseless ? '(?i)' : ''}${pattern.replaceAll('\\/', '/')}`
}

type Check = { readonly _zod: { readonly def: { readonly pattern?: RegExp } } }
