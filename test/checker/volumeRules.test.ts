import { nodeName, objectKey, uid } from '../../shared/model/ids.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../shared/model/workloads.ts'
import { instanceType } from '../builders/instanceType.ts'
import { pod } from '../builders/pod.ts'
import { describePlacements } from './testing/placementCases.ts'
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
})
