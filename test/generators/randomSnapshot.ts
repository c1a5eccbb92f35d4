/** Small clusters with a random mixture of features. The same seed gives the same cluster everywhere. */
import type { ObjectByKind, ObjectKind } from '../../shared/model/clusterObjects.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { namespaceOf, uid } from '../../shared/model/ids.ts'
import type { Node } from '../../shared/model/node.ts'
import type { CsiNode } from '../../shared/model/workloads.ts'
import { objectFromKube } from '../../shared/wire/kube/object.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { ago, NOW, SECOND } from '../builders/clock.ts'
import { snapshot } from '../builders/snapshot.ts'
import { randomMachines } from './randomMachines.ts'
import { type Mixture, type PodManifest, randomContainers, randomTolerations, randomWorkload, USUAL } from './randomPods.ts'
import { randomPools } from './randomPools.ts'
import { BOUND_NAMES, CLAIM_NAMES, randomStorage, type Storage } from './randomStorage.ts'
import { randomTypes } from './randomTypes.ts'
import { withRarePodFields, withZoneLabels } from './rareFields.ts'
import { ARCH, NAMESPACES } from './words.ts'

/** The manifests that users would have written, beside the snapshot made from them. The manifests have only the fields that decisions read. */
export type RandomWorld = {
  readonly snapshot: ClusterSnapshot
  readonly waiting: readonly PodManifest[]
  /** Running pods that no DaemonSet owns. */
  readonly bound: readonly PodManifest[]
  readonly daemonSets: readonly DaemonManifest[]
  readonly storage: Storage
}

export function randomSnapshot(seed: number, mixture: Mixture = USUAL): ClusterSnapshot {
  return randomWorld(seed, mixture).snapshot
}

export function randomWorld(seed: number, mixture: Mixture = USUAL): RandomWorld {
  const random = createRandom(seed)
  const rare = createRandom(seed ^ RARE)
  const types = randomTypes(random)
  const pools = randomPools(random)
  const { nodes, claims, drafts } = randomMachines(random, pools, types)
  const daemons = Array.from({ length: random.int(3) }, (_, index) => randomDaemon(random, `daemon-${index}`))
  const workloads = Array.from({ length: mixture.workloads + random.int(5) }, (_, index) =>
    randomWorkload(random, `w${index}`, mixture, CLAIM_NAMES),
  )
    .flat()
    .map((each) => withRarePodFields(rare, each))
  const bound = nodes.flatMap((node) => boundPods(random, node, mixture))
  const storage = withZoneLabels(rare, randomStorage(random))
  const { storageClasses, persistentVolumes, persistentVolumeClaims } = storage
  const waiting = workloads.map((each) => waitingPod(random, each))
  const pods = [...waiting, ...bound].map((each) => read('pod', each))
  const given = snapshot({
    types,
    drafts,
    settings: {
      minValuesPolicy: random.chance(0.75) ? 'Strict' : 'BestEffort',
      preferencePolicy: random.chance(0.75) ? 'Respect' : 'Ignore',
      ...(random.chance(0.1) ? { maxInstanceTypes: 3 } : {}),
    },
    objects: {
      pod: [...pods, ...daemonPods(random, daemons, nodes)],
      node: nodes,
      nodeClaim: claims,
      nodePool: pools,
      daemonSet: daemons.map((each) => read('daemonSet', each)),
      namespace: [...NAMESPACES, 'kube-system'].map((name) => read('namespace', { metadata: { name, labels: { kind: name } } })),
      storageClass: storageClasses.map((each) => read('storageClass', each)),
      persistentVolume: persistentVolumes.map((each) => read('persistentVolume', each)),
      persistentVolumeClaim: [
        ...persistentVolumeClaims.map((each) => read('persistentVolumeClaim', each)),
        ...pods.flatMap(ephemeralClaims),
      ],
      csiNode: random
        .some(nodes, 0.6)
        .map(({ name }): CsiNode => ({ name, uid: uid(name), limits: { 'disk.csi.azure.com': random.int(4) } })),
    },
  })
  return { snapshot: given, waiting, bound, daemonSets: daemons, storage }
}

