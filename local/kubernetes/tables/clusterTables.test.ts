import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../object/kubeObject.ts'
import {
  attachmentTable,
  configMapTable,
  csiNodeTable,
  eventTable,
  leaseTable,
  namespaceTable,
  priorityClassTable,
  secretTable,
  serviceAccountTable,
  serviceTable,
  storageClassTable,
  volumeClaimTable,
  volumeTable,
} from './clusterTables.ts'
import type { TableLayout } from './tableLayout.ts'

const NOW = Date.parse('2026-01-01T01:00:00Z')
const METADATA = { name: 'one', namespace: 'shop', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }

/** Returns what kubectl shows of an object, by column name. */
function shown(table: TableLayout, members: object): { readonly [column: string]: unknown } {
  const object: KubeObject = { apiVersion: 'v1', kind: 'Any', metadata: METADATA, ...members }
  const cells = table.row(object, NOW)
  return Object.fromEntries(table.columns.map(({ name }, index) => [name, cells[index]]))
}

const named = { Name: 'one', Age: '60m' }

type Row = { readonly table: TableLayout; readonly members: object; readonly want: object }

const ROWS: { readonly [sentence: string]: Row } = {
  'a Namespace': { table: namespaceTable, members: { status: { phase: 'Active' } }, want: { ...named, Status: 'Active' } },
  'a ConfigMap, whose texts and bytes both count': {
    table: configMapTable,
    members: { data: { a: '1', b: '2' }, binaryData: { c: 'AA==' } },
    want: { ...named, Data: 3 },
  },
  'a Secret': { table: secretTable, members: { type: 'Opaque', data: { a: 'AA==' } }, want: { ...named, Type: 'Opaque', Data: 1 } },
  'a ServiceAccount': { table: serviceAccountTable, members: { secrets: [{ name: 's' }] }, want: { ...named, Secrets: 1 } },
  'a Service': {
    table: serviceTable,
    members: {
      spec: {
        type: 'ClusterIP',
        clusterIP: '10.0.0.1',
        selector: { app: 'web' },
        ports: [
          { port: 80, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
      },
    },
    want: {
      ...named,
      Type: 'ClusterIP',
      'Cluster-IP': '10.0.0.1',
      'External-IP': '<none>',
      'Port(s)': '80/TCP,53/UDP',
      Selector: 'app=web',
    },
  },
  'a Service without address and ports': {
    table: serviceTable,
    members: { spec: { type: 'ExternalName' } },
    want: { ...named, Type: 'ExternalName', 'Cluster-IP': '<none>', 'External-IP': '<none>', 'Port(s)': '<none>', Selector: '<none>' },
  },
  'a Lease': { table: leaseTable, members: { spec: { holderIdentity: 'shim-0' } }, want: { ...named, Holder: 'shim-0' } },
  'a PersistentVolume that a claim has': {
    table: volumeTable,
    members: {
      spec: {
        capacity: { storage: '8Gi' },
        accessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod', 'Other'],
        persistentVolumeReclaimPolicy: 'Delete',
        claimRef: { namespace: 'shop', name: 'data' },
        storageClassName: 'disk',
        volumeAttributesClassName: 'fast',
        volumeMode: 'Block',
      },
      status: { phase: 'Bound', reason: 'because' },
    },
    want: {
      ...named,
      Capacity: '8Gi',
      'Access Modes': 'RWO,ROX,RWX,RWOP,Other',
      'Reclaim Policy': 'Delete',
      Status: 'Bound',
      Claim: 'shop/data',
      StorageClass: 'disk',
      VolumeAttributesClass: 'fast',
      Reason: 'because',
      VolumeMode: 'Block',
    },
  },
  'a PersistentVolume that nobody has and that goes': {
    table: volumeTable,
    members: { metadata: { ...METADATA, deletionTimestamp: '2026-01-01T00:30:00Z' }, status: { phase: 'Available' } },
    want: {
      ...named,
      Capacity: '',
      'Access Modes': '',
      'Reclaim Policy': '',
      Status: 'Terminating',
      Claim: '',
      StorageClass: '',
      VolumeAttributesClass: '<unset>',
      Reason: '',
      VolumeMode: '<unset>',
    },
  },
  'a PersistentVolumeClaim': {
    table: volumeClaimTable,
    members: {
      spec: { volumeName: 'pv-1', storageClassName: 'disk', volumeMode: 'Filesystem', accessModes: ['ReadWriteMany'] },
      status: { phase: 'Bound', capacity: { storage: '8Gi' }, accessModes: ['ReadWriteOnce'] },
    },
    want: {
      ...named,
      Status: 'Bound',
      Volume: 'pv-1',
      Capacity: '8Gi',
      'Access Modes': 'RWO',
      StorageClass: 'disk',
      VolumeAttributesClass: '<unset>',
      VolumeMode: 'Filesystem',
    },
  },
  'a StorageClass': {
    table: storageClassTable,
    members: { provisioner: 'disk.csi.azure.com', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate', allowVolumeExpansion: true },
    want: {
      ...named,
      Provisioner: 'disk.csi.azure.com',
      ReclaimPolicy: 'Delete',
      VolumeBindingMode: 'Immediate',
      AllowVolumeExpansion: true,
    },
  },
  'the StorageClass that is the default': {
    table: storageClassTable,
    members: { metadata: { ...METADATA, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } },
    want: {
      ...named,
      Name: 'one (default)',
      Provisioner: '',
      ReclaimPolicy: '',
      VolumeBindingMode: '',
      AllowVolumeExpansion: false,
    },
  },
  'a CSINode': { table: csiNodeTable, members: { spec: { drivers: [{ name: 'a' }, { name: 'b' }] } }, want: { ...named, Drivers: 2 } },
  'a VolumeAttachment': {
    table: attachmentTable,
    members: {
      spec: { attacher: 'disk.csi.azure.com', source: { persistentVolumeName: 'pv-1' }, nodeName: 'node-1' },
      status: { attached: true },
    },
    want: { ...named, Attacher: 'disk.csi.azure.com', PV: 'pv-1', Node: 'node-1', Attached: true },
  },
  'a PriorityClass': {
    table: priorityClassTable,
    members: { value: 100, globalDefault: true, preemptionPolicy: 'Never' },
    want: { ...named, Value: 100, 'Global-Default': true, PreemptionPolicy: 'Never' },
  },
  'a PriorityClass that says nothing': {
    table: priorityClassTable,
    members: {},
    want: { ...named, Value: 0, 'Global-Default': false, PreemptionPolicy: 'PreemptLowerPriority' },
  },
}

describe('kubectl shows of', () => {
  for (const [sentence, { table, members, want }] of Object.entries(ROWS)) it(sentence, () => expect(shown(table, members)).toEqual(want))
})

describe('an Event', () => {
  const said = { type: 'Warning', reason: 'Failed', message: ' it broke\n', involvedObject: { kind: 'Pod', name: 'web-1' } }
  const cellsOf = (members: object) => eventTable.row({ apiVersion: 'v1', kind: 'Event', metadata: METADATA, ...members }, NOW)

  it('shows when it came first and last, about what, from whom and how often', () => {
    const times = { firstTimestamp: '2026-01-01T00:10:00Z', lastTimestamp: '2026-01-01T00:40:00Z' }
    const source = { component: 'kubelet', host: 'node-1' }
    expect(cellsOf({ ...said, ...times, source, count: 4 })).toEqual([
      '20m',
      'Warning',
      'Failed',
      'pod/web-1',
      '',
      'kubelet, node-1',
      'it broke',
      '50m',
      4,
      'one',
    ])
  })

  it('of the newer form has its times in a series', () => {
    const series = { lastObservedTime: '2026-01-01T00:59:00Z', count: 7 }
    const cells = cellsOf({ ...said, eventTime: '2026-01-01T00:20:00Z', series, count: 2, reportingComponent: 'scheduler' })
    expect(cells).toEqual(['60s', 'Warning', 'Failed', 'pod/web-1', '', 'scheduler', 'it broke', '40m', 7, 'one'])
  })

  it('without times is as old as its object, and came once', () => {
    expect(cellsOf(said)).toMatchObject({ 0: '60m', 7: '60m', 8: 1 })
  })
})
