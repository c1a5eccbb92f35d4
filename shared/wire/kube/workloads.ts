import { defined } from '../../base/values.ts'
import { type NodeName, nodeName, type ObjectKey, objectKey, type Uid, uid } from '../../model/ids.ts'
import { LABEL, type Labels } from '../../model/labels.ts'
import type { NodeSelectorTerm } from '../../model/pod.ts'
import type {
  CsiNode,
  DaemonSet,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  StorageClass,
  VolumeAsk,
  VolumeAttachment,
  VolumeOffer,
} from '../../model/workloads.ts'
import type { Trail } from '../codec.ts'
import { NO_LABELS } from '../objects/shared.ts'
import { condition, labelSelector, labels } from './meta.ts'
import { podOf } from './pod.ts'
import { requiredTerms } from './podConstraints.ts'
import { instant, integer, items, type KubeObject, type KubeRead, maybe, need, object, oneOf, resources, text } from './read.ts'

/** Reads a DaemonSet as the pod that its template makes. A limit without a request counts as the request, as the API server defaults it for pods. */
export const daemonSet: KubeRead<DaemonSet> = (json, trail) => {
  const { root, metadata } = open(json, trail)
  const identity = namespaced(metadata, trail)
  const template = need(need(root, 'spec', object, trail), 'template', object, trail)
  const pod = podOf({
    metadata: maybe(template, 'metadata', object, trail) ?? {},
    spec: need(template, 'spec', object, trail),
    status: {},
    isTemplate: true,
    trail,
  })
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: need(metadata, 'name', text, trail), uid: identity.uid }
  return { ...identity, pod: { ...pod, ...identity, owner } }
}

export const podDisruptionBudget: KubeRead<PodDisruptionBudget> = (json, trail) => {
  const { root, metadata } = open(json, trail)
  const spec = maybe(root, 'spec', object, trail) ?? {}
  const status = maybe(root, 'status', object, trail) ?? {}
  return defined({
    ...namespaced(metadata, trail),
    selector: maybe(spec, 'selector', labelSelector, trail),
    disruptionsAllowed: maybe(status, 'disruptionsAllowed', integer, trail) ?? 0,
    currentHealthy: maybe(status, 'currentHealthy', integer, trail),
    desiredHealthy: maybe(status, 'desiredHealthy', integer, trail),
    expectedPods: maybe(status, 'expectedPods', integer, trail),
    unhealthyPodEvictionPolicy:
      maybe(spec, 'unhealthyPodEvictionPolicy', oneOf('IfHealthyBudget', 'AlwaysAllow'), trail) ?? 'IfHealthyBudget',
    conditions: items(status, 'conditions', condition, trail),
    minAvailable: maybe(spec, 'minAvailable', countOrShare, trail),
    maxUnavailable: maybe(spec, 'maxUnavailable', countOrShare, trail),
  })
}

export const namespace: KubeRead<Namespace> = (json, trail) => {
  const { metadata } = open(json, trail)
  return { ...named(metadata, trail), labels: maybe(metadata, 'labels', labels, trail) ?? NO_LABELS }
}

export const persistentVolumeClaim: KubeRead<PersistentVolumeClaim> = (json, trail) => {
  const { root, metadata } = open(json, trail)
  const spec = maybe(root, 'spec', object, trail) ?? {}
  const volumeName = maybe(spec, 'volumeName', text, trail) || undefined
  const annotations = maybe(metadata, 'annotations', object, trail) ?? {}
  const isConfirmed = annotations[BIND_COMPLETED] !== undefined
  return defined({
    ...namespaced(metadata, trail),
    volumeName,
    storageClassName: maybe(spec, 'storageClassName', text, trail),
    deleted: maybe(metadata, 'deletionTimestamp', instant, trail) !== undefined,
    isBinding: volumeName !== undefined && !isConfirmed ? true : undefined,
    isLost: maybe(root, 'status', object, trail)?.['phase'] === 'Lost' ? true : undefined,
    isOncePod: items(spec, 'accessModes', text, trail).includes('ReadWriteOncePod') ? true : undefined,
    ...(volumeName === undefined ? { selectedNode: selectedNodeOf(annotations, trail), asks: asksOf(spec, trail) } : {}),
  })
}

