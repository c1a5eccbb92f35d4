import type { Change } from '../shared/model/change.ts'
import type { Taken } from '../test/watch/intake.ts'
import type { Written } from '../test/watch/load.ts'

/** The times at which the shim saw a change and the app received it. */
export type Delivery = { readonly seenAt: number; readonly takenAt: number }

/** Records what the app received, so that a write can be found there. */
export interface DeliveryLog {
  note(taken: Taken): void
  of(written: Written): Delivery | undefined
  /** Returns the time at which the app last received a change of this pod. 0 if never. */
  latest(key: string): number
  /** Returns the counts of posts with changes since the last call. */
  takeCounts(): Counts
  /** Returns the complete snapshots. `at` is the time at which the app received the last part. */
  snapshots(): readonly Snapshot[]
}

export type Counts = { readonly posts: number; readonly changes: number; readonly bytes: number }
export type Snapshot = { readonly term: number; readonly at: number; readonly objects: number; readonly bytes: number }

export function createDeliveryLog(): DeliveryLog {
  const deliveries = new Map<string, Delivery>()
  const latest = new Map<string, number>()
  const snapshots: Snapshot[] = []
  let counts = { posts: 0, changes: 0, bytes: 0 }
  let parts = { objects: 0, bytes: 0 }

  function noteChange(change: Change, takenAt: number): void {
    if (change.kind !== 'pod') return
    const what = change.op === 'put' ? change.object.labels['round'] : 'gone'
    const id = `${change.key} ${what}`
    if (!deliveries.has(id)) deliveries.set(id, { seenAt: change.at, takenAt })
    latest.set(change.key, takenAt)
  }

  return {
    note({ records, bytes, at }) {
      for (const { term, body } of records) {
        for (const change of body.changes) noteChange(change, at)
        if (body.kind === 'changes') {
          counts = { posts: counts.posts + 1, changes: counts.changes + body.changes.length, bytes: counts.bytes + bytes }
          continue
        }
        parts = { objects: parts.objects + body.changes.length, bytes: parts.bytes + bytes }
        if (body.part === body.parts) {
          snapshots.push({ term, at, ...parts })
          parts = { objects: 0, bytes: 0 }
        }
      }
    },
    of: ({ key, what }) => deliveries.get(`${key} ${what}`),
    latest: (key) => latest.get(key) ?? 0,
    takeCounts() {
      const taken = counts
      counts = { posts: 0, changes: 0, bytes: 0 }
      return taken
    },
    snapshots: () => snapshots,
  }
}
