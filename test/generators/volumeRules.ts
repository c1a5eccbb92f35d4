/** Volume claims that one pod may use at a time, claims whose node kube-scheduler has chosen, and claims of classes that make no volumes. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { namespaceOf, nodeName, uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../shared/model/workloads.ts'
import type { Random } from '../agreement/random.ts'

export function withVolumeRules(random: Random, snapshot: ClusterSnapshot): ClusterSnapshot {
  const { node, persistentVolumeClaim: claims } = snapshot.objects
  const storageClass = snapshot.objects.storageClass.map(
    (each): StorageClass => (random.chance(0.5) ? { ...each, provisioner: NO_PROVISIONER } : each),
  )
  const fixed = new Set(storageClass.flatMap(({ name, provisioner }) => (provisioner === NO_PROVISIONER ? [name] : [])))
  const nodes = [nodeName('gone'), ...node.map(({ name }) => name)]
  const persistentVolumeClaim = claims.map((each): PersistentVolumeClaim => {
    const selected = each.volumeName === undefined && random.chance(0.4) ? { selectedNode: random.pick(nodes) } : {}
    const isFixed = fixed.has(each.storageClassName ?? '')
    const asks = { storage: random.int(3), accessModes: ['ReadWriteOnce'] }
    return { ...each, ...(isFixed ? { asks } : selected), ...(random.chance(0.4) ? { isOncePod: true } : {}) }
  })
  // Some running pods have the claims that others wait for.
  const waiting = snapshot.objects.pod.filter((each) => each.nodeName === undefined && each.volumes.length > 0)
  const pod = snapshot.objects.pod.map((each): Pod => {
    const near = waiting.filter((other) => namespaceOf(other) === namespaceOf(each))
    return each.nodeName !== undefined && near.length > 0 && random.chance(0.35) ? { ...each, volumes: random.pick(near).volumes } : each
  })
  const local = [...fixed].flatMap((name) => node.flatMap((each) => (random.chance(0.7) ? [localVolume(random, each, name)] : [])))
  const persistentVolume = [...snapshot.objects.persistentVolume, ...local]
  return { ...snapshot, objects: { ...snapshot.objects, storageClass, persistentVolumeClaim, persistentVolume, pod } }
}

const NO_PROVISIONER = 'kubernetes.io/no-provisioner'

function localVolume(random: Random, { name, meta }: Node, storageClass: string): PersistentVolume {
  const host = { key: LABEL.hostname, operator: 'In', values: [meta.labels[LABEL.hostname] ?? name] } as const
  return {
    name: `${storageClass}-${name}`,
    uid: uid(`${storageClass}-${name}`),
    // Some volumes can be used on every node.
    ...(random.chance(0.8) ? { nodeTerms: [{ matchExpressions: [host], matchFields: [] }] } : {}),
    offers: { storageClass, storage: random.int(4), accessModes: random.chance(0.8) ? ['ReadWriteOnce'] : ['ReadOnlyMany'], labels: {} },
  }
}
