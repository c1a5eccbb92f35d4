import { ownValue } from '../../shared/base/values.ts'

/** Reads members of JSON from the network without trusting its shape. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value at `a.b.0.c`, or undefined if the path ends early. */
export function at(value: unknown, path: string): unknown {
  let current: unknown = value
  for (const part of path.split('.')) {
    if (Array.isArray(current)) current = current[Number(part)]
    else if (isRecord(current)) current = ownValue(current, part)
    else return undefined
  }
  return current
}

export function textAt(value: unknown, path: string): string | undefined {
  const found = at(value, path)
  return typeof found === 'string' ? found : undefined
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = at(value, path)
  return Array.isArray(found) ? found : []
}

/** Returns the object at the path, or an empty object. */
export function recordAt(value: unknown, path: string): Record<string, unknown> {
  const found = at(value, path)
  return isRecord(found) ? found : {}
}

/** Returns the text members of the object at the path, for example tags. */
export function textsAt(value: unknown, path: string): Record<string, string> {
  const found = at(value, path)
  if (!isRecord(found)) return {}
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
