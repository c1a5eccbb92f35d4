import { canonicalJson } from '../../base/canonicalJson.ts'
import { byKey } from '../../base/order.ts'
import type { ClaimAction, ClaimObservation, ConditionChange } from '../../model/claimStep.ts'
import { type Condition, setCondition, withDependents, withRoot } from '../../model/condition.ts'
import { linkOfReason, withLink } from '../../model/conditionLinks.ts'
import type { NodeClaim, NodeClaimStatus } from '../../model/nodeClaim.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'

/** The conditions that make a claim Ready, in the order it meets them. */
export const CLAIM_STAGES = ['Launched', 'Registered', 'Initialized'] as const

export type ClaimConditionType =
  | (typeof CLAIM_STAGES)[number]
  | 'Drained'
  | 'VolumesDetached'
  | 'InstanceTerminating'
  | 'ConsistentStateFound'

export function conditionOf(claim: NodeClaim, type: ClaimConditionType): Condition | undefined {
  return claim.status.conditions.find((each) => each.type === type)
}

export function isTrue(claim: NodeClaim, type: ClaimConditionType): boolean {
  return conditionOf(claim, type)?.status === 'True'
}

/** Reports whether the condition is still open. A stage that is True or False is not looked at again. */
export function isOpen(claim: NodeClaim, type: ClaimConditionType): boolean {
  return (conditionOf(claim, type)?.status ?? 'Unknown') === 'Unknown'
}

/** When the condition took its present status. A condition that is not written yet has been open since the claim was made. */
export function since(claim: NodeClaim, type: ClaimConditionType): EpochMs {
  return conditionOf(claim, type)?.lastTransitionAt ?? claim.meta.createdAt
}

type Told = Pick<ClaimObservation, 'claim' | 'now' | 'settings' | 'instance' | 'nodeClass'>

/**
 * The action that brings the status to these conditions and members. Empty if nothing changes. A reason that names something of Azure gets a link.
 */
export function statusActions(
  observation: Told,
  changes: readonly ConditionChange[],
  members: Partial<Omit<NodeClaimStatus, 'conditions'>> = {},
): readonly Extract<ClaimAction, { readonly kind: 'patchStatus' }>[] {
  const { claim, now } = observation
  const { generation, createdAt, deletedAt } = claim.meta
  const providerId = members.providerId ?? claim.status.providerId
  const holder = { generation, createdAt, deleting: deletedAt !== undefined }
  const changed = changes.reduce<readonly Condition[]>(
    (conditions, change) => setCondition(conditions, linked(observation, change, providerId), holder, now),
    // Stages that are not written yet have been open since the claim was made, and their clocks run from then. `Ready` is computed once, after all
    // changes: a value between two changes would move its transition time.
    withDependents(claim.status.conditions, CLAIM_STAGES, holder),
  )
  const status: NodeClaimStatus = { ...claim.status, ...members, conditions: withRoot(changed, CLAIM_STAGES, holder, now) }
  return settled(status) === settled(claim.status) ? [] : [{ kind: 'patchStatus', status }]
}

function linked({ settings, instance, nodeClass }: Told, change: ConditionChange, providerId?: string): ConditionChange {
  const machine = typeof instance === 'object' ? instance.name : providerId?.replace(/^.*\//, '')
  const link = linkOfReason(settings.links, change.reason, { machine, subnetId: nodeClass?.spec.vnetSubnetId })
  return { ...change, message: withLink(change.message, link) }
}

/** The status as text for comparisons. The order of conditions does not matter. */
function settled(status: NodeClaimStatus): string {
  return canonicalJson({ ...status, conditions: [...status.conditions].sort(byKey((each) => each.type)) })
}

export function becomes(type: ClaimConditionType, message = ''): ConditionChange {
  return { type, status: 'True', reason: type, message }
}

export function staysOpen(type: ClaimConditionType, reason: string, message: string): ConditionChange {
  return { type, status: 'Unknown', reason, message }
}

/** When to look again at something that began at `start`: after 2 s in its first minute, after 5 s in its first five minutes, then after 15 s. */
export function nextRequeue(start: EpochMs, now: EpochMs): EpochMs {
  const age = now - start
  return later(now, durationMs(age < 60_000 ? 2_000 : age < 300_000 ? 5_000 : 15_000))
}

export function earlier(first: EpochMs, second: EpochMs): EpochMs {
  return epochMs(Math.min(first, second))
}
