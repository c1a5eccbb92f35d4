/** Reading members of JSON that came over the wire, without trusting its shape. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at `a.b.0.c`, or undefined where the way ends early. */
export function at(value: unknown, path: string): unknown {
  let current: unknown = value
  for (const part of path.split('.')) {
    if (Array.isArray(current)) current = current[Number(part)]
    else if (isRecord(current)) current = current[part]
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

/** The object there; an empty one where there is none. */
export function recordAt(value: unknown, path: string): Record<string, unknown> {
  const found = at(value, path)
  return isRecord(found) ? found : {}
}

/** The object's text members, for example tags. */
export function textsAt(value: unknown, path: string): Record<string, string> {
  const found = at(value, path)
  if (!isRecord(found)) return {}
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
