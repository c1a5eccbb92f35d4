import type { Change, Version } from '../../model/change.ts'
import { OBJECT_CODECS } from '../change.ts'
import type { Codec } from '../codec.ts'
import { nameMember, type Scalar, split } from './template.ts'

export type Entry = { readonly version: Version; readonly change: Change }

/** Number of objects in one block, which is one line. A larger number gives fewer lines, a smaller number needs less memory in the reader. */
const ROWS_A_BLOCK = 500

/**
 * Writes objects as rows of blocks. A line is one of three: a form `{kind, own, types, name}`, a template `{form, common}`, or a block of objects of
 * one form. A block is the number of rows, followed by columns for template, term, seq, time, number of the change, key, and the form's own values. A
 * column whose values are all equal is that value.
 */
export interface RowWriter {
  /** Adds an object that exists, and returns the lines to write before any other line. Undefined if the entry is not an object that can be a row. */
  add(entry: Entry): readonly string[] | undefined
  /** Returns the line of the rows that were not written yet. */
  flush(): readonly string[]
}

export function rowWriter(): RowWriter {
  const forms = createNumbers()
  const templates = createNumbers()
  let rows: (readonly Scalar[])[] = []
  let open: number | undefined

  function flush(): readonly string[] {
    if (rows.length === 0) return []
    const line = JSON.stringify([rows.length, ...columnsOf(rows)])
    rows = []
    return [line]
  }

  return {
    add(entry) {
      const { version, change } = entry
      const printed = printedObject(change)
      const name = printed === undefined ? undefined : nameMember(printed, change.key)
      if (printed === undefined || name === undefined) return undefined
      const { form, common, values } = split(change.kind, printed, name)
      const formOf = forms.of(JSON.stringify({ ...form, name }))
      const template = templates.of(JSON.stringify({ form: formOf.number, common }))
      const finished = open === formOf.number && rows.length < ROWS_A_BLOCK ? [] : flush()
      open = formOf.number
      rows.push([template.number, version.term, version.seq, change.at, change.seq, change.key, ...values])
      return [...finished, ...formOf.lines, ...template.lines]
    },
    flush,
  }
}

function printedObject(change: Change): object | undefined {
  if (change.op !== 'put') return undefined
  const codec = OBJECT_CODECS[change.kind] as Codec<unknown>
  return codec.write(change.object) as object
}

/** Numbers lines in the order in which they are written. Each line is written once. */
function createNumbers() {
  const numbers = new Map<string, number>()
  return {
    of(line: string): { readonly number: number; readonly lines: readonly string[] } {
      const known = numbers.get(line)
      if (known !== undefined) return { number: known, lines: [] }
      numbers.set(line, numbers.size)
      return { number: numbers.size - 1, lines: [line] }
    },
  }
}

function columnsOf([first = [], ...rest]: readonly (readonly Scalar[])[]): readonly (Scalar | readonly Scalar[])[] {
  return first.map((value, index) =>
    rest.every((row) => row[index] === value) ? value : [value, ...rest.flatMap((row) => row[index] ?? [])],
  )
}
