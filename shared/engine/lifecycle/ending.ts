import { defined } from '../../base/defined.ts'
import type { ClaimAction, ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import type { ClusterEvent, Subject } from '../../model/decision.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { ProblemCode } from '../../model/problem.ts'

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
