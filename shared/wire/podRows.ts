/**
 * Pods as rows under templates. Nearly all pods of a cluster are copies of a few templates: what copies have in common is written once, and a row for each pod
 * says the rest. A reader parses what is common once, and all rows share it.
 */
import { err, type Result } from '../base/result.ts'
import type { Change, Stamp } from '../model/change.ts'
import type { Pod } from '../model/pod.ts'
import { type Problem, problem } from '../model/problem.ts'
import { decode, integer, isObject, locate, type Read, type Trail, text } from './codec.ts'
import { pod as podCodec } from './objects/pod.ts'
import { instant } from './objects/shared.ts'

export type Entry = { readonly stamp: Stamp; readonly change: Change }

/** What a template holds, and the names of the members whose values stand in its rows, in their order. */
type Template = { readonly common: Json; readonly own: readonly string[] }
type Json = { readonly [member: string]: unknown }

/** Values of a row between the number of its template and its own members: term, seq, at, key, and the seq of the change. */
const HEAD_MEMBERS = 5

/** Rows of one line: to parse few long lines is quicker than many short ones. */
const ROWS_A_LINE = 200

export interface PodRowWriter {
  /** Takes in a pod that exists, and answers the lines that are to be written before anything else. Undefined for any other entry. */
  add(entry: Entry): readonly string[] | undefined
  /** The line of the rows that are not written yet. */
  flush(): readonly string[]
}

export function podRowWriter(): PodRowWriter {
  const numbers = new Map<string, number>()
  let rows: (readonly unknown[])[] = []

  function flush(): readonly string[] {
    if (rows.length === 0) return []
    const line = JSON.stringify(rows)
    rows = []
    return [line]
  }

  return {
    add({ stamp, change }) {
      const object = podOf(change)
      if (object === undefined) return undefined
      const { template, values } = split(object)
      const line = JSON.stringify(template)
      const known = numbers.get(line)
      const number = known ?? numbers.size
      numbers.set(line, number)
      rows.push([number, stamp.term, stamp.seq, change.at, change.key, change.seq, ...values])
      return [...(known === undefined ? [line] : []), ...(rows.length < ROWS_A_LINE ? [] : flush())]
    },
    flush,
  }
}

/** The pod as it is printed, without its key, which is that of the change. */
function podOf(change: Change): Json | undefined {
  if (change.op !== 'put' || change.kind !== 'pod' || change.object.key !== change.key) return undefined
  const { key: _, ...object } = podCodec.write(change.object) as Record<string, unknown>
  return object
}

/** Reads what the writer wrote, line by line. */
export interface PodRowReader {
  /** The rule that the template breaks, or nothing. */
  addTemplate(json: Json): string | undefined
  read(row: unknown): Result<Entry, Problem>
}

type ReadTemplate = Template & { readonly members: readonly Read<unknown>[]; pod?: Pod }

/** A pod is read whole once for each template: of every other row the reader looks at what is its own. */
export function podRowReader(object: string): PodRowReader {
  const templates: ReadTemplate[] = []

  function readPod(template: ReadTemplate, key: unknown, values: readonly unknown[], trail: Trail): Pod {
    if (template.pod === undefined) {
      const json = Object.fromEntries(template.own.map((name, index) => [name, values[index]]))
      template.pod = podCodec.read({ ...template.common, ...json, key }, trail)
      return template.pod
    }
    const pod: Record<string, unknown> = { ...template.pod, key: readAt('key', text.read, key, trail) }
    for (const [index, read] of template.members.entries()) {
      const name = template.own[index]
      if (name !== undefined) pod[name] = readAt(name, read, values[index], trail)
    }
    return pod as Pod
  }

  return {
    addTemplate({ common, own }) {
      if (!isObject(common) || !Array.isArray(own)) return 'a template of pods has no members'
      const members = own.flatMap((name: unknown) => (typeof name === 'string' ? (podCodec.readMember(name) ?? []) : []))
      if (members.length !== own.length) return 'a template of pods names a member that no pod has'
      templates.push({ common, own, members })
      return undefined
    },
    read(json) {
      const [number, ...row]: readonly unknown[] = Array.isArray(json) ? json : []
      const template = typeof number === 'number' ? templates[number] : undefined
      if (template === undefined || row.length !== HEAD_MEMBERS + template.own.length)
        return err(problem('INPUT.INVALID', `${object}: a row of a pod fits no template`, { object }))
      return decode({ read: (_, trail) => entryOf(row, template, trail) }, row, { object })
    },
  }

  function entryOf(row: readonly unknown[], template: ReadTemplate, trail: Trail): Entry {
    const [term, seq, at, key, changeSeq, ...values] = row
    const pod = readPod(template, key, values, trail)
    const stamp = { term: readAt('term', integer.read, term, trail), seq: readAt('seq', integer.read, seq, trail) }
    const head = { key: pod.key, at: readAt('at', instant.read, at, trail), seq: readAt('change.seq', integer.read, changeSeq, trail) }
    if (trail.failure !== undefined) delete template.pod
    return { stamp, change: { ...head, op: 'put', kind: 'pod', object: pod } }
  }
}

/** A failure says of which member it is. What follows a failure is not looked at. */
function readAt<Value>(name: string, read: Read<Value>, json: unknown, trail: Trail): Value {
  const isFirst = trail.failure === undefined
  const value = read(json, trail)
  if (isFirst) locate(trail, name)
  return value
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
