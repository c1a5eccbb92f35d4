/** Where the volumes of a pod let it run, and how many disks it attaches. */
import { ownValue } from '../../../../base/values.ts'
import type { ClusterSnapshot } from '../../../../model/clusterSnapshot.ts'
import { type NodeName, namespaceOf, objectKey } from '../../../../model/ids.ts'
import { selects } from '../../../../model/labelSelector.ts'
import { LABEL } from '../../../../model/labels.ts'
import type { Pod, PodVolume } from '../../../../model/pod.ts'
import { describeRequirements } from '../../../../model/requirementConflict.ts'
import { type Requirements, requirementsFrom } from '../../../../model/requirements.ts'
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../../model/workloads.ts'
import { claimKeys } from '../../../pod/podPredicates.ts'
import type { PodReplicas } from './podReplicas.ts'
import { both, merged, withoutNarrower } from './relaxation.ts'

export type VolumeNeeds = {
  /** Any of these must be met by the labels of the node. It is one empty set if the volumes ask for nothing. */
  readonly alternatives: readonly Requirements[]
  /** The claims to attach, by CSI driver. */
  readonly attached: ReadonlyMap<string, readonly string[]>
}

/** Why the volumes cannot be used, and the remedy, in words. Without `toDo`, the claim, its class or its volume has to be corrected. */
export type VolumeProblem = { readonly problem: string; readonly toDo?: string }

export type VolumeIndex = (pod: Pod) => VolumeNeeds | VolumeProblem

/** The Azure CSI drivers that took over from volume plugins built into Kubernetes. */
const MIGRATED_DRIVERS: { readonly [plugin: string]: string } = {
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/azure-file': 'file.csi.azure.com',
}

const NO_NEEDS: VolumeNeeds = { alternatives: [new Map()], attached: new Map() }

type VolumeObjects = Pick<ClusterSnapshot['objects'], 'persistentVolumeClaim' | 'persistentVolume' | 'storageClass'>

function indexOf(objects: VolumeObjects): Objects {
  return {
    claims: new Map(objects.persistentVolumeClaim.map((each) => [each.key, each])),
    volumes: new Map(objects.persistentVolume.map((each) => [each.name, each])),
    classes: new Map(objects.storageClass.map((each) => [each.name, each])),
  }
}

/** The hostname of a node that stays. Undefined if the node is gone or goes. */
export type HostnameOf = (node: NodeName) => string | undefined

export function volumeIndex(objects: VolumeObjects, hostnameOf: HostnameOf = () => undefined): VolumeIndex {
  const index = { ...indexOf(objects), hostnameOf }
  return (pod) => (pod.volumes.length === 0 ? NO_NEEDS : needsOf(pod, index))
}

/** The claims of a running pod that its machine has attached with the driver. */
export type AttachedBy = (pod: Pod, driver: string) => readonly string[]

/** Counts as kube-scheduler does. A claim that does not exist counts for no driver. A claim of unknown driver counts for every driver. */
export function attachedIndex(objects: VolumeObjects): AttachedBy {
  const index = indexOf(objects)
  return (pod, driver) =>
    claimKeys(pod).filter((key) => {
      const claim = index.claims.get(key)
      if (claim === undefined) return false
      const own = driverOf(claim, index)
      return own === 'unknown' || own === driver
    })
}

/** The CSI driver of the claim, or `unknown`. Undefined if its volume uses no CSI driver. */
function driverOf({ volumeName, storageClassName }: PersistentVolumeClaim, { volumes, classes }: Objects): string | undefined {
  const volume = volumeName === undefined ? undefined : volumes.get(volumeName)
  if (volume !== undefined) return volume.driver
  const storageClass = classes.get(storageClassName ?? '')
  return storageClass === undefined ? 'unknown' : driverOfClass(storageClass)
}

function driverOfClass({ provisioner }: StorageClass): string {
  return ownValue(MIGRATED_DRIVERS, provisioner) ?? provisioner
}

type Objects = {
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>
  readonly volumes: ReadonlyMap<string, PersistentVolume>
  readonly classes: ReadonlyMap<string, StorageClass>
}

