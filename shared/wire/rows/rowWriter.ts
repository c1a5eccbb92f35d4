import type { Change, Version } from '../../model/change.ts'
import { OBJECT_CODECS } from '../change.ts'
import type { Codec } from '../codec.ts'
import { nameMember, type Scalar, split } from './template.ts'

export type Entry = { readonly version: Version; readonly change: Change }

/** Objects of one block, which is one line: many make the lines few, few keep the memory of a reader small. */
const ROWS_A_BLOCK = 500

/**
 * Writes objects as rows of blocks. A line is a form, `{kind, name, own}`; a template of the form that was told last, `{form, common}`; or a block of objects of
 * one form: the number of rows, and a column each for template, term, seq, time, number of the change, key, and the form's own values. A column of one
 * value is that value.
 */
export interface RowWriter {
  /** Takes in an object that exists, and answers the lines that are to be written before anything else. Undefined for any other entry. */
  add(entry: Entry): readonly string[] | undefined
  /** The line of the rows that are not written yet. */
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

/** Numbers in the order of the lines: a line is told once. */
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
