import { ownValue } from '../../../shared/base/values.ts'
import { asText, at, listAt, numberAt, objectAt, textAt } from '../object/json.ts'
import { isDeleting, type KubeObject, nameOf } from '../object/kubeObject.ts'
import { ageOf, objectAge } from './age.ts'
import { column, type TableLayout, wide } from './tableLayout.ts'
import { plainSelectorOf } from './workloadTables.ts'

const COUNT = { type: 'integer' } as const
const size = (object: KubeObject, member: string): number => Object.keys(objectAt(object, member)).length

export const namespaceTable: TableLayout = {
  columns: [column('Name'), column('Status'), column('Age')],
  row: (object, now) => [nameOf(object), textAt(object, 'status', 'phase'), objectAge(object, now)],
}

export const configMapTable: TableLayout = {
  columns: [column('Name'), column('Data', COUNT), column('Age')],
  row: (object, now) => [nameOf(object), size(object, 'data') + size(object, 'binaryData'), objectAge(object, now)],
}

export const secretTable: TableLayout = {
  columns: [column('Name'), column('Type'), column('Data', COUNT), column('Age')],
  row: (object, now) => [nameOf(object), textAt(object, 'type'), size(object, 'data'), objectAge(object, now)],
}

export const serviceAccountTable: TableLayout = {
  columns: [column('Name'), column('Secrets', COUNT), column('Age')],
  row: (object, now) => [nameOf(object), listAt(object, 'secrets').length, objectAge(object, now)],
}

export const serviceTable: TableLayout = {
  columns: [
    column('Name'),
    column('Type'),
    column('Cluster-IP'),
    column('External-IP'),
    column('Port(s)'),
    column('Age'),
    wide('Selector'),
  ],
  row: (object, now) => [
    nameOf(object),
    textAt(object, 'spec', 'type'),
    textAt(object, 'spec', 'clusterIP') || '<none>',
    '<none>',
    listAt(object, 'spec', 'ports')
      .map((port) => `${asText(at(port, 'port'))}/${textAt(port, 'protocol')}`)
      .join(',') || '<none>',
    objectAge(object, now),
    plainSelectorOf(object),
  ],
}

export const eventTable: TableLayout = {
  columns: [
    column('Last Seen'),
    column('Type'),
    column('Reason'),
    column('Object'),
    wide('Subobject'),
    wide('Source'),
    column('Message'),
    wide('First Seen'),
    wide('Count'),
    wide('Name'),
  ],
  row: (object, now) => {
    const first = textAt(object, 'firstTimestamp') || textAt(object, 'eventTime') || object.metadata.creationTimestamp
    const last = textAt(object, 'series', 'lastObservedTime') || textAt(object, 'lastTimestamp') || first
    const source = [textAt(object, 'source', 'component') || textAt(object, 'reportingComponent'), textAt(object, 'source', 'host')]
    return [
      ageOf(last, now),
      textAt(object, 'type'),
      textAt(object, 'reason'),
      `${textAt(object, 'involvedObject', 'kind').toLowerCase()}/${textAt(object, 'involvedObject', 'name')}`,
      textAt(object, 'involvedObject', 'fieldPath'),
      source.filter((part) => part !== '').join(', '),
      textAt(object, 'message').trim(),
      ageOf(first, now),
      numberAt(object, 'series', 'count') ?? numberAt(object, 'count') ?? 1,
      nameOf(object),
    ]
  },
}

export const leaseTable: TableLayout = {
  columns: [column('Name'), column('Holder'), column('Age')],
  row: (object, now) => [nameOf(object), textAt(object, 'spec', 'holderIdentity'), objectAge(object, now)],
}

const ACCESS_WORDS: { readonly [mode: string]: string } = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

function accessModes(object: KubeObject, ...path: readonly string[]): string {
  return listAt(object, ...path)
    .map((mode) => ownValue(ACCESS_WORDS, asText(mode)) ?? asText(mode))
    .join(',')
}

function phase(object: KubeObject): string {
  return isDeleting(object) ? 'Terminating' : textAt(object, 'status', 'phase')
}

