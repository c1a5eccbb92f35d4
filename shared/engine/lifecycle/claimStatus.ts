import { canonicalJson } from '../../base/json.ts'
import { byKey } from '../../base/lists.ts'
import { defined } from '../../base/values.ts'
import type { ClaimAction, ClaimObservation, ClaimStep, ConditionChange } from '../../model/claimStep.ts'
import { type Condition, setCondition, withDependents, withRoot } from '../../model/condition.ts'
import { linkOfReason, withLink } from '../../model/conditionLinks.ts'
import type { ClusterEvent, Subject } from '../../model/decision.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import { deadlineOf, type NodeClaim, type NodeClaimStatus } from '../../model/nodeClaim.ts'
import type { Pod } from '../../model/pod.ts'
import type { ProblemCode } from '../../model/problem.ts'
import { REBOOTING } from '../../model/reboot.ts'
import { parseDuration } from '../../model/time.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'

/** The conditions that make a claim Ready, in the order it meets them. */
export const CLAIM_STAGES = ['Launched', 'Registered', 'Initialized'] as const

export type ClaimConditionType =
  | (typeof CLAIM_STAGES)[number]
  | 'Drained'
  | 'VolumesDetached'
  | 'InstanceTerminating'
  | 'ConsistentStateFound'
  | typeof REBOOTING

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

/** From when the node has been awaited: it joined then, or its reboot ended. */
export function awaitedSince(claim: NodeClaim): EpochMs {
  const reboot = conditionOf(claim, REBOOTING)
  const joined = since(claim, 'Registered')
  return reboot?.status === 'False' && reboot.lastTransitionAt > joined ? reboot.lastTransitionAt : joined
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

type Said = { readonly kind: 'publish'; readonly event: ClusterEvent }

/** Says in words that the deadline of the claim cannot be read. Undefined if it can be read or there is none. */
export function unreadableDeadline(claim: NodeClaim): string | undefined {
  const said = claim.meta.annotations[ANNOTATION.terminationTimestamp]
  if (said === undefined || deadlineOf(claim) !== undefined) return undefined
  return `metadata.annotations ${ANNOTATION.terminationTimestamp}: ${quoted(said)} must be a time such as 2026-01-31T12:00:00Z`
}

/** An Event that the deadline cannot be read, and what follows. Empty if it can be read. */
export function reportUnreadableDeadline(claim: NodeClaim, then: string): readonly Said[] {
  const wrong = unreadableDeadline(claim)
  return wrong === undefined ? [] : [{ kind: 'publish', event: warning(claim, 'InvalidTerminationTimestamp', `${wrong}; ${then}`) }]
}

/** An Event for each pod with a do-not-disrupt value that protects nothing, before the pod is taken away. */
export function reportInvalidProtection(pods: readonly Pod[]): readonly Said[] {
  return pods.flatMap(({ key, uid, annotations }): readonly Said[] => {
    const said = annotations[ANNOTATION.doNotDisrupt]
    if (said === undefined || said === 'true' || said === 'false') return []
    const read = parseDuration(said)
    if (read.ok && read.value > 0) return []
    const rule = 'must be true or a duration above 0, such as 30m'
    const message = `metadata.annotations ${ANNOTATION.doNotDisrupt}: ${quoted(said)} ${rule}; it protects nothing`
    const event = { subject: { kind: 'pod', name: key }, uid, type: 'Warning', reason: 'InvalidDoNotDisruptAnnotation', message } as const
    return [{ kind: 'publish', event }]
  })
}

function quoted(said: string): string {
  return JSON.stringify(said.slice(0, 60))
}

export type Ending = {
  readonly code: ProblemCode
  readonly message: string
  /** Reason of the warning published on the claim. */
  readonly event: string
  /** What must happen before the claim goes. */
  readonly first?: readonly ClaimAction[]
}

/** The step that gives a claim up: an event, the deletion, and the reason. Its pods are planned again. */
export function endClaim({ claim, now }: ClaimObservation, { code, message, event, first = [] }: Ending): ClaimStep {
  return {
    actions: [
      ...first,
      { kind: 'publish', event: { ...warning(claim, event, message), key: code }, ends: code },
      { kind: 'deleteClaim', code, message },
    ],
    reasons: [{ code, subject: subjectOf(claim), message }],
    wakeAt: now,
  }
}

export function warning(claim: NodeClaim, reason: string, message: string): ClusterEvent {
  return defined({ subject: subjectOf(claim), uid: claim.meta.uid, type: 'Warning' as const, reason, message })
}

/** The Event that the claim has reached a stage of its life. The node has no such Event: the kubelet writes its own, and labels show the stage. */
export function reached(claim: NodeClaim, stage: string, message: string): ClaimAction {
  return { kind: 'publish', event: { subject: subjectOf(claim), uid: claim.meta.uid, type: 'Normal', reason: stage, message } }
}

/** The same event about a node. People who describe the node do not look at its claim. */
export function nodeEvent({ name, meta }: Node, event: ClusterEvent): ClusterEvent {
  return { ...event, subject: { kind: 'node', name }, uid: meta.uid }
}

export function subjectOf(claim: NodeClaim): Subject {
  return { kind: 'nodeClaim', name: claim.name }
}
