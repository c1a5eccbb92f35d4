import { parse } from 'yaml'
import { code } from './fieldRules.ts'

export type ValueRow = { readonly name: string; readonly values: string; readonly fallback: string; readonly meaning: string }

type Schema = { readonly properties?: { readonly [key: string]: Schema }; readonly enum?: readonly unknown[]; readonly type?: string }

/**
 * Returns each value of a chart: its key in the form of `--set`, and the comment above it. A value of `spot` without a comment has that of the same
 * value of `shim`.
 */
export function valueRows(valuesYaml: string, schemaJson: string): readonly ValueRow[] {
  const values: unknown = parse(valuesYaml)
  const schema: Schema = JSON.parse(schemaJson)
  const comments = commentsOf(valuesYaml)
  return leavesOf(values).map((path) => {
    const name = path.join('.')
    const twin = name.replace(/^spot\./, 'shim.')
    const at = path.reduce<Schema | undefined>((inner, key) => inner?.properties?.[key], schema)
    return {
      name,
      values: at?.enum === undefined ? (at?.type ?? 'any') : at.enum.map(code).join(', '),
      fallback: fallbackOf(path.reduce(memberOf, values)),
      meaning: comments.get(name) ?? comments.get(twin) ?? '',
    }
  })
}

/** Returns the paths of the values. Groups are one level deep; a deeper object is a value of Kubernetes' own. */
function leavesOf(values: unknown): readonly (readonly string[])[] {
  return entriesOf(values).flatMap(([key, value]) => {
    const inner = entriesOf(value)
    return inner.length === 0 ? [[key]] : inner.map(([name]) => [key, name])
  })
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}

function memberOf(value: unknown, key: string): unknown {
  return new Map(entriesOf(value)).get(key)
}

function fallbackOf(value: unknown): string {
  if (value === '') return 'empty'
  return code(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Returns the comments by the key below them. A line that begins with `---` is the title of a part of the file. */
function commentsOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  let group = ''
  let comment: readonly string[] = []
  for (const line of text.split('\n')) {
    const [, said] = /^ *# ?(.*)$/.exec(line) ?? []
    if (said !== undefined) {
      comment = said.startsWith('---') ? [] : [...comment, said]
      continue
    }
    const [, indent, key = ''] = /^( {0,2})([A-Za-z]\w*):/.exec(line) ?? []
    if (indent === '') group = key
    if (indent !== undefined && comment.length > 0) found.set(indent === '' ? key : `${group}.${key}`, comment.join(' '))
    comment = []
  }
  return found
}