export const volumeTable: TableLayout = {
  columns: [
    ...[
      'Name',
      'Capacity',
      'Access Modes',
      'Reclaim Policy',
      'Status',
      'Claim',
      'StorageClass',
      'VolumeAttributesClass',
      'Reason',
      'Age',
    ].map((name) => column(name)),
    wide('VolumeMode'),
  ],
  row: (object, now) => {
    const claim = objectAt(object, 'spec', 'claimRef')
    return [
      nameOf(object),
      textAt(object, 'spec', 'capacity', 'storage'),
      accessModes(object, 'spec', 'accessModes'),
      textAt(object, 'spec', 'persistentVolumeReclaimPolicy'),
      phase(object),
      claim['name'] === undefined ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`,
      textAt(object, 'spec', 'storageClassName'),
      textAt(object, 'spec', 'volumeAttributesClassName') || '<unset>',
      textAt(object, 'status', 'reason'),
      objectAge(object, now),
      textAt(object, 'spec', 'volumeMode') || '<unset>',
    ]
  },
}

export const volumeClaimTable: TableLayout = {
  columns: [
    ...['Name', 'Status', 'Volume', 'Capacity', 'Access Modes', 'StorageClass', 'VolumeAttributesClass', 'Age'].map((name) => column(name)),
    wide('VolumeMode'),
  ],
  row: (object, now) => [
    nameOf(object),
    phase(object),
    textAt(object, 'spec', 'volumeName'),
    textAt(object, 'status', 'capacity', 'storage'),
    accessModes(object, 'status', 'accessModes'),
    textAt(object, 'spec', 'storageClassName'),
    textAt(object, 'spec', 'volumeAttributesClassName') || '<unset>',
    objectAge(object, now),
    textAt(object, 'spec', 'volumeMode') || '<unset>',
  ],
}

export const storageClassTable: TableLayout = {
  columns: ['Name', 'Provisioner', 'ReclaimPolicy', 'VolumeBindingMode', 'AllowVolumeExpansion', 'Age'].map((name) => column(name)),
  row: (object, now) => {
    const isDefault = object.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true'
    return [
      isDefault ? `${nameOf(object)} (default)` : nameOf(object),
      textAt(object, 'provisioner'),
      textAt(object, 'reclaimPolicy'),
      textAt(object, 'volumeBindingMode'),
      object['allowVolumeExpansion'] === true,
      objectAge(object, now),
    ]
  },
}

export const csiNodeTable: TableLayout = {
  columns: [column('Name'), column('Drivers', COUNT), column('Age')],
  row: (object, now) => [nameOf(object), listAt(object, 'spec', 'drivers').length, objectAge(object, now)],
}

export const attachmentTable: TableLayout = {
  columns: ['Name', 'Attacher', 'PV', 'Node', 'Attached', 'Age'].map((name) => column(name)),
  row: (object, now) => [
    nameOf(object),
    textAt(object, 'spec', 'attacher'),
    textAt(object, 'spec', 'source', 'persistentVolumeName'),
    textAt(object, 'spec', 'nodeName'),
    at(object, 'status', 'attached') === true,
    objectAge(object, now),
  ],
}

export const priorityClassTable: TableLayout = {
  columns: ['Name', 'Value', 'Global-Default', 'Age', 'PreemptionPolicy'].map((name) => column(name)),
  row: (object, now) => [
    nameOf(object),
    numberAt(object, 'value') ?? 0,
    object['globalDefault'] === true,
    objectAge(object, now),
    textAt(object, 'preemptionPolicy') || 'PreemptLowerPriority',
  ],
}

export const signingRequestTable: TableLayout = {
  columns: ['Name', 'Age', 'SignerName', 'Requestor', 'RequestedDuration', 'Condition'].map((name) => column(name)),
  row: (object, now) => {
    const types = listAt(object, 'status', 'conditions').map((condition) => textAt(condition, 'type'))
    const decided = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending'
    const issued = textAt(object, 'status', 'certificate') === '' ? '' : ',Issued'
    const seconds = numberAt(object, 'spec', 'expirationSeconds')
    const duration = seconds === undefined ? '<none>' : `${seconds}s`
    const spec = objectAt(object, 'spec')
    return [nameOf(object), objectAge(object, now), textAt(spec, 'signerName'), textAt(spec, 'username'), duration, `${decided}${issued}`]
  },
}

export const definitionTable: TableLayout = {
  columns: [column('Name'), column('Created At')],
  row: (object) => [nameOf(object), object.metadata.creationTimestamp],
}

export const roleTable: TableLayout = {
  columns: [column('Name'), column('Created At')],
  row: (object) => [nameOf(object), object.metadata.creationTimestamp],
}

export const bindingTable: TableLayout = {
  columns: [column('Name'), column('Role'), column('Age')],
  row: (object, now) => [
    nameOf(object),
    `${textAt(object, 'roleRef', 'kind')}/${textAt(object, 'roleRef', 'name')}`,
    objectAge(object, now),
  ],
}
