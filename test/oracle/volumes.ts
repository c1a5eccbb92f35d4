/** Where the volumes of a pod can be used, and which of them a driver must attach. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { namespaceOf } from '../../shared/model/ids.ts'
import type { Pod, PodVolume } from '../../shared/model/pod.ts'
import { type Requirements, requirementsFrom } from '../../shared/model/requirements.ts'
import type { PersistentVolumeClaim } from '../../shared/model/workloads.ts'
import type { Algebra } from './algebra.ts'

export type PodVolumes = {
  /** One of these must hold. Empty if the volumes do not restrict the place. */
  readonly alternatives: readonly Requirements[]
  /** The keys of the volume claims by driver. */
  readonly attached: Attached
  /** The reason why the volumes could not be looked up. */
  readonly problem?: string
}

export type Attached = ReadonlyMap<string, ReadonlySet<string>>

export const NO_VOLUMES: PodVolumes = { alternatives: [], attached: new Map() }

type Objects = ClusterSnapshot['objects']

/** The reason why the pod's volumes cannot be used at all. Undefined if they can. */
export function volumeProblem(pod: Pod, objects: Objects): string | undefined {
  for (const volume of claimVolumes(pod)) {
    const claim = claimOf(pod, volume, objects)
    const problem = claim === undefined ? `volume claim ${volume.claimName} does not exist` : problemOfClaim(claim, objects)
    if (problem !== undefined) return problem
  }
  return undefined
}

export function volumesOf(pod: Pod, objects: Objects, algebra: Algebra): PodVolumes {
  let alternatives: readonly Requirements[] = []
  const attached = new Map<string, Set<string>>()
  for (const volume of claimVolumes(pod)) {
    const claim = claimOf(pod, volume, objects)
    if (claim === undefined) return { ...NO_VOLUMES, problem: `volume claim ${volume.claimName} does not exist` }
    const terms = termsOf(claim, objects, algebra)
    if (terms === undefined) return { ...NO_VOLUMES, problem: `volume of claim ${claim.key} does not exist` }
    if (terms.length > 0) alternatives = alternatives.length === 0 ? terms : crossed(alternatives, terms, algebra)
    const driver = driverOf(claim, objects)
    if (driver !== undefined) attached.set(driver, (attached.get(driver) ?? new Set()).add(claim.key))
  }
  return { alternatives, attached }
}

/** The keys of both maps, by driver. */
export function unionOf(first: Attached, second: Attached): Attached {
  const result = new Map(first)
  for (const [driver, keys] of second) result.set(driver, new Set([...(result.get(driver) ?? []), ...keys]))
  return result
}

type ClaimVolume = Extract<PodVolume, { readonly claimName: string }>

function claimVolumes(pod: Pod): readonly ClaimVolume[] {
  return pod.volumes.filter((each) => each.kind === 'claim' || each.kind === 'ephemeral')
}

/** The claim of the volume. The claim of an ephemeral volume appears a moment after its pod: until then the pod waits. */
function claimOf(pod: Pod, volume: ClaimVolume, { persistentVolumeClaim }: Objects): PersistentVolumeClaim | undefined {
  const key = `${namespaceOf(pod)}/${volume.claimName}`
  return persistentVolumeClaim.find((each) => each.key === key)
}

function problemOfClaim(claim: PersistentVolumeClaim, { persistentVolume, storageClass }: Objects): string | undefined {
  const says = (rule: string): string => `volume claim ${claim.key}: ${rule}`
  if (claim.deleted) return says('is being deleted')
  if (claim.isLost === true) return says('its volume is gone')
  if (claim.volumeName !== undefined) {
    const volume = persistentVolume.find((each) => each.name === claim.volumeName)
    if (volume === undefined || volume.deleted === true) return says('its volume does not exist or is being deleted')
    return claim.isBinding === true ? says('is not bound yet') : undefined
  }
  if (claim.storageClassName === undefined || claim.storageClassName === '') return says('names no storage class')
  const found = storageClass.find((each) => each.name === claim.storageClassName)
  if (found === undefined) return says(`storage class ${claim.storageClassName} does not exist`)
  return found.bindingMode === 'Immediate' ? says('must be bound before its pod comes') : undefined
}

/** The node terms of the claim's volume or storage class. Undefined if the volume is missing. */
function termsOf(claim: PersistentVolumeClaim, objects: Objects, algebra: Algebra): readonly Requirements[] | undefined {
  if (claim.volumeName === undefined) {
    const found = objects.storageClass.find((each) => each.name === claim.storageClassName)
    return (found?.allowedTopologies ?? []).map((term) =>
      term.reduce<Requirements>(
        (all, { key, values }) => algebra.merge(all, requirementsFrom([{ key, operator: 'In', values }])),
        new Map(),
      ),
    )
  }
  const volume = objects.persistentVolume.find((each) => each.name === claim.volumeName)
  if (volume === undefined) return undefined
  return (volume.nodeTerms ?? [])
    .filter((term) => term.matchExpressions.length > 0)
    .map(({ matchExpressions }) =>
      matchExpressions.reduce<Requirements>((all, spec) => algebra.merge(all, requirementsFrom([spec])), new Map()),
    )
}

/** All compatible pairs. If no pair is compatible, all pairs: the pod then fails when it is placed. */
function crossed(first: readonly Requirements[], second: readonly Requirements[], algebra: Algebra): readonly Requirements[] {
  const pairs = first.flatMap((one) => second.map((other) => ({ one, other })))
  const possible = pairs.filter(({ one, other }) => algebra.overlaps(one, other))
  return (possible.length > 0 ? possible : pairs).map(({ one, other }) => algebra.merge(one, other))
}

function driverOf(claim: PersistentVolumeClaim, { persistentVolume, storageClass }: Objects): string | undefined {
  if (claim.volumeName !== undefined) return persistentVolume.find((each) => each.name === claim.volumeName)?.driver
  return storageClass.find((each) => each.name === claim.storageClassName)?.provisioner
}
