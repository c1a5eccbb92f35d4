import * as z from 'zod'
import { QUANTITY_PATTERN } from './parts.ts'

/** A schema in the form that a CustomResourceDefinition requires. */
export type StructuralSchema = { readonly [member: string]: unknown }

/**
 * Returns the structural form of a schema: JSON Schema without parts that the API server refuses or misinterprets (closed objects, bounds of safe
 * integers, generated patterns next to a format, unions other than integer-or-text).
 */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  const json = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'throw',
    // Each definition is printed without references, since the API server does not follow them.
    reused: 'inline',
    override: ({ zodSchema, jsonSchema }) => adapt(zodSchema, jsonSchema as Mutable),
  })
  const { $schema: _, ...rest } = json as Mutable
  return rest
}

/** Bounds that the format implies already. */
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

/** Converts a JavaScript pattern to RE2: flags go inside the pattern, and slashes need no escape. */
function patternOf(zodSchema: unknown, pattern: string): string {
  const checks = (zodSchema as { readonly _zod: { readonly def: { readonly checks?: readonly Check[] } } })._zod.def.checks ?? []
  const isCaseless = checks.some(({ _zod: { def } }) => def.pattern?.source === pattern && def.pattern.ignoreCase)
  return `${isCaseless ? '(?i)' : ''}${pattern.replaceAll('\\/', '/')}`
}

type Check = { readonly _zod: { readonly def: { readonly pattern?: RegExp } } }
