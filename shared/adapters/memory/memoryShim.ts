import type { Change, PutOf } from '../../model/change.ts'
import { OBJECT_KINDS, type ObjectKind } from '../../model/clusterObjects.ts'
import type { LogRecord } from '../../model/logRecord.ts'
import { type ObjectChange, objectKeyOf } from './clusterObjects.ts'
import type { MemoryWorld } from './memoryWorld.ts'

/** The records that a shim would post: numbered changes since the last call, and snapshots. */
export type MemoryShim = {
  /** Returns a complete snapshot of all objects. */
  snapshot(): LogRecord
  /** Returns the changes since the last call. Undefined if there are none. */
  changes(): LogRecord | undefined
  stop(): void
}

/** Watches the objects of the world in one term. The caller passes the records to the flow that ingests them, or to the log. */
export function createMemoryShim(world: MemoryWorld, term: number): MemoryShim {
  let lastSeq = 0
  let seen: ObjectChange[] = []
  const stop = world.objects.listen((change) => void seen.push(change))
  const change = ({ op, kind, key }: ObjectChange, seq: number): Change => {
    const head = { seq, at: world.clock.now(), key }
    const object = op === 'put' ? world.objects.get(kind, key) : undefined
    return object === undefined ? { ...head, op: 'delete', kind } : putOf({ ...head, op: 'put', kind, object })
  }
  return {
    snapshot: () => {
      seen = []
      const all = OBJECT_KINDS.flatMap((kind) =>
        world.objects.all(kind).map((object): ObjectChange => ({ op: 'put', kind, key: objectKeyOf(object) })),
      )
      // Every object of a snapshot has the number of the snapshot.
      const seq = ++lastSeq
      const changes = all.map((each) => change(each, seq))
      return { term, receivedAt: world.clock.now(), body: { kind: 'snapshot', seq, part: 0, parts: 1, changes } }
    },
    changes: () => {
      const changes = seen.map((each) => change(each, ++lastSeq))
      seen = []
      return changes.length === 0 ? undefined : { term, receivedAt: world.clock.now(), body: { kind: 'changes', changes } }
    },
    stop,
  }
}

function putOf(
  change: { readonly kind: ObjectKind; readonly object: object } & Omit<PutOf<ObjectKind>, 'kind' | 'object'>,
): PutOf<ObjectKind> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- object was read by this kind: the pair belongs together
  return change as PutOf<ObjectKind>
}