type Index = Objects & { readonly hostnameOf: HostnameOf }

function needsOf(pod: Pod, index: Index): VolumeNeeds | VolumeProblem {
  const attached = new Map<string, string[]>()
  const bound: Resolved[] = []
  for (const volume of pod.volumes) {
    const resolved = resolve(pod, volume, index)
    if (resolved === undefined) continue
    if ('problem' in resolved) return resolved
    const { driver, key, places } = resolved
    if (driver !== undefined) attached.set(driver, [...new Set([...(attached.get(driver) ?? []), key])])
    if (places.length > 0) bound.push({ ...resolved, places: withoutNarrower(places) })
  }
  const alternatives = alternativesOf(bound)
  return 'problem' in alternatives ? alternatives : { alternatives, attached }
}

/** Takes volumes with few places first: a conflict shows before the places multiply. */
function alternativesOf(bound: readonly Resolved[]): readonly Requirements[] | VolumeProblem {
  let alternatives: readonly Requirements[] = NO_NEEDS.alternatives
  const seen: string[] = []
  for (const { key, places } of [...bound].sort((first, second) => first.places.length - second.places.length)) {
    alternatives = both(alternatives, places)
    if (alternatives.length === 0) return { problem: nowhere(key, places, seen) }
    seen.push(key)
  }
  return alternatives
}

function nowhere(key: string, places: readonly Requirements[], others: readonly string[]): string {
  const where = places.slice(0, MOST_SAID).map((each) => describeRequirements(each) || 'one host')
  const more = places.length > MOST_SAID ? [`${places.length - MOST_SAID} other places`] : []
  const among = others.length > MOST_SAID ? `${others.length} other claims of the pod` : others.join(', ')
  return `persistentvolumeclaim ${key} can be used only in ${[...where, ...more].join(' or ')}, and ${among} cannot be used there: no node can have all of them`
}

/** The most places or claims that one message lists. */
const MOST_SAID = 3

type Resolved = { readonly key: string; readonly driver?: string; readonly places: readonly Requirements[] }

function resolve(pod: Pod, volume: PodVolume, index: Index): Resolved | VolumeProblem | undefined {
  if (volume.kind === 'csi' || volume.kind === 'other') return undefined
  const { claims, volumes } = index
  const key = objectKey(namespaceOf(pod), volume.claimName)
  const claim = claims.get(key)
  if (claim === undefined) return { problem: `persistentvolumeclaim ${key} does not exist` }
  if (claim.deleted) return { problem: `persistentvolumeclaim ${key} is being deleted` }
  if (claim.isLost === true) return { problem: `persistentvolumeclaim ${key} is bound to a volume that is gone` }
  if (claim.volumeName !== undefined) return ofVolume(claim, claim.volumeName, volumes)
  return ofClass(claim, index)
}

function onlyOn(host: string): Requirements {
  return requirementsFrom([{ key: LABEL.hostname, operator: 'In', values: [host] }])
}

function ofVolume(claim: PersistentVolumeClaim, name: string, volumes: Index['volumes']): Resolved | VolumeProblem {
  const volume = volumes.get(name)
  if (volume === undefined) return { problem: `persistentvolume ${name} of persistentvolumeclaim ${claim.key} does not exist` }
  if (volume.deleted === true) return { problem: `persistentvolume ${name} of persistentvolumeclaim ${claim.key} is being deleted` }
  if (claim.isBinding === true) return { problem: `persistentvolumeclaim ${claim.key} is not bound to volume ${name} yet` }
  return { key: claim.key, places: placesOf(volume), ...(volume.driver === undefined ? {} : { driver: volume.driver }) }
}

function placesOf({ nodeTerms = [] }: PersistentVolume): readonly Requirements[] {
  return nodeTerms.filter((term) => term.matchExpressions.length > 0).map((term) => requirementsFrom(term.matchExpressions))
}

