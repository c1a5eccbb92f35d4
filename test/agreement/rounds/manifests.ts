/** The manifests of a random world's objects, complete enough for a real API server. */
import type { InstanceType } from '../../../shared/model/instanceType.ts'
import type { Labels } from '../../../shared/model/labels.ts'
import type { Node } from '../../../shared/model/node.ts'
import type { Resources } from '../../../shared/model/resources.ts'
import type { Taint } from '../../../shared/model/taint.ts'
import type { PodManifest } from '../../generators/randomPods.ts'
import type { DaemonManifest } from '../../generators/randomSnapshot.ts'
import type { Json } from '../../generators/randomStorage.ts'
import { ZONE } from '../../generators/words.ts'
import { withOldNames } from '../manifests.ts'

export const DISK_DRIVER = 'disk.csi.azure.com'
export const DISK_ZONE = 'topology.disk.csi.azure.com/zone'

type Object = { readonly [field: string]: unknown }

export function podObject({ metadata, spec }: PodManifest): PodManifest {
  const { name, namespace, labels } = metadata
  return { metadata: { name, namespace, labels }, spec: podSpec(spec) }
}

export function daemonSetObject({ metadata, spec: { template } }: DaemonManifest): object {
  const selector = { matchLabels: { daemon: metadata.name } }
  return { metadata, spec: { selector, template: { metadata: template.metadata, spec: podSpec({ ...template.spec }) } } }
}

function podSpec(spec: Object): Object {
  return {
    ...spec,
    containers: listOf(spec['containers']).map(containerOf),
    initContainers: listOf(spec['initContainers']).map(containerOf),
    volumes: listOf(spec['volumes']).map(volumeOf),
    affinity: Object.fromEntries(Object.entries(objectOf(spec['affinity'])).map(([kind, rules]) => [kind, withoutBoth(rules)])),
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
  }
}

/** An extended resource (a name with `/`) and huge pages need a limit that equals the request. */
function containerOf(container: Object): Object {
  const requests = objectOf(objectOf(container['resources'])['requests'])
  const limits = Object.fromEntries(Object.entries(requests).filter(([name]) => /\/|^hugepages-/.test(name)))
  return { ...container, image: 'pause', resources: { requests, limits } }
}

function volumeOf(volume: Object): Object {
  const { spec } = objectOf(objectOf(volume['ephemeral'])['volumeClaimTemplate'])
  return spec === undefined ? volume : { ...volume, ephemeral: { volumeClaimTemplate: { spec: { ...objectOf(spec), ...CLAIMED } } } }
}

/** A rule with `matchLabelKeys` loses its `mismatchLabelKeys`: the API server refuses a key that is in both. */
function withoutBoth(rules: unknown): unknown {
  if (Array.isArray(rules)) return rules.map(withoutBoth)
  if (typeof rules !== 'object' || rules === null) return rules
  const { mismatchLabelKeys, ...others } = objectOf(rules)
  const kept = mismatchLabelKeys === undefined || 'matchLabelKeys' in others ? others : { ...others, mismatchLabelKeys }
  return Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, name === 'labelSelector' ? value : withoutBoth(value)]))
}

const CLAIMED = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }

export type StorageObjects = {
  readonly classes: readonly object[]
  readonly volumes: readonly object[]
  readonly claims: readonly object[]
  /** Names of the claims that the volume controller will report as bound or lost. */
  readonly settling: readonly string[]
}

type VolumeManifests = {
  readonly storageClasses: readonly Json[]
  readonly persistentVolumes: readonly Json[]
  readonly persistentVolumeClaims: readonly Json[]
}

/**
 * The status of a claim is left to the volume controller: it finds that the claim is bound, or that its volume is missing. A claim whose binding is
 * not confirmed gets a volume that refers to another claim.
 */
export function storageObjects({ storageClasses, persistentVolumes, persistentVolumeClaims }: VolumeManifests): StorageObjects {
  const claimOf = new Map(persistentVolumeClaims.map((claim) => [objectOf(claim['spec'])['volumeName'], claim]))
  return {
    classes: storageClasses.map((each) => ({ ...each, allowedTopologies: listOf(each['allowedTopologies']).map(topologyOf) })),
    volumes: persistentVolumes.flatMap((volume) => {
      if (isFree(volume)) return [volume]
      const claim = claimOf.get(volume.metadata.name)
      if (claim === undefined || isLost(claim)) return []
      const { name, namespace } = claim.metadata
      return [volumeObject(volume, { name: isConfirmed(claim) ? name : 'of-somebody-else', namespace })]
    }),
    claims: persistentVolumeClaims.map(({ metadata, spec, ...more }) => ({
      metadata: { name: metadata.name, namespace: metadata['namespace'], annotations: isLost({ metadata, spec, ...more }) ? BOUND : {} },
      spec: { ...CLAIMED, ...objectOf(spec) },
    })),
    settling: persistentVolumeClaims.filter((claim) => isLost(claim) || isConfirmed(claim)).map(({ metadata }) => metadata.name),
  }
}

