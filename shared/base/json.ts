import { ownValue, setOwnValue } from './values.ts'

/** Returns the value of a JSON text. Undefined if there is no text, or if the text is not JSON. */
export function parsedJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

/** Returns JSON with sorted keys and without undefined members. Equal values give equal bytes, in whatever order their members were added. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => (isPlainObject(member) ? sorted(member) : member))
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(object).sort()) setOwnValue(copy, key, ownValue(object, key))
  return copy
}
