/**
 * Pods as rows under templates. Nearly all pods of a cluster are copies of a few templates: what copies have in common is written once, and a row for each pod
 * says the rest. A reader parses what is common once, and all rows share it.
 */
import type { Change, Stamp } from '../model/change.ts'
import { printChange } from './change.ts'
import { isObject } from './codec.ts'

export type Entry = { readonly stamp: Stamp; readonly change: Change }

/** What a template holds, and the names of the members whose values stand in its rows, in their order. */
type Template = { readonly common: Json; readonly own: readonly string[] }
type Json = { readonly [member: string]: unknown }

/** Values of a row before its own members: number of the template, stamp, and the head of the change. */
const HEAD = ['template', 'term', 'seq', 'at', 'key', 'changeSeq'] as const

/** A line for a pod that exists, after a line with its template when that is new. Undefined for any other entry. */
export function podRowWriter(): (entry: Entry) => readonly string[] | undefined {
  const numbers = new Map<string, number>()
  return ({ stamp, change }) => {
    if (change.op !== 'put' || change.kind !== 'pod') return undefined
    const printed = printChange(change)
    if (!isObject(printed) || !isObject(printed['object'])) return undefined
    const { key, ...object } = printed['object']
    if (key !== change.key) return undefined
    const { template, values } = split(object)
    const text = JSON.stringify(template)
    const known = numbers.get(text)
    const number = known ?? numbers.size
    numbers.set(text, number)
    const row = JSON.stringify([number, stamp.term, stamp.seq, change.at, change.key, change.seq, ...values])
    return known === undefined ? [text, row] : [row]
  }
}

/** Reads what the writer wrote, line by line, as the change that was printed. */
export interface PodRowReader {
  addTemplate(json: Json): boolean
  /** The entry as JSON; undefined when the row does not fit a template. */
  read(row: readonly unknown[]): { readonly term: unknown; readonly seq: unknown; readonly change: unknown } | undefined
}

export function podRowReader(): PodRowReader {
  const templates: Template[] = []
  return {
    addTemplate({ common, own }) {
      if (!isObject(common) || !Array.isArray(own) || !own.every((name) => typeof name === 'string')) return false
      templates.push({ common, own })
      return true
    },
    read(row) {
      const [number, term, seq, at, key, changeSeq] = row
      const template = typeof number === 'number' ? templates[number] : undefined
      if (template === undefined || row.length !== HEAD.length + template.own.length) return undefined
      const object: Record<string, unknown> = { key, ...template.common }
      for (const [index, name] of template.own.entries()) object[name] = row[HEAD.length + index]
      return { term, seq, change: { op: 'put', kind: 'pod', key, at, seq: changeSeq, object } }
    },
  }
}

/** Texts and numbers are a pod's own: its uid, node and times. Lists and objects are what copies have in common. */
function split(object: Json): { readonly template: Template; readonly values: readonly unknown[] } {
  const common: Record<string, unknown> = {}
  const own: string[] = []
  const values: unknown[] = []
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === 'object' || value === undefined) common[name] = value
    else {
      own.push(name)
      values.push(value)
    }
  }
  return { template: { common, own }, values }
}
