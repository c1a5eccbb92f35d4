import type { ObjectByKind, ObjectKind } from '../../model/clusterObjects.ts'

/** Objects of a cluster, a list for each kind. */
export type ObjectLists = { [Kind in ObjectKind]: ObjectByKind[Kind][] }

export function addTo<Kind extends ObjectKind>(
  lists: ObjectLists,
  change: { readonly kind: Kind; readonly object: ObjectByKind[Kind] },
): void {
  lists[change.kind].push(change.object)
}

export function emptyLists(): ObjectLists {
  return {
    pod: [],
    node: [],
    nodeClaim: [],
    nodePool: [],
    nodeClass: [],
    daemonSet: [],
    podDisruptionBudget: [],
    persistentVolumeClaim: [],
    persistentVolume: [],
    storageClass: [],
    csiNode: [],
    volumeAttachment: [],
    namespace: [],
    nodeOverlay: [],
    capacityBuffer: [],
    podTemplate: [],
    deployment: [],
    statefulSet: [],
    replicaSet: [],
    replicationController: [],
    service: [],
  }
}
