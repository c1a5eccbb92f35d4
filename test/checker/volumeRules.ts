/** Where the volumes of a pod can be used, and what attaching them takes, by the rules of kube-scheduler's volume plugins. */
import { ownValue } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { namespaceOf, objectKey } from '../../shared/model/ids.ts'
import type { Labels } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../shared/model/workloads.ts'
import { meetsExpression, nameOf } from './kubernetesRules.ts'

/** The reason why the pod's volumes cannot be used on a node with these labels. Undefined if they can. */
export function volumeProblemOn(snapshot: ClusterSnapshot, pod: Pod, labels: Labels): string | undefined {
  for (const { name, claim } of claimsOf(snapshot, pod)) {
    const user = claim?.isOncePod === true ? otherUser(snapshot, pod, name) : undefined
    if (user !== undefined) return `volume claim ${name} is for one pod, and ${user.key} has it`
    const selected = claim?.volumeName === undefined ? nodeThatStays(snapshot, claim?.selectedNode) : undefined
    if (selected !== undefined && (selected.meta.labels['kubernetes.io/hostname'] ?? selected.name) !== labels['kubernetes.io/hostname'])
      return `volume claim ${name} will be made for node ${selected.name}`
    const problem = claim === undefined ? 'does not exist' : problemOn(snapshot, claim, labels)
    if (problem !== undefined) return `volume claim ${name} ${problem}`
  }
  return undefined
}

/** The claims that one pod at a time may use and that several of these pods use. */
export function sharedOnceClaims(snapshot: ClusterSnapshot, pods: readonly Pod[]): readonly string[] {
  const used = pods.flatMap((pod) => [
    ...new Set(claimsOf(snapshot, pod).flatMap(({ claim }) => (claim?.isOncePod === true ? [claim.key] : []))),
  ])
  return used.filter((claim, at) => used.indexOf(claim) !== at)
}

/** Distinct volume claims by driver. */
export function attachedBy(snapshot: ClusterSnapshot, pods: readonly Pod[]): ReadonlyMap<string, ReadonlySet<string>> {
  const attached = new Map<string, Set<string>>()
  for (const pod of pods) {
    for (const { claim } of claimsOf(snapshot, pod)) {
      const driver = claim === undefined ? undefined : driverOf(snapshot, claim)
      if (claim !== undefined && driver !== undefined) attached.set(driver, (attached.get(driver) ?? new Set()).add(claim.key))
    }
  }
  return attached
}

type Wanted = {
  readonly name: string
  readonly claim:
    | Pick<
        PersistentVolumeClaim,
        'key' | 'volumeName' | 'storageClassName' | 'deleted' | 'isBinding' | 'isLost' | 'isOncePod' | 'selectedNode' | 'asks'
      >
    | undefined
}

/** Another pod that has a node and uses the claim. A pod that has a node itself has the claim already. */
function otherUser(snapshot: ClusterSnapshot, pod: Pod, name: string): Pod | undefined {
  if (pod.nodeName !== undefined) return undefined
  return snapshot.objects.pod.find(
    (each) =>
      each.uid !== pod.uid &&
      snapshot.objects.node.some((node) => node.name === each.nodeName) &&
      each.phase !== 'Succeeded' &&
      each.phase !== 'Failed' &&
      claimsOf(snapshot, each).some((mounted) => mounted.name === name),
  )
}

function nodeThatStays({ objects, commands }: ClusterSnapshot, name: string | undefined): Node | undefined {
  const node = objects.node.find((each) => each.name === name)
  const claim = objects.nodeClaim.findLast(({ status }) => node?.providerId !== undefined && status.providerId === node.providerId)
  if (claim === undefined) return node?.meta.deletedAt === undefined ? node : undefined
  const isEnding = claim.status.conditions.some((each) => each.type === 'InstanceTerminating' && each.status === 'True')
  const isTaken = commands.some(({ candidates }) => candidates.some((each) => each.claim === claim.name && each.uid === claim.meta.uid))
  return claim.meta.deletedAt !== undefined || isEnding || isTaken ? undefined : node
}

function claimsOf({ objects }: ClusterSnapshot, pod: Pod): readonly Wanted[] {
  return pod.volumes.flatMap((volume): readonly Wanted[] => {
    if (volume.kind !== 'claim' && volume.kind !== 'ephemeral') return []
    const key = objectKey(namespaceOf(pod), volume.claimName)
    const found = objects.persistentVolumeClaim.find((each) => each.key === key)
    if (found !== undefined || volume.kind === 'claim') return [{ name: key, claim: found }]
    const { storageClassName } = volume
    return [{ name: key, claim: { key, deleted: false, ...(storageClassName === undefined ? {} : { storageClassName }) } }]
  })
}

function problemOn({ objects }: ClusterSnapshot, claim: NonNullable<Wanted['claim']>, labels: Labels): string | undefined {
  if (claim.deleted || claim.isLost === true || claim.isBinding === true) return 'cannot be used'
  if (claim.volumeName === undefined) {
    const found = objects.storageClass.find((each) => each.name === claim.storageClassName)
    if (found === undefined || found.bindingMode === 'Immediate') return 'is bound to nothing and nothing will bind it'
    if (found.provisioner === 'kubernetes.io/no-provisioner') {
      const usable = objects.persistentVolume.filter((volume) => isFor(claim, volume) && isUsedOn(volume, labels))
      return usable.length > 0 ? undefined : 'has no free volume there'
    }
    const { allowedTopologies } = found
    const isAllowed = allowedTopologies.some((term) =>
      term.every(({ key, values }) => values.map(zoneless).includes(ownValue(labels, nameOf(key)) ?? '')),
    )
    return allowedTopologies.length === 0 || isAllowed ? undefined : 'cannot be made'
  }
  const volume = objects.persistentVolume.find((each) => each.name === claim.volumeName)
  if (volume === undefined || volume.deleted === true) return 'has lost its volume'
  return isUsedOn(volume, labels) ? undefined : 'has its volume elsewhere'
}

/** Reports whether kube-scheduler may give the free volume to the claim. */
function isFor({ key, storageClassName, asks }: NonNullable<Wanted['claim']>, { offers, deleted }: PersistentVolume): boolean {
  if (offers === undefined || deleted === true || offers.storageClass !== storageClassName) return false
  if (offers.claim !== undefined) return offers.claim === key
  const lacks = (asks?.accessModes ?? []).filter((mode) => !offers.accessModes.includes(mode))
  return lacks.length === 0 && offers.storage >= (asks?.storage ?? 0)
}

function isUsedOn({ nodeTerms = [] }: PersistentVolume, labels: Labels): boolean {
  const terms = nodeTerms.map((term) => term.matchExpressions)
  const meets = terms.some((term) =>
    term.every((each) => meetsExpression({ ...each, values: each.values.map(zoneless) }, ownValue(labels, nameOf(each.key)))),
  )
  return terms.length === 0 || meets
}

/** The disk driver writes an empty zone where nodes have the label value `0`. */
function zoneless(value: string): string {
  return value === '' ? '0' : value
}

function driverOf({ objects }: ClusterSnapshot, claim: NonNullable<Wanted['claim']>): string | undefined {
  return claim.volumeName === undefined
    ? objects.storageClass.find((each) => each.name === claim.storageClassName)?.provisioner
    : objects.persistentVolume.find((each) => each.name === claim.volumeName)?.driver
}
