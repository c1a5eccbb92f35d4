import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'

export type Objects = ClusterSnapshot['objects']
export type SnapshotKind = keyof Objects
export type ObjectOf<Each extends SnapshotKind> = Objects[Each][number]

/** What has come, changed or gone since the cluster was loaded. What is put takes the place of what had its key; keys that nothing has are no matter. */
export type Delta = {
  readonly put?: { readonly [Each in SnapshotKind]?: readonly ObjectOf<Each>[] }
  readonly removed?: { readonly [Each in SnapshotKind]?: readonly string[] }
}

/** What tells two objects of one kind apart: `name`, or `namespace/name`. */
export function keyOf(object: ObjectOf<SnapshotKind>): string {
  return 'name' in object ? object.name : object.key
}
