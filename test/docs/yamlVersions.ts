import { parseAllDocuments } from 'yaml'

/**
 * Returns the places of a YAML text that have another meaning in YAML 1.1 than in YAML 1.2. kubectl, Helm and azd read 1.1, where `N` is false and `0777` is octal.
 * Other tools read 1.2. A text for both must put such values into quotation marks.
 */
export function differencesOfVersions(text: string): readonly string[] {
  const [older = [], newer = []] = (['1.1', '1.2'] as const).map((version) =>
    parseAllDocuments(text, { version }).map((document) => {
      const [error] = document.errors
      if (error !== undefined) throw error
      const value: unknown = document.toJS()
      return value
    }),
  )
  return newer.flatMap((value, index) => differences(older[index], value, `document ${index + 1}`))
}

function differences(older: unknown, newer: unknown, path: string): readonly string[] {
  if (Array.isArray(older) && Array.isArray(newer))
    return newer.flatMap((value, index) => differences(older[index], value, `${path}[${index}]`))
  if (isMap(older) && isMap(newer)) {
    const keys = new Set([...Object.keys(older), ...Object.keys(newer)])
    return [...keys].flatMap((key) => differences(older[key], newer[key], `${path}.${key}`))
  }
  return Object.is(older, newer) ? [] : [`${path}: ${String(older)} in YAML 1.1, ${String(newer)} in YAML 1.2`]
}

function isMap(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}
