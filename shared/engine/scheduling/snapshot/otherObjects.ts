/** Objects of the kinds with few objects: pools, classes, budgets, volumes and others. A list stays the same until one of its objects changes. */
import { isSame } from '../../../base/isSame.ts'
import { OBJECT_KINDS } from '../../../model/clusterObjects.ts'
import { findCondition } from '../../../model/condition.ts'
import { CREATION_PAUSED } from '../../../model/nodePool.ts'
import type { FewObjects } from '../../cluster/fleetSnapshot.ts'
import type { Delta, ObjectOf, Objects, SnapshotKind } from './delta.ts'
import { objectKeyOf } from './delta.ts'

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
