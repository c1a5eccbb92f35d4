import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'

export type Objects = ClusterSnapshot['objects']
export type SnapshotKind = keyof Objects
export type ObjectOf<Each extends SnapshotKind> = Objects[Each][number]

/** The changes since the cluster was loaded. An object that is put replaces the object with its key. Removed keys need not exist. */
export type Delta = {
  readonly put?: { readonly [Each in SnapshotKind]?: readonly ObjectOf<Each>[] }
  readonly removed?: { readonly [Each in SnapshotKind]?: readonly string[] }
}

/** The key of an object among objects of its kind: `name`, or `namespace/name`. */
export function objectKeyOf(object: ObjectOf<SnapshotKind>): string {
  return 'name' in object ? object.name : object.key
}