function ofClass(claim: PersistentVolumeClaim, { classes, volumes, hostnameOf }: Index): Resolved | VolumeProblem {
  const name = claim.storageClassName ?? ''
  if (name === '') return { problem: `unbound persistentvolumeclaim ${claim.key} names no storage class` }
  const storageClass = classes.get(name)
  if (storageClass === undefined) return { problem: `storageclass ${name} of persistentvolumeclaim ${claim.key} does not exist` }
  if (storageClass.bindingMode === 'Immediate') {
    return { problem: `persistentvolumeclaim ${claim.key} of storageclass ${name} with immediate binding is not bound yet` }
  }
  if (makesNoVolumes(storageClass)) return ofExisting(claim, name, volumesFor(claim, volumes.values()))
  const places = storageClass.allowedTopologies.map((term) =>
    requirementsFrom(term.map(({ key, values }) => ({ key, operator: 'In', values }))),
  )
  // The provisioner takes the choice back once it finds that the node is gone.
  const host = claim.selectedNode === undefined ? undefined : hostnameOf(claim.selectedNode)
  const own = host === undefined ? places : both([onlyOn(host)], places.length === 0 ? NO_NEEDS.alternatives : places)
  return { key: claim.key, driver: driverOfClass(storageClass), places: own }
}

/** A claim whose class makes no volumes. A volume without node affinity can be used on every node. */
function ofExisting({ key }: PersistentVolumeClaim, name: string, found: readonly PersistentVolume[]): Resolved | VolumeProblem {
  if (found.length === 0) {
    return {
      problem: `storageclass ${name} makes no volumes, and no available persistentvolume of the class fits persistentvolumeclaim ${key}: a new node would bring none`,
      toDo: 'make a persistentvolume of the class with the size, access modes, volume mode and labels that the claim asks for',
    }
  }
  const places = found.map(placesOf)
  const isAnywhere = places.some(({ length }) => length === 0)
  return { key, places: isAnywhere ? [] : merged(places.flat()) }
}

/** The provisioner of storage classes that make no volumes. Local volumes are mostly of such a class. */
const NO_PROVISIONER = 'kubernetes.io/no-provisioner'

function makesNoVolumes({ provisioner }: { readonly provisioner: string }): boolean {
  return provisioner === NO_PROVISIONER
}

/**
 * The existing volumes that a claim which is not bound can have, as kube-scheduler matches them. A volume that is reserved for the claim is the only
 * one. Two claims may get the same volume here: the scheduler gives it to one of them, and the other claim then finds it taken.
 */
function volumesFor(claim: PersistentVolumeClaim, volumes: Iterable<PersistentVolume>): readonly PersistentVolume[] {
  const fitting = [...volumes].filter((volume) => canHave(claim, volume))
  const reserved = fitting.filter(({ offers }) => offers?.claim !== undefined)
  return reserved.length > 0 ? reserved : fitting
}

function canHave({ key, uid, storageClassName, asks }: PersistentVolumeClaim, { offers, deleted }: PersistentVolume): boolean {
  if (offers === undefined || deleted === true || offers.storageClass !== storageClassName) return false
  if (offers.claim !== undefined) return offers.claim === key && (offers.claimUid ?? uid) === uid
  if (asks === undefined) return true
  return (
    offers.storage >= asks.storage &&
    offers.isBlock === asks.isBlock &&
    asks.accessModes.every((mode) => offers.accessModes.includes(mode)) &&
    (asks.selector === undefined || selects(asks.selector, offers.labels))
  )
}

/** Keys of the volume claims that more than one pod mounts. Waiting and running pods count. A moving pod counts once: not where it still runs. */
export function sharedClaims(
  wanted: readonly PodReplicas[],
  moving: readonly Pod[],
  running: (claim: string) => number,
): ReadonlySet<string> {
  const counts = new Map<string, number>()
  const count = (pod: Pod, by: number): void => {
    for (const key of claimKeys(pod)) counts.set(key, (counts.get(key) ?? 0) + by)
  }
  for (const replicas of wanted) count(replicas.pod, replicas.count)
  for (const pod of moving) count(pod, -1)
  return new Set([...counts].flatMap(([key, own]) => (own + running(key) > 1 ? [key] : [])))
}
