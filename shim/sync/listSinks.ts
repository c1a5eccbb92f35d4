import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import { changeText } from './changeText.ts'
import { DELETED, type ReducedVersion } from './reducedVersion.ts'
import type { BufferSection } from './snapshotBuffer.ts'
import { isGone, notePending, see, type TrackerState } from './trackerState.ts'

/** Takes in one list of one kind. `restart` is called if the pages have to be read again from the first. */
export interface ListSink {
  add(key: string, version: ReducedVersion): void
  restart(): void
  end(): void
}

/** A list that closes a gap in a watch. An object that differs is queued as a change, a missing object as a deletion. */
export function gapList(state: TrackerState, kind: ObjectKind): ListSink {
  const table = state.known[kind]
  return {
    add(key, version) {
      see(state, { kind, key, version })
      if (version.op !== 'delete') table.markSeen(key)
    },
    restart() {
      table.takeUnseen()
    },
    end() {
      for (const key of table.takeUnseen()) see(state, { kind, key, version: DELETED })
    },
  }
}

export type SnapshotListOf = { readonly kind: ObjectKind; readonly seq: number; readonly section: BufferSection }

/** A list into a snapshot of this number. Objects that changed after the number was taken are left out: their changes bring them. */
export function snapshotList(state: TrackerState, { kind, seq, section }: SnapshotListOf): ListSink {
  const table = state.known[kind]
  state.deletedDuringList.set(kind, [])
  return {
    add(key, version) {
      if (version.op === 'delete' || table.isNewerThan(key, seq)) return
      table.queue(key, version.fingerprint)
      table.setVersion(key, seq)
      table.markSeen(key)
      notePending(state, { kind, key, version })
      section.add(changeText({ seq, at: state.deps.now(), kind, key, op: version.op, text: version.text }))
    },
    restart() {
      section.restart()
      table.takeUnseen()
    },
    end() {
      for (const key of table.takeUnseen()) {
        if (table.isNewerThan(key, seq)) continue
        table.forget(key)
        if (kind === 'pod') state.pending.delete(key)
      }
      const deleted = state.deletedDuringList.get(kind) ?? []
      state.deletedDuringList.delete(kind)
      for (const key of deleted) if (isGone(state, kind, key) && !state.outbox.has(kind, key)) table.forget(key)
    },
  }
}
