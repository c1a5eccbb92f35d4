/** Objects of the kinds with few objects: pools, classes, budgets, volumes and others. A list stays the same until one of its objects changes. */
import { type Order, placeIn } from '../../../base/lists.ts'
import { isSame } from '../../../base/values.ts'
import { OBJECT_KINDS } from '../../../model/clusterObjects.ts'
import { type Delta, type ObjectOf, type Objects, type SnapshotKind } from '../../../model/clusterSnapshot.ts'
import { findCondition } from '../../../model/condition.ts'
import type { Uid } from '../../../model/ids.ts'
import { CREATION_PAUSED } from '../../../model/nodePool.ts'
import type { Pod } from '../../../model/pod.ts'
import type { FewObjects } from '../../cluster/fleet.ts'

export type OtherObjects = FewObjects
export type OtherKind = keyof OtherObjects

export interface OtherObjectsCache {
  all(): OtherObjects
  /** Applies the part of the delta that is about these kinds. Returns the kinds that have changed. */
  apply(delta: Delta): ReadonlySet<OtherKind>
}

const KINDS = OBJECT_KINDS.filter((kind) => kind !== 'pod' && kind !== 'node' && kind !== 'nodeClaim')

/** `readOf`: returns the part of an object that matters. An object with an equal part has not changed. */
export function createOtherObjects(loaded: Objects, readOf: Reading): OtherObjectsCache {
  const { pod: _, node: __, nodeClaim: ___, ...objects } = loaded
  let all: OtherObjects = objects

  function applyKind<Each extends OtherKind>(kind: Each, put: readonly ObjectOf<Each>[], removed: readonly string[]): boolean {
    const present: readonly ObjectOf<SnapshotKind>[] = all[kind]
    const byKey = new Map(present.map((each) => [objectKeyOf(each), each]))
    let isChanged = false
    for (const key of removed) isChanged = byKey.delete(key) || isChanged
    for (const each of put) {
      const key = objectKeyOf(each)
      const before = byKey.get(key)
      if (before !== undefined && isSame(readOf(kind, before), readOf(kind, each))) continue
      byKey.set(key, each)
      isChanged = true
    }
    if (isChanged) all = { ...all, [kind]: [...byKey.values()] }
    return isChanged
  }

  return {
    all: () => all,
    apply({ put = {}, removed = {} }) {
      const changed = new Set<OtherKind>()
      for (const kind of KINDS) {
        const [come, gone] = [put[kind] ?? [], removed[kind] ?? []]
        if (come.length + gone.length > 0 && applyKind(kind, come, gone)) changed.add(kind)
      }
      return changed
    },
  }
}

export type Reading = (kind: OtherKind, object: ObjectOf<SnapshotKind>) => unknown

/** The part of an object that planning reads. Most of the status of pools and classes is left out, since it changes with each of their machines. */
export const readByPlanning: Reading = (kind, object) => {
  if ((kind !== 'nodePool' && kind !== 'nodeClass') || !('status' in object) || !('meta' in object)) return object
  const { status, meta, ...rest } = object
  const [ready, paused] = ['Ready', CREATION_PAUSED].map((type) => findCondition(status.conditions, type))
  return { ...rest, uid: meta.uid, deletedAt: meta.deletedAt, ready, paused }
}

/** The newest pod of each DaemonSet: admission may have changed what the template says. */
export interface NewestPods {
  add(pod: Pod): void
  remove(pod: Pod): void
  of(owner: Uid): Pod | undefined
}

export function createNewestPods(): NewestPods {
  const pods = new Map<Uid, Set<Pod>>()
  const newest = new Map<Uid, Pod>()

  function note(owner: Uid, pod: Pod): void {
    const known = newest.get(owner)
    if (known === undefined || isNewer(pod, known)) newest.set(owner, pod)
  }

  return {
    of: (owner) => newest.get(owner),
    add(pod) {
      if (pod.owner === undefined) return
      const { uid } = pod.owner
      pods.set(uid, (pods.get(uid) ?? new Set()).add(pod))
      note(uid, pod)
    },
    remove(pod) {
      if (pod.owner === undefined) return
      const { uid } = pod.owner
      const own = pods.get(uid)
      own?.delete(pod)
      if (newest.get(uid) !== pod) return
      newest.delete(uid)
      for (const other of own ?? []) note(uid, other)
    },
  }
}

function isNewer(pod: Pod, than: Pod): boolean {
  return pod.createdAt > than.createdAt || (pod.createdAt === than.createdAt && pod.uid > than.uid)
}

/** Values kept in order. A few changes cost one search each, many changes cost one sort. */
export interface SortedList<Value> {
  /** A value that is in the list must not be added again. */
  add(value: Value): void
  /** The value must be in the list. */
  remove(value: Value): void
  size(): number
  /** Valid until the next change. */
  values(): readonly Value[]
}

/** The number of changes above which it is cheaper to sort anew. */
const MANY = 64

export function createSortedList<Value>(order: Order<Value>): SortedList<Value> {
  let sorted: Value[] = []
  let added: Value[] = []
  const removed = new Set<Value>()

  function settle(): void {
    const come = removed.size === 0 ? added : added.filter((value) => !removed.delete(value))
    added = []
    if (come.length + removed.size > MANY) {
      const left = removed.size === 0 ? sorted : sorted.filter((value) => !removed.has(value))
      sorted = (left.length === 0 ? come : left.concat(come)).sort(order)
    } else {
      for (const value of removed) {
        const at = sorted.indexOf(value, placeIn(sorted, value, order))
        if (at >= 0) sorted.splice(at, 1)
      }
      for (const value of come) sorted.splice(placeIn(sorted, value, order), 0, value)
    }
    removed.clear()
  }

  return {
    add(value) {
      if (removed.size === 0 || !removed.delete(value)) added.push(value)
    },
    remove: (value) => void removed.add(value),
    size: () => sorted.length + added.length - removed.size,
    values() {
      if (added.length + removed.size > 0) settle()
      return sorted
    },
  }
}

/** The key of an object among objects of its kind: `name`, or `namespace/name`. */
export function objectKeyOf(object: ObjectOf<SnapshotKind>): string {
  return 'name' in object ? object.name : object.key
}