function selectedNodeOf(annotations: KubeObject, trail: Trail): NodeName | undefined {
  const selected = maybe(annotations, SELECTED_NODE, text, trail) ?? ''
  return selected === '' ? undefined : nodeName(selected)
}

function asksOf(spec: KubeObject, trail: Trail): VolumeAsk {
  return defined({
    storage: maybe(maybe(spec, 'resources', object, trail) ?? {}, 'requests', resources, trail)?.['storage'] ?? 0,
    accessModes: items(spec, 'accessModes', text, trail),
    isBlock: isBlockOf(spec, trail),
    selector: maybe(spec, 'selector', labelSelector, trail),
  })
}

function isBlockOf(spec: KubeObject, trail: Trail): true | undefined {
  return maybe(spec, 'volumeMode', text, trail) === 'Block' ? true : undefined
}

const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'
const SELECTED_NODE = 'volume.kubernetes.io/selected-node'

export const persistentVolume: KubeRead<PersistentVolume> = (json, trail) => {
  const { root, metadata } = open(json, trail)
  const spec = maybe(root, 'spec', object, trail) ?? {}
  const affinity = maybe(spec, 'nodeAffinity', object, trail) ?? {}
  return defined({
    ...named(metadata, trail),
    driver: driverOf(spec, trail),
    nodeTerms: withZones(maybe(affinity, 'required', requiredTerms, trail), zonesOf(maybe(metadata, 'labels', labels, trail) ?? NO_LABELS)),
    deleted: maybe(metadata, 'deletionTimestamp', instant, trail) === undefined ? undefined : true,
    offers: isAvailable(root, trail) ? offersOf(spec, maybe(metadata, 'labels', labels, trail) ?? NO_LABELS, trail) : undefined,
  })
}

function isAvailable(root: KubeObject, trail: Trail): boolean {
  return maybe(maybe(root, 'status', object, trail) ?? {}, 'phase', text, trail) === 'Available'
}

function offersOf(spec: KubeObject, own: Labels, trail: Trail): VolumeOffer | undefined {
  const storageClass = maybe(spec, 'storageClassName', text, trail) ?? ''
  if (storageClass === '') return undefined
  const claim = maybe(spec, 'claimRef', object, trail)
  const claimUid = claim && maybe(claim, 'uid', text, trail)
  return defined({
    storageClass,
    storage: maybe(spec, 'capacity', resources, trail)?.['storage'] ?? 0,
    accessModes: items(spec, 'accessModes', text, trail),
    isBlock: isBlockOf(spec, trail),
    labels: own,
    claim: claim && objectKey(need(claim, 'namespace', text, trail), need(claim, 'name', text, trail)),
    claimUid: claimUid === undefined ? undefined : uid(claimUid),
  })
}

/** Labels of a volume that kube-scheduler's plugin VolumeZone compares with the labels of the node. */
const ZONE_LABELS: ReadonlySet<string> = new Set([
  LABEL.zone,
  LABEL.region,
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
])

/** One label may name several zones, joined by two underscores. */
function zonesOf(volumeLabels: Labels): NodeSelectorTerm['matchExpressions'] {
  const zones = Object.entries(volumeLabels).filter(([key]) => ZONE_LABELS.has(key))
  return zones.map(([key, value]) => ({ key, operator: 'In', values: value.split('__') }))
}

/** The node must meet a term of the node affinity and every zone label. */
function withZones(terms: PersistentVolume['nodeTerms'], zones: NodeSelectorTerm['matchExpressions']): PersistentVolume['nodeTerms'] {
  if (zones.length === 0) return terms
  if (terms === undefined) return [{ matchExpressions: zones, matchFields: [] }]
  return terms.map((term) => ({ ...term, matchExpressions: [...term.matchExpressions, ...zones] }))
}