/** Begins other random numbers of the same seed. */
const RARE = 0x5eed

function waitingPod(random: Random, { metadata, spec }: PodManifest): PodManifest {
  const at = new Date(ago((1 + random.int(60)) * SECOND)).toISOString()
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: at }]
  return { metadata: { ...metadata, creationTimestamp: at }, spec, status: { phase: 'Pending', conditions } }
}

/** The claims of the pod's ephemeral volumes. A few are missing, because the controller makes them a moment after the pod. */
function ephemeralClaims(pod: ObjectByKind['pod'], index: number): readonly ObjectByKind['persistentVolumeClaim'][] {
  const { volumes, nodeName } = pod
  const namespace = namespaceOf(pod)
  return volumes.flatMap((volume) => {
    if (volume.kind !== 'ephemeral' || (nodeName === undefined && index % 17 === 16)) return []
    const { claimName: name, storageClassName } = volume
    return [read('persistentVolumeClaim', { metadata: { name, namespace }, spec: { storageClassName } })]
  })
}

/** Running pods of the node. Their requests are small. */
function boundPods(random: Random, node: Node, mixture: Mixture): readonly PodManifest[] {
  const creationTimestamp = new Date(NOW - 3_600_000).toISOString()
  return Array.from({ length: random.int(4) }).flatMap((_, index) => {
    const name = `on-${node.name}-${index}`
    const [first] = randomWorkload(random, name, { ...mixture, volumes: mixture.volumes / 2 }, BOUND_NAMES)
    const containers = randomContainers(random, false)
    if (first === undefined) return []
    const spec = { ...first.spec, containers, initContainers: [], nodeName: node.name }
    return [{ metadata: { ...first.metadata, creationTimestamp }, spec, status: { phase: 'Running' } }]
  })
}

export type DaemonManifest = {
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: { readonly template: { readonly metadata: object; readonly spec: object } }
}

function randomDaemon(random: Random, name: string): DaemonManifest {
  const port = random.chance(0.2) ? { ports: [{ containerPort: 9100, hostPort: 9100, protocol: 'TCP' }] } : {}
  const [container] = randomContainers(random, false)
  const spec = {
    containers: [{ ...container, ...port }],
    tolerations: random.chance(0.5) ? [{ operator: 'Exists' }] : randomTolerations(random),
    ...(random.chance(0.3) ? { nodeSelector: { [ARCH]: random.pick(['amd64', 'arm64']) } } : {}),
  }
  return { metadata: { name, namespace: 'kube-system' }, spec: { template: { metadata: { labels: { daemon: name } }, spec } } }
}

function daemonPods(random: Random, daemons: readonly DaemonManifest[], nodes: readonly Node[]): readonly ObjectByKind['pod'][] {
  return daemons.flatMap(({ metadata, spec: { template } }) =>
    random.some(nodes, 0.5).map(({ name: nodeName }) => {
      const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: metadata.name, uid: metadata.name, controller: true }
      const name = `${metadata.name}-${nodeName}`
      return read('pod', {
        metadata: { ...template.metadata, name, namespace: metadata.namespace, ownerReferences: [owner] },
        spec: { ...template.spec, nodeName },
        status: { phase: 'Running' },
      })
    }),
  )
}

type Manifest = { readonly metadata: object; readonly [field: string]: unknown }

/** Reads the manifest with its name as uid, so that the same seed gives the same uids. */
function read<Kind extends ObjectKind>(kind: Kind, manifest: Manifest): ObjectByKind[Kind] {
  const metadata = { uid: 'name' in manifest.metadata ? manifest.metadata.name : kind, ...manifest.metadata }
  const result = objectFromKube(kind, { ...manifest, metadata })
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}
