import type { ClaimAction, ClaimObservation, ClaimStep, ConditionChange } from '../../model/claimStep.ts'
import { findCondition } from '../../model/condition.ts'
import { LABEL, type Labels } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { amountOf } from '../../model/resources.ts'
import { formatTaint, isEphemeral, isSameTaint } from '../../model/taint.ts'
import { type DurationMs, durationMs } from '../../model/units.ts'
import { isUndeclared } from '../cluster/stateNode.ts'
import { awaitedSince, becomes, isOpen, isTrue, nextRequeue, reached, statusActions, staysOpen, warning } from './claimStatus.ts'
import { isReady } from './nodeState.ts'

/** Waits until the node has what the claim promised, then marks node and claim as initialized. */
export function stepInitialization(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, nodes, now } = observation
  if (!isTrue(claim, 'Registered') || !isOpen(claim, 'Initialized')) return undefined
  const [node] = nodes
  if (node === undefined) return wait(observation, { reason: 'NodeNotFound', message: 'the node is gone' })
  const missing = missingForInitialization(claim, node, durationMs(now - awaitedSince(claim)))
  if (missing !== undefined) return wait(observation, missing)
  const { changes, events } = initialized(claim, node)
  const isLabelled = node.meta.labels[LABEL.initialized] === 'true'
  return {
    actions: [
      ...(isLabelled ? [] : [{ kind: 'patchNode', node: inAnyVersion(node), patch: { labels: INITIALIZED_LABELS } } as const]),
      ...statusActions(observation, changes),
      ...events,
    ],
    reasons: [],
    wakeAt: now,
  }
}

export const INITIALIZED_LABELS: Labels = { [LABEL.initialized]: 'true' }

/** The conditions and events of a claim whose node has what was promised. */
export function initialized(
  claim: NodeClaim,
  node: Node,
): { readonly changes: readonly ConditionChange[]; readonly events: readonly ClaimAction[] } {
  const consistency = consistencyOf(claim, node)
  return {
    changes: [becomes('Initialized'), consistency.change],
    events: [reached(claim, 'Initialized', `node ${node.name} is ready for pods`), ...consistency.events],
  }
}

/**
 * Lets the patch apply to any version of the node. Our label removes nothing that others wrote meanwhile, and a starting node changes many times
 * a second.
 */
function inAnyVersion(node: Node): Node {
  return { ...node, meta: { ...node.meta, resourceVersion: '' } }
}

function wait(observation: ClaimObservation, { reason, message }: Missing): ClaimStep {
  return {
    actions: statusActions(observation, [staysOpen('Initialized', reason, message)]),
    reasons: [],
    wakeAt: nextRequeue(awaitedSince(observation.claim), observation.now),
  }
}

export type Missing = { readonly reason: string; readonly message: string }

/** How long after a node joined an undeclared taint keeps it from being initialized. After that the taint counts as one that stays. */
const TAINT_PATIENCE = durationMs(5 * 60_000)

/** What the node still lacks of what its claim promised, `joinedFor` after it joined. Undefined if it lacks nothing. */
export function missingForInitialization(claim: NodeClaim, node: Node, joinedFor: DurationMs): Missing | undefined {
  if (!isReady(node)) return { reason: 'NodeNotReady', message: `node ${node.name} is not ready` }
  const startup = claim.spec.startupTaints.find((taint) => node.taints.some((present) => isSameTaint(present, taint)))
  if (startup !== undefined) return { reason: 'StartupTaintsExist', message: `startup taint ${formatTaint(startup)} is still on the node` }
  const ephemeral = node.taints.find(isEphemeral)
  if (ephemeral !== undefined)
    return { reason: 'KnownEphemeralTaintsExist', message: `taint ${formatTaint(ephemeral)} is still on the node` }
  const resource = Object.keys(claim.spec.requests)
    .sort()
    .find((name) => amountOf(claim.spec.requests, name) > 0 && amountOf(node.allocatable, name) === 0)
  if (resource !== undefined) return { reason: 'ResourceNotRegistered', message: `the node does not offer ${resource} yet` }
  const undeclared = joinedFor < TAINT_PATIENCE ? node.taints.find((taint) => isUndeclared(taint, claim, node)) : undefined
  if (undeclared === undefined) return undefined
  const rule = `is on the node and neither in spec.taints nor in spec.startupTaints; ${TAINT_PATIENCE / 60_000} minutes after the node joined it counts as permanent`
  return { reason: 'UndeclaredTaintsExist', message: `taint ${formatTaint(undeclared)} ${rule}` }
}

/** The least share of the promised capacity that a node must report. Kernels and firmware keep some of it. */
const LEAST_SHARE = 0.9

export type Consistency = { readonly change: ConditionChange; readonly events: readonly ClaimAction[] }

/** Compares the capacity of the node with the capacity that the claim was promised. */
export function consistencyOf(claim: NodeClaim, node: Node): Consistency {
  const issue = whatIsShort(claim, node)
  if (issue === undefined) return { change: becomes(CONSISTENT_STATE), events: [] }
  const change = { type: CONSISTENT_STATE, status: 'False', reason: 'ConsistencyCheckFailed', message: issue } as const
  return { change, events: [{ kind: 'publish', event: warning(claim, 'FailedConsistencyCheck', issue) }] }
}

/** Updates ConsistentStateFound on an initialized claim when its node has changed. */
export function stepConsistency(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, nodes } = observation
  const [node] = nodes
  if (!isTrue(claim, 'Initialized') || node === undefined || nodes.length > 1) return undefined
  if (isConsistencyKnown(claim, node)) return undefined
  const { change, events } = consistencyOf(claim, node)
  return { actions: [...statusActions(observation, [change]), ...events], reasons: [] }
}

/** Reports whether ConsistentStateFound on the claim is true of the node. */
export function isConsistencyKnown(claim: NodeClaim, node: Node): boolean {
  return findCondition(claim.status.conditions, CONSISTENT_STATE)?.status === consistencyOf(claim, node).change.status
}

const CONSISTENT_STATE = 'ConsistentStateFound'

function whatIsShort(claim: NodeClaim, node: Node): string | undefined {
  const short = Object.keys(claim.spec.requests)
    .sort()
    .find((name) => {
      const promised = amountOf(claim.status.capacity, name)
      return amountOf(claim.spec.requests, name) > 0 && promised > 0 && amountOf(node.capacity, name) < promised * LEAST_SHARE
    })
  if (short === undefined) return undefined
  const [promised, had] = [amountOf(claim.status.capacity, short), amountOf(node.capacity, short)]
  const share = ((had / promised) * 100).toFixed(1)
  return `expected ${promised} of resource ${short}, but found ${had} (${share}% of expected)`
}
