import { nodeName, objectKey, uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../shared/model/workloads.ts'
import { instanceType } from '../builders/instanceType.ts'
import { pod } from '../builders/pod.ts'
import { describePlacements, type PlacementCase } from './testing/placementCases.ts'
import { inZone, TWO_NODES } from './testing/shapes.ts'

const withDisk = (name: string, claimName = name): Pod => pod({ name, volumes: [{ kind: 'claim', claimName }] })
const disk = (name: string, shape: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim => ({
  key: objectKey('default', name),
  uid: uid(name),
  storageClassName: 'disk',
  deleted: false,
  ...shape,
})
const DISK: StorageClass = {
  name: 'disk',
  uid: uid('disk'),
  provisioner: 'disk.csi.azure.com',
  bindingMode: 'WaitForFirstConsumer',
  isDefault: false,
  createdAt: 0,
  allowedTopologies: [],
}
const inZone2 = { nodeTerms: [{ matchExpressions: [inZone('2')], matchFields: [] }] }
const volume = (shape: Partial<PersistentVolume> = {}): PersistentVolume => ({
  name: 'v',
  uid: uid('v'),
  driver: 'disk.csi.azure.com',
  ...shape,
})
const ZONELESS = { nodeTerms: [{ matchExpressions: [{ key: LABEL.zone, operator: 'In' as const, values: [''] }], matchFields: [] }] }

/** A pod on a new machine in zone 2, with a volume that exists. */
function bound(
  shape: { readonly claim?: Partial<PersistentVolumeClaim>; readonly volume?: Partial<PersistentVolume> },
  breaks?: 'volume',
): PlacementCase {
  return {
    pods: [withDisk('d')],
    objects: { persistentVolumeClaim: [disk('d', { volumeName: 'v', ...shape.claim })], persistentVolume: [volume(shape.volume)] },
    claims: [{ pods: ['d'], where: [inZone('2')] }],
    ...(breaks === undefined ? {} : { breaks }),
  }
}

/** The same with a volume that does not exist yet. */
function unbound(shape: Partial<StorageClass>): PlacementCase {
  const other = { ...DISK, name: 'other', bindingMode: 'Immediate' as const }
  return {
    pods: [withDisk('d')],
    objects: { persistentVolumeClaim: [disk('d')], storageClass: [other, { ...DISK, ...shape }] },
    claims: [{ pods: ['d'], where: [inZone('2')] }],
  }
}

/** A pod on a new machine, with ephemeral volumes. */
function ephemeral(storageClassName?: string, ...names: readonly string[]): PlacementCase {
  const volumes = (names.length === 0 ? ['one'] : names).map((name) => ({
    kind: 'ephemeral' as const,
    claimName: `p-${name}`,
    ...(storageClassName === undefined ? {} : { storageClassName }),
  }))
  return { pods: [pod({ name: 'p', volumes })], claims: [{ pods: ['p'] }] }
}

/** A second disk, bound like the first, for a node with this attach limit. */
function onFullNode(limit: number): PlacementCase {
  return {
    pods: [withDisk('x'), { ...withDisk('y'), nodeName: nodeName('joiner-a') }],
    objects: {
      ...TWO_NODES,
      persistentVolumeClaim: [disk('x', { volumeName: 'v' }), disk('y', { volumeName: 'w' })],
      persistentVolume: [volume(), volume({ name: 'w' })],
      csiNode: [
        { name: nodeName('joiner-b'), uid: uid('b'), limits: { 'disk.csi.azure.com': 9 } },
        { name: nodeName('joiner-a'), uid: uid('c'), limits: { 'disk.csi.azure.com': limit } },
      ],
    },
    targets: { 'joiner-a': ['x'] },
  }
}

describePlacements('volumes', {
  'a volume in another zone': {
    pods: [withDisk('d')],
    objects: { persistentVolumeClaim: [disk('d', { volumeName: 'v' })], persistentVolume: [volume(inZone2)] },
    claims: [{ pods: ['d'], where: [inZone('1', '2')] }],
    breaks: 'volume',
  },
  'a volume in the same zone': {
    pods: [withDisk('d')],
    objects: { persistentVolumeClaim: [disk('d', { volumeName: 'v' })], persistentVolume: [volume(inZone2)] },
    claims: [{ pods: ['d'], where: [inZone('2')] }],
  },
  'a volume that can only be made elsewhere': {
    pods: [withDisk('d')],
    objects: {
      persistentVolumeClaim: [disk('d')],
      storageClass: [{ ...DISK, allowedTopologies: [[{ key: 'topology.disk.csi.azure.com/zone', values: ['eastus-3'] }]] }],
    },
    claims: [{ pods: ['d'], where: [inZone('1')] }],
    breaks: 'volume',
  },
  'a volume claim that is not there': { pods: [withDisk('d')], claims: [{ pods: ['d'] }], breaks: 'volume' },
  'more disks than a new machine can hold': {
    pods: [withDisk('x'), withDisk('y')],
    types: [{ ...instanceType(), maxDataDisks: 1 }],
    objects: { persistentVolumeClaim: [disk('x'), disk('y')], storageClass: [DISK] },
    claims: [{ pods: ['x', 'y'] }],
    breaks: 'attachLimit',
  },
  'one disk for two pods': {
    pods: [withDisk('x'), withDisk('y', 'x')],
    types: [{ ...instanceType(), maxDataDisks: 1 }],
    objects: { persistentVolumeClaim: [disk('x')], storageClass: [DISK] },
    claims: [{ pods: ['x', 'y'] }],
  },
  'more disks than a node can hold': {
    pods: [withDisk('x'), { ...withDisk('y'), nodeName: nodeName('joiner-a') }],
    objects: {
      ...TWO_NODES,
      persistentVolumeClaim: [disk('x'), disk('y')],
      storageClass: [DISK],
      csiNode: [{ name: nodeName('joiner-a'), uid: uid('c'), limits: { 'disk.csi.azure.com': 1 } }],
    },
    targets: { 'joiner-a': ['x'] },
    breaks: 'attachLimit',
  },
  'a volume that is being deleted': bound({ claim: { deleted: true } }, 'volume'),
  'a volume whose binding nobody has confirmed': bound({ claim: { isBinding: true } }, 'volume'),
  'a volume that was lost': bound({ claim: { isLost: true } }, 'volume'),
  'a volume that is not lost, and bound': bound({ claim: { isBinding: false, isLost: false } }),
  'a claim whose volume is gone': { ...bound({}, 'volume'), objects: { persistentVolumeClaim: [disk('d', { volumeName: 'v' })] } },
  'a claim whose volume is being deleted': bound({ volume: { deleted: true } }, 'volume'),
  'a volume in one of several places': bound({
    volume: { nodeTerms: [{ matchExpressions: [inZone('9')], matchFields: [] }, ...inZone2.nodeTerms] },
  }),
  'a volume that asks for two things at once': bound(
    { volume: { nodeTerms: [{ matchExpressions: [inZone('2'), { key: 'rack', operator: 'Exists', values: [] }], matchFields: [] }] } },
    'volume',
  ),
  'a volume by the name of the disk driver for zones': bound({
    volume: { nodeTerms: [{ matchExpressions: [{ ...inZone('2'), key: 'topology.disk.csi.azure.com/zone' }], matchFields: [] }] },
  }),
  'a volume without a zone on a machine in one': bound({ volume: ZONELESS }, 'volume'),
  'a volume without a zone on a machine without one': {
    ...bound({ volume: ZONELESS }),
    types: [instanceType({ zones: ['0'] })],
    claims: [{ pods: ['d'] }],
  },
  'a volume of a class that binds at once, and did not': { ...unbound({ bindingMode: 'Immediate' }), breaks: 'volume' },
  'a volume of no class': {
    pods: [withDisk('d')],
    objects: { persistentVolumeClaim: [disk('d')] },
    claims: [{ pods: ['d'] }],
    breaks: 'volume',
  },
  'a volume that can be made anywhere': unbound({}),
  'a volume that can be made here or elsewhere': unbound({
    allowedTopologies: [[{ key: LABEL.zone, values: ['eastus-9'] }], [{ key: LABEL.zone, values: ['eastus-2', 'eastus-3'] }]],
  }),
  'a volume that can be made with a label that machines lack': {
    ...unbound({
      allowedTopologies: [
        [
          { key: LABEL.zone, values: ['eastus-2'] },
          { key: 'rack', values: ['r'] },
        ],
      ],
    }),
    breaks: 'volume',
  },
  'a volume of a pod of another namespace': {
    pods: [withDisk('d')],
    objects: { persistentVolumeClaim: [disk('d', { key: objectKey('other', 'd') })], storageClass: [DISK] },
    claims: [{ pods: ['d'] }],
    breaks: 'volume',
  },
  'a volume that comes with its pod, and is not there yet': { ...ephemeral('disk'), objects: { storageClass: [DISK] } },
  'a volume that comes with its pod, of no class': { ...ephemeral(), objects: { storageClass: [DISK] }, breaks: 'volume' },
  'a volume that comes with its pod, and is elsewhere': {
    ...ephemeral('disk'),
    objects: { storageClass: [DISK], persistentVolumeClaim: [disk('p-one', { volumeName: 'v' })], persistentVolume: [volume(inZone2)] },
    claims: [{ pods: ['p'], where: [inZone('1')] }],
    breaks: 'volume',
  },
  'two volumes that come with one pod, and room for one': {
    ...ephemeral('disk', 'one', 'two'),
    types: [{ ...instanceType(), maxDataDisks: 1 }],
    objects: { storageClass: [DISK] },
    breaks: 'attachLimit',
  },
  'two volumes that come with one pod, and room for both': {
    ...ephemeral('disk', 'one', 'two'),
    types: [{ ...instanceType(), maxDataDisks: 2 }],
    objects: { storageClass: [DISK] },
  },
  'what is no volume of a claim': {
    pods: [
      pod({
        volumes: [
          { kind: 'csi', driver: 'disk.csi.azure.com' },
          { kind: 'other', type: 'nfs' },
        ],
      }),
    ],
    types: [{ ...instanceType(), maxDataDisks: 0 }],
    claims: [{ pods: ['pod'] }],
  },
  'as many disks as a node can hold': onFullNode(2),
  'more volumes of a driver than a node can hold, which are bound': { ...onFullNode(1), breaks: 'attachLimit' },
  'no more volumes on a node that has too many': {
    ...onFullNode(0),
    pods: [pod({ name: 'x' }), { ...withDisk('y'), nodeName: nodeName('joiner-a') }],
  },
  'one more of the volumes that a node has too many of': {
    ...onFullNode(0),
    pods: [withDisk('x', 'y'), { ...withDisk('y'), nodeName: nodeName('joiner-a') }],
  },
  'volumes of a driver without a limit': {
    ...onFullNode(0),
    objects: { ...onFullNode(0).objects, csiNode: [{ name: nodeName('joiner-a'), uid: uid('c'), limits: { other: 0 } }] },
  },
})
