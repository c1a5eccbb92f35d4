import { z } from 'zod'
import { formatDuration } from '../../shared/model/time.ts'
import { durationMs } from '../../shared/model/units.ts'

/** The rule of one field for a table: its values in words, and its default. */
export type FieldRule = { readonly values: string; readonly fallback: string }

type JsonSchema = { readonly [keyword: string]: unknown }

const DURATION = { rule: 'a whole number with a unit', inWords: 'a duration, such as `30s`' } as const
/** Values that no rule accepts. */
const NONSENSE = ['\u0000', 0.123, {}] as const

export function fieldRule(schema: z.ZodType): FieldRule {
  const json: JsonSchema = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const values = valuesOf(schema, json)
  return { values, fallback: fallbackOf(schema, values) }
}

function valuesOf(schema: z.ZodType, json: JsonSchema): string {
  if (Array.isArray(json['enum'])) return json['enum'].map((each) => (each === '' ? 'empty' : code(each))).join(', ')
  const said = ruleInWords(schema)
  if (said !== undefined) return said
  if (json['type'] === 'array') {
    const list = unwrapped(schema)
    const items = list instanceof z.ZodArray && list.element instanceof z.ZodType ? ruleInWords(list.element) : undefined
    return items === undefined ? 'a list' : `a list; each ${items}`
  }
  if (json['type'] === 'number') return rangeOf(json)
  if (json['type'] === 'integer') return wholeNumberOf(json)
  if (json['type'] === 'object') return 'an object of texts'
  if (json['format'] === 'ipv4') return 'an IPv4 address'
  return 'a text'
}

function rangeOf({ minimum, maximum, exclusiveMaximum }: JsonSchema): string {
  const [least, most, below] = [minimum, maximum, exclusiveMaximum].map((bound) => JSON.stringify(bound))
  return below === undefined ? `${least} to ${most}` : `${least} to below ${below}`
}

function wholeNumberOf(json: JsonSchema): string {
  return json['maximum'] === Number.MAX_SAFE_INTEGER
    ? `a whole number from ${JSON.stringify(json['minimum'])}`
    : `a whole number, ${rangeOf(json)}`
}

/** Returns the rule in the sentence with which the schema refuses nonsense. Undefined if it has no sentence of its own. */
function ruleInWords(schema: z.ZodType): string | undefined {
  for (const value of NONSENSE) {
    const issues = schema.safeParse(value).error?.issues ?? []
    const own = issues.find(({ message }) => message.startsWith('must be '))
    if (own !== undefined) return inShort(own.message.replace(/^must be /, ''))
  }
  return undefined
}

/** Shortens a rule: the full sentence is too long for a table. */
function inShort(rule: string): string {
  return rule.startsWith(DURATION.rule) ? DURATION.inWords : rule.replace(/: second minute.*$/, '')
}

/** Returns the schema without its defaults and other wrappers. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  const { def } = schema
  return 'innerType' in def && def.innerType instanceof z.ZodType ? unwrapped(def.innerType) : schema
}

function fallbackOf(schema: z.ZodType, values: string): string {
  const { success, data } = schema.safeParse(undefined)
  if (!success) return 'required'
  if (data === undefined) return 'none'
  if (typeof data === 'number' && values === DURATION.inWords) return code(formatDuration(durationMs(data)))
  return code(typeof data === 'string' ? data : JSON.stringify(data))
}

export function code(text: unknown): string {
  return `\`${String(text)}\``
}
