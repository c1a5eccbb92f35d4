import { largestOf, leastOf } from '../../base/lists.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { findCondition, isTrue } from '../../model/condition.ts'
import type { NodeClassName } from '../../model/ids.ts'
import type { LaunchRefusal } from '../../model/instance.ts'
import type { InstanceType, Offering } from '../../model/instanceType.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import { endsRowFrom, type MadeOffering } from '../../model/refusalGrowth.ts'
import type { RefusedClass, UnavailableOffering } from '../../model/unavailableOffering.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import { contains, typeNamed } from './usableOfferings.ts'

/** The API server stores whole seconds: what it says happened up to this time before the end of the second. */
const WITHIN_SECOND = durationMs(999)

type Made = {
  readonly nodeClass: NodeClassName
  readonly type: InstanceType
  readonly offering: Pick<Offering, 'zone' | 'capacityType'>
  readonly launchedAt: EpochMs
}

/**
 * The refused scopes of which Azure has made machines since, with the launch of the last one. Only machines that have joined count: Azure takes
 * requests that it cannot fulfil, and says so minutes later.
 */
export function madeOfferings(
  unavailable: readonly UnavailableOffering[],
  claims: readonly NodeClaim[],
  instanceTypes: ClusterSnapshot['instanceTypes'],
): readonly MadeOffering[] {
  if (unavailable.length === 0) return []
  const earliest = leastOf(unavailable.map(endsRowFrom))
  const made = claims.flatMap((claim) => madeSince(claim, earliest, instanceTypes) ?? [])
  return unavailable.flatMap((each) => {
    const launches = made
      .filter(({ nodeClass, type, offering }) => concernsClass(each, nodeClass) && contains(each, type, offering))
      .map(({ launchedAt }) => launchedAt)
    const last = largestOf(launches, 0)
    return last >= endsRowFrom(each) ? [{ scope: each.scope, launchedAt: epochMs(last) }] : []
  })
}

/** The offering of the claim's machine. Undefined if it was launched earlier, or has not joined. */
function madeSince({ spec, meta, status }: NodeClaim, earliest: number, instanceTypes: ClusterSnapshot['instanceTypes']): Made | undefined {
  const launched = findCondition(status.conditions, 'Launched')
  if (launched?.status !== 'True' || !isTrue(status.conditions, 'Registered')) return undefined
  const launchedAt = later(launched.lastTransitionAt, WITHIN_SECOND)
  if (launchedAt < earliest) return undefined
  const { [LABEL.instanceType]: size, [LABEL.zone]: zone, [LABEL.capacityType]: capacityType } = meta.labels
  const nodeClass = spec.nodeClassRef.name
  const type = typeNamed(instanceTypes.get(nodeClass), size)
  const offering = type?.offerings.find((each) => each.zone === zone && each.capacityType === capacityType)
  return type === undefined || offering === undefined ? undefined : { nodeClass, type, offering, launchedAt }
}

type ClassNow = Pick<NodeClass, 'name' | 'meta'>

/** All that a refusal blocks. A refusal that may be about the NodeClass blocks its offerings for this generation of the NodeClass. */
export function blocksOf({ unavailable, own = [] }: LaunchRefusal, nodeClass: ClassNow | undefined): readonly UnavailableOffering[] {
  return nodeClass === undefined ? unavailable : [...unavailable, ...own.map((each) => forClass(each, nodeClass))]
}

/** The block, for the machines of this generation of the NodeClass only: the refusal may be about its tags, its image or its disks. */
export function forClass(block: UnavailableOffering, { name, meta: { uid, generation } }: ClassNow): UnavailableOffering {
  return { ...block, scope: { ...block.scope, nodeClass: { name, uid, generation } } }
}

/** The refusals without those of other NodeClasses, and of earlier generations of these. */
export function refusalsNow(unavailable: readonly UnavailableOffering[], classes: readonly ClassNow[]): readonly UnavailableOffering[] {
  return unavailable.filter(({ scope: { nodeClass } }) => nodeClass === undefined || classes.some((each) => isOfNow(nodeClass, each)))
}

/** The refusals that concern machines of the NodeClass. */
export function refusalsForClass(unavailable: readonly UnavailableOffering[], name: NodeClassName): readonly UnavailableOffering[] {
  return unavailable.filter((each) => concernsClass(each, name))
}

export function concernsClass({ scope: { nodeClass } }: UnavailableOffering, name: NodeClassName): boolean {
  return nodeClass === undefined || nodeClass.name === name
}

function isOfNow({ name, uid, generation }: RefusedClass, { name: named, meta }: ClassNow): boolean {
  return name === named && uid === meta.uid && generation === meta.generation
}
