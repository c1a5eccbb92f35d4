import { keyOf } from '../kube/listObjects.ts'

type Version = { readonly term: number; readonly seq: number }
export type ModelChange = {
  readonly seq: number
  readonly op: string
  readonly kind: string
  /** Undefined where the object has the key in itself. */
  readonly key?: string
  readonly object?: { readonly metadata: { readonly name: string; readonly namespace?: string } }
}

export function keyOfChange({ key, object }: ModelChange): string {
  return key ?? (object === undefined ? '' : keyOf(object))
}
export type ModelBody =
  | { readonly kind: 'changes'; readonly changes: readonly ModelChange[] }
  | {
      readonly kind: 'snapshot'
      readonly seq: number
      readonly part: number
      readonly parts: number
      readonly changes: readonly ModelChange[]
    }

/** The app's merge rule in its plainest form. The later version wins. A complete snapshot removes older objects that it does not hold. */
export function createAppModel() {
  const entries = new Map<string, { version: Version; change: ModelChange }>()
  const partial = new Map<string, Map<number, readonly ModelChange[]>>()
  let floor: Version = { term: 0, seq: 0 }
  const isBefore = (first: Version, second: Version) => first.term < second.term || (first.term === second.term && first.seq < second.seq)

  function merge(version: Version, change: ModelChange): void {
    // a change older than the newest complete snapshot counts no more, however late it comes
    if (isBefore(version, floor)) return
    const id = `${change.kind} ${keyOfChange(change)}`
    const present = entries.get(id)
    if (present === undefined || isBefore(present.version, version)) entries.set(id, { version, change })
  }

  return {
    apply(term: number, body: ModelBody): void {
      if (body.kind === 'changes') {
        for (const change of body.changes) merge({ term, seq: change.seq }, change)
        return
      }
      const version = { term, seq: body.seq }
      const id = `${term} ${body.seq}`
      const parts = (partial.get(id) ?? new Map<number, readonly ModelChange[]>()).set(body.part, body.changes)
      partial.set(id, parts)
      if (parts.size < body.parts || isBefore(version, floor)) return
      floor = version
      for (const [key, entry] of entries) if (isBefore(entry.version, version)) entries.delete(key)
      for (const change of [...parts.values()].flat()) merge(version, change)
    },
    /** The objects that exist, by `kind key`. */
    objects(): ReadonlyMap<string, unknown> {
      const present = [...entries].filter(([, { change }]) => change.op !== 'delete')
      return new Map(present.map(([id, { change }]) => [id, change.op === 'put' ? change.object : change.op]))
    },
  }
}
