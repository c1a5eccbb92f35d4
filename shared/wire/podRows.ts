/** Pods as rows under templates: an old form of the checkpoint, which is still read but not written any more. */
import { err, ok, type Result } from '../base/result.ts'
import { setOwnValue } from '../base/values.ts'
import type { Pod } from '../model/pod.ts'
import { type Problem, problem } from '../model/problem.ts'
import { decode, integer, isObject, locate, type Read, type Trail, text } from './codec.ts'
import { pod as podCodec } from './objects/pod.ts'
import { instant } from './objects/shared.ts'
import type { Entry } from './rows/rowWriter.ts'

/** The common members of a template's pods, and the names of the members whose values are in its rows, in order. */
type Template = { readonly common: Json; readonly own: readonly string[] }
type Json = { readonly [member: string]: unknown }

/** Number of values between the template number and the pod's own members in a row: term, seq, at, key, and the seq of the change. */
const HEAD_MEMBERS = 5

/** Parses the lines of such a checkpoint one by one. */
export interface PodRowReader {
  /** Stores a template, or returns the pods of a line of rows. */
  read(json: unknown): Result<readonly Entry[], Problem>
}

type ReadTemplate = Template & { readonly members: readonly Read<unknown>[]; pod?: Pod }

/** Reads one whole pod for each template. For every other row, only the pod's own members are read. */
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
      if (name !== undefined) setOwnValue(pod, name, readAt(name, read, values[index], trail))
    }
    return pod as Pod
  }

  const invalid = (rule: string) => err(problem('INPUT.INVALID', `${object}: ${rule}`, { object }))

  function addTemplate({ common, own }: Json): Result<readonly Entry[], Problem> {
    if (!isObject(common) || !Array.isArray(own)) return invalid('a template of pods has no members')
    const members = own.flatMap((name: unknown) => (typeof name === 'string' ? (podCodec.readMember(name) ?? []) : []))
    if (members.length !== own.length) return invalid('a template of pods names a member that no pod has')
    templates.push({ common, own, members })
    return ok([])
  }

  function readRow(json: unknown): Result<Entry, Problem> {
    const [number, ...row]: readonly unknown[] = Array.isArray(json) ? json : []
    const template = typeof number === 'number' ? templates[number] : undefined
    if (template === undefined || row.length !== HEAD_MEMBERS + template.own.length) return invalid('a row of a pod fits no template')
    return decode({ read: (_, trail) => entryOf(row, template, trail) }, row, { object })
  }

  return {
    read(json) {
      if (isObject(json)) return addTemplate(json)
      if (!Array.isArray(json)) return invalid('a line is no part of rows')
      const entries: Entry[] = []
      for (const each of json) {
        const row = readRow(each)
        if (!row.ok) return row
        entries.push(row.value)
      }
      return ok(entries)
    },
  }

  function entryOf(row: readonly unknown[], template: ReadTemplate, trail: Trail): Entry {
    const [term, seq, at, key, changeSeq, ...values] = row
    const pod = readPod(template, key, values, trail)
    const version = { term: readAt('term', integer.read, term, trail), seq: readAt('seq', integer.read, seq, trail) }
    const head = { key: pod.key, at: readAt('at', instant.read, at, trail), seq: readAt('change.seq', integer.read, changeSeq, trail) }
    if (trail.failure !== undefined) delete template.pod
    return { version, change: { ...head, op: 'put', kind: 'pod', object: pod } }
  }
}

/** Reads a value and names the member in a failure. Values after a failure are ignored. */
function readAt<Value>(name: string, read: Read<Value>, json: unknown, trail: Trail): Value {
  const isFirst = trail.failure === undefined
  const value = read(json, trail)
  if (isFirst) locate(trail, name)
  return value
}