const BOUND = { 'pv.kubernetes.io/bind-completed': 'yes' }

/** Reports whether the volume waits for any claim: the volume says itself what a claim can have. */
function isFree({ spec }: Json): boolean {
  return objectOf(spec)['capacity'] !== undefined
}

function isConfirmed({ metadata }: Json): boolean {
  return Object.keys(objectOf(metadata['annotations'])).length > 0
}

function isLost(claim: Json): boolean {
  return objectOf(claim['status'])['phase'] === 'Lost'
}

function volumeObject({ metadata, spec }: Json, claimRef: object): object {
  const { csi, ...others } = objectOf(spec)
  const source = csi === undefined ? {} : { csi: { ...objectOf(csi), volumeHandle: metadata.name } }
  const { accessModes, resources } = CLAIMED
  return {
    metadata: { name: metadata.name },
    spec: {
      storageClassName: 'disk',
      ...others,
      ...source,
      accessModes,
      capacity: resources.requests,
      claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', ...claimRef },
    },
  }
}

/** The volume that the disk driver makes for a claim once the pod of the claim has a node. */
export function provisionedVolume(claim: object, name: string, storageClassName: unknown, zone: string): object {
  const matchExpressions = [{ key: DISK_ZONE, operator: 'In', values: [zone] }]
  const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } }
  return volumeObject({ metadata: { name }, spec: { storageClassName, csi: { driver: DISK_DRIVER }, nodeAffinity } }, claim)
}

function topologyOf(term: Object): Object {
  const matchLabelExpressions = listOf(term['matchLabelExpressions']).map(({ key, values }) => ({
    key,
    values: [...new Set(asList(values))],
  }))
  return { matchLabelExpressions }
}

export type Machine = {
  readonly name: string
  readonly providerId?: string
  readonly labels: Labels
  readonly taints: readonly Taint[]
  readonly capacity: Resources
  readonly allocatable: Resources
  readonly isReady: boolean
  readonly isCordoned: boolean
}

export function machineOf({ name, providerId, meta, taints, capacity, allocatable, unschedulable }: Node, isReady: boolean): Machine {
  const known = providerId === undefined ? {} : { providerId }
  return { name, ...known, labels: meta.labels, taints, capacity, allocatable, isReady, isCordoned: unschedulable }
}

/** The disk driver labels its nodes with the zone once more. The taint of a cordoned node is left to its controller. */
export function nodeObject({ name, providerId, labels, taints, capacity, allocatable, isReady, isCordoned }: Machine): object {
  const now = new Date().toISOString()
  const status = isReady ? 'True' : 'False'
  const ready = { type: 'Ready', status, reason: 'KubeletReady', message: '', lastHeartbeatTime: now, lastTransitionTime: now }
  const zone = labels[ZONE]
  const own = { ...withOldNames(labels), 'kubernetes.io/hostname': name, ...(zone === undefined ? {} : { [DISK_ZONE]: zone }) }
  return {
    metadata: { name, labels: own },
    spec: {
      taints: taints.filter(({ key }) => key !== CORDON),
      unschedulable: isCordoned,
      ...(providerId === undefined ? {} : { providerID: providerId }),
    },
    status: { capacity: quantities(capacity), allocatable: quantities(allocatable), conditions: [ready] },
  }
}

const CORDON = 'node.kubernetes.io/unschedulable'

export function csiNodeObject(name: string, count: number): object {
  return { metadata: { name }, spec: { drivers: [{ name: DISK_DRIVER, nodeID: name, topologyKeys: [DISK_ZONE], allocatable: { count } }] } }
}

/** The attach limit of the node's size, as the engine uses it. Undefined if the size is unknown or has none. */
export function diskLimitOf(types: readonly InstanceType[], labels: Labels): number | undefined {
  return types.find((each) => each.name === labels['node.kubernetes.io/instance-type'])?.maxDataDisks
}

function quantities(resources: Resources): Record<string, string> {
  return Object.fromEntries(Object.entries(resources).map(([name, amount]) => [name, name === 'cpu' ? `${amount}m` : String(amount)]))
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function listOf(value: unknown): readonly Object[] {
  return asList(value).map(objectOf)
}

function objectOf(value: unknown): Object {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
