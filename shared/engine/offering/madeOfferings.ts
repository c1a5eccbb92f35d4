import { largestOf, leastOf } from '../../base/lists.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { findCondition, isTrue } from '../../model/condition.ts'
import type { NodeClassName } from '../../model/ids.ts'
import type { InstanceType, Offering } from '../../model/instanceType.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { endsRowFrom, type MadeOffering } from '../../model/refusalGrowth.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import { concernsClass } from './classRefusals.ts'
import { typeNamed } from './typeNamed.ts'
import { contains } from './usableOfferings.ts'

/** The API server stores whole seconds: what it says happened up to this time before the end of the second. */
const SECOND = durationMs(999)

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
  const launchedAt = later(launched.lastTransitionAt, SECOND)
  if (launchedAt < earliest) return undefined
  const { [LABEL.instanceType]: size, [LABEL.zone]: zone, [LABEL.capacityType]: capacityType } = meta.labels
  const nodeClass = spec.nodeClassRef.name
  const type = typeNamed(instanceTypes.get(nodeClass), size)
  const offering = type?.offerings.find((each) => each.zone === zone && each.capacityType === capacityType)
  return type === undefined || offering === undefined ? undefined : { nodeClass, type, offering, launchedAt }
}