export const storageClass: KubeRead<StorageClass> = (json, trail) => {
  const { root, metadata } = open(json, trail)
  const annotations = maybe(metadata, 'annotations', labels, trail) ?? NO_LABELS
  return {
    ...named(metadata, trail),
    provisioner: need(root, 'provisioner', text, trail),
    bindingMode: maybe(root, 'volumeBindingMode', oneOf('Immediate', 'WaitForFirstConsumer'), trail) ?? 'Immediate',
    isDefault: annotations['storageclass.kubernetes.io/is-default-class'] === 'true',
    createdAt: maybe(metadata, 'creationTimestamp', instant, trail) ?? 0,
    allowedTopologies: items(root, 'allowedTopologies', topology, trail),
  }
}

export const csiNode: KubeRead<CsiNode> = (json, trail) => {
  const { root, metadata } = open(json, trail)
  const drivers = items(maybe(root, 'spec', object, trail) ?? {}, 'drivers', driverLimit, trail)
  const limits = Object.fromEntries(drivers.flatMap(({ name, limit }) => (limit === undefined ? [] : [[name, limit] as const])))
  const unlimited = drivers.flatMap(({ name, limit }) => (limit === undefined ? [name] : []))
  const { name, uid: id } = named(metadata, trail)
  return defined({ name: nodeName(name), uid: id, limits, unlimited: unlimited.length > 0 ? unlimited : undefined })
}

export const volumeAttachment: KubeRead<VolumeAttachment> = (json, trail) => {
  const { root, metadata } = open(json, trail)
  const spec = need(root, 'spec', object, trail)
  const source = maybe(spec, 'source', object, trail) ?? {}
  return defined({
    ...named(metadata, trail),
    node: nodeName(need(spec, 'nodeName', text, trail)),
    volumeName: maybe(source, 'persistentVolumeName', text, trail),
  })
}

function open(json: unknown, trail: Trail): { readonly root: KubeObject; readonly metadata: KubeObject } {
  const root = object(json, trail)
  return { root, metadata: need(root, 'metadata', object, trail) }
}

function named(metadata: KubeObject, trail: Trail): { readonly name: string; readonly uid: Uid } {
  return { name: need(metadata, 'name', text, trail), uid: uid(need(metadata, 'uid', text, trail)) }
}

export function namespaced(metadata: KubeObject, trail: Trail): { readonly key: ObjectKey; readonly uid: Uid } {
  const { name, uid: id } = named(metadata, trail)
  return { key: objectKey(need(metadata, 'namespace', text, trail), name), uid: id }
}

const countOrShare: KubeRead<string> = (json, trail) => (typeof json === 'number' ? String(integer(json, trail)) : text(json, trail))

/** Volumes of the built-in Azure plugins are served by the CSI drivers that replaced them. */
function driverOf(spec: KubeObject, trail: Trail): string | undefined {
  if (spec['azureDisk']) return 'disk.csi.azure.com'
  if (spec['azureFile']) return 'file.csi.azure.com'
  const csi = maybe(spec, 'csi', object, trail)
  return csi && need(csi, 'driver', text, trail)
}

const topologyTerm: KubeRead<StorageClass['allowedTopologies'][number][number]> = (json, trail) => {
  const source = object(json, trail)
  return { key: need(source, 'key', text, trail), values: items(source, 'values', text, trail) }
}

const topology: KubeRead<StorageClass['allowedTopologies'][number]> = (json, trail) =>
  items(object(json, trail), 'matchLabelExpressions', topologyTerm, trail)

const driverLimit: KubeRead<{ readonly name: string; readonly limit: number | undefined }> = (json, trail) => {
  const source = object(json, trail)
  const allocatable = maybe(source, 'allocatable', object, trail) ?? {}
  return { name: need(source, 'name', text, trail), limit: maybe(allocatable, 'count', integer, trail) }
}
