/**
 * The reboot of a node in place, which a repair has committed to: fence, bounded drain, restart of the machine, and the wait for its new boot. All times
 * come from the claim, so another process goes on where one has died.
 */
import { leastOf } from '../../base/lists.ts'
import { defined } from '../../base/values.ts'
import type { ClaimAction, ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import type { Condition } from '../../model/condition.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import {
  isFence,
  isFenced,
  REBOOT_FENCE,
  REBOOT_REASON,
  REBOOTING,
  type RebootRequest,
  type RebootResult,
  rebootBoundOf,
  rebootOf,
  rebootRequestsOf,
  withRebootAt,
  withRefusal,
  withRequestAgain,
} from '../../model/reboot.ts'
import type { Taint } from '../../model/taint.ts'
import { formatTimestamp } from '../../model/time.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import { conditionOf, earlier, statusActions, subjectOf, warning } from './claimStatus.ts'
import { drainPods, nextDue, waitingPods } from './drain.ts'
import { isReady } from './nodeState.ts'

/** The least time from the request to the restart. It catches pods that were bound before the scheduler saw the fence. */
const MIN_DRAIN = durationMs(5_000)
const LEAVING_POLL = durationMs(3_000)
/** How often the node is looked at. */
const POLL = durationMs(15_000)
/** How long Azure may take to accept the restart, and how long a node without an object is waited for before it. */
const ISSUE_TIMEOUT = durationMs(5 * 60_000)
/** How long a machine may take to be a ready node again. */
const RECOVERY_TIMEOUT = durationMs(20 * 60_000)
/**
 * The pause between two requests for the restart. A request whose answer was lost may have restarted the machine. Within the pause the node is back with
 * another boot id, so that the machine is restarted once.
 */
export const RESTART_PAUSE = durationMs(2 * 60_000)
/** The pause after a request that Azure refused for now: the machine does not restart. */
const REFUSED_PAUSE = durationMs(30_000)

/** The next step of a reboot. Undefined if the node is not rebooted. */
export function stepReboot(observation: ClaimObservation): ClaimStep | undefined {
  const reboot = rebootOf(observation.claim)
  if (reboot === undefined) return undefined
  return reboot.reason === REBOOT_REASON.issued ? awaitBoot(observation) : request(observation, reboot)
}

/** What could go wrong is found out before the first pod leaves. */
function request(observation: ClaimObservation, { lastTransitionAt: requestedAt }: Condition): ClaimStep {
  const { claim, restartProblem } = observation
  const [node] = observation.nodes
  const bound = rebootBoundOf(claim)
  if (!bound.ok) {
    const message = `metadata.annotations ${ANNOTATION.rebootGracePeriod}: ${bound.error.message}`
    return failed(observation, 'invalid_request', message)
  }
  if (restartProblem !== undefined) return failed(observation, 'provider_error', restartProblem.message)
  if (claim.meta.annotations[ANNOTATION.rebootPreBootId] !== undefined) return issueAgain(observation, requestedAt)
  if (node === undefined) return awaitNode(observation, later(requestedAt, ISSUE_TIMEOUT))
  if (node.bootId === undefined) return failed(observation, 'invalid_request', `node ${node.name} reports no boot id`)
  const fence: readonly ClaimAction[] = isFenced(node)
    ? []
    : [{ kind: 'patchNode', node, patch: { taints: [...node.taints, REBOOT_FENCE] } }]
  const drain = bound.value === 0 ? undefined : drainUntil(observation, requestedAt, bound.value)
  return drain === undefined ? issue(observation, node.bootId, fence) : { ...drain, actions: [...fence, ...drain.actions] }
}

/**
 * Evicts pods. Without a deadline none is deleted: what is left at the end of the bound stays on the node and survives the reboot. Undefined once the
 * drain is over.
 */
function drainUntil(observation: ClaimObservation, requestedAt: EpochMs, bound: DurationMs | undefined): ClaimStep | undefined {
  const { now } = observation
  const quietAt = later(requestedAt, MIN_DRAIN)
  const until = bound === undefined ? undefined : epochMs(Math.max(quietAt, later(requestedAt, bound)))
  const waiting = waitingPods(observation)
  if (waiting.length === 0 && now >= quietAt) return undefined
  if (until !== undefined && now >= until) return undefined
  const due = leastOf([until, nextDue(observation, waiting, undefined)].filter((at) => at !== undefined))
  return defined({
    actions: drainPods(observation, waiting, undefined),
    reasons: [],
    wakeAt: waiting.length === 0 ? quietAt : later(now, LEAVING_POLL),
    dueAt: Number.isFinite(due) ? epochMs(due) : undefined,
  })
}

/** Records the boot and the time before Azure is asked, so that a process that dies between the two leaves a trace. */
function issue(observation: ClaimObservation, bootId: string, fence: readonly ClaimAction[]): ClaimStep {
  const { claim, now } = observation
  const { labels, annotations } = claim.meta
  const record = { [ANNOTATION.rebootPreBootId]: bootId, [ANNOTATION.reboots]: withRebootAt(claim, now) }
  return {
    actions: [...fence, { kind: 'patchClaim', labels, annotations: { ...annotations, ...record } }, { kind: 'restartMachine' }],
    reasons: [],
    wakeAt: later(now, RESTART_PAUSE),
  }
}

/** Azure was asked, and it is not known what it answered. Each further request is recorded before it is made, as the first one. */
function issueAgain(observation: ClaimObservation, requestedAt: EpochMs): ClaimStep {
  const { claim, now } = observation
  const [node] = observation.nodes
  const asked = requestOf(observation, requestedAt)
  if (hasRebooted(observation, node)) return { ...rebootIssued(observation), wakeAt: now }
  const timeout = later(asked.first, ISSUE_TIMEOUT)
  if (now >= timeout) return failed(observation, 'provider_error', 'Azure has not accepted the restart of the machine within 5 minutes')
  const nextAt = earlier(later(asked.last, asked.isRefused === true ? REFUSED_PAUSE : RESTART_PAUSE), timeout)
  if (now < nextAt) return { actions: [], reasons: [], wakeAt: nextAt, dueAt: nextAt }
  const again = earlier(later(now, RESTART_PAUSE), timeout)
  const { labels, annotations } = claim.meta
  const record = { ...annotations, [ANNOTATION.reboots]: withRequestAgain(claim, asked, now) }
  return {
    actions: [{ kind: 'patchClaim', labels, annotations: record }, { kind: 'restartMachine' }],
    reasons: [],
    wakeAt: again,
    dueAt: again,
  }
}

/** The step once Azure has refused the restart for now. */
export function restartRefused({ claim, now }: ClaimObservation): ClaimStep {
  const { labels, annotations } = claim.meta
  const record = { ...annotations, [ANNOTATION.reboots]: withRefusal(claim) }
  const wakeAt = later(now, REFUSED_PAUSE)
  return { actions: [{ kind: 'patchClaim', labels, annotations: record }], reasons: [], wakeAt, dueAt: wakeAt }
}

/** The step once Azure has accepted the restart. */
export function rebootIssued(observation: ClaimObservation): ClaimStep {
  const reboot = rebootOf(observation.claim)
  const message = 'the machine restarts; the node is checked again once it is back'
  const changes = [
    { type: REBOOTING, status: 'True', reason: REBOOT_REASON.issued, message: reboot?.message ?? '' },
    { type: 'Initialized', status: 'Unknown', reason: REBOOTING, message },
  ] as const
  return { actions: statusActions(observation, changes), reasons: [] }
}

function awaitBoot(observation: ClaimObservation): ClaimStep {
  const { claim, now } = observation
  const [node] = observation.nodes
  const until = later(issuedAt(observation), RECOVERY_TIMEOUT)
  const hasBooted = hasRebooted(observation, node)
  if (node !== undefined && hasBooted && isReady(node)) return succeeded(observation, node)
  if (now >= until) {
    const lacks = node === undefined ? 'has no object' : hasBooted ? 'booted and is not ready' : 'has not booted'
    return failed(observation, 'recovery_timeout', `the node of nodeclaim ${claim.name} ${lacks} 20 minutes after its restart`)
  }
  const onNode = node === undefined ? [] : cleared(observation, node, hasBooted)
  return { actions: onNode, reasons: [], wakeAt: earlier(later(now, POLL), until), dueAt: until }
}

/**
 * Takes the label from the node, which another process may have left, and the fence once the node has booted. The taints of a node that is not ready keep
 * pods off until it is.
 */
function cleared({ claim }: ClaimObservation, node: Node, hasBooted: boolean): readonly ClaimAction[] {
  const isOpened = hasBooted && isFenced(node)
  const patch = defined({
    labelsGone: node.meta.labels[LABEL.initialized] === undefined ? undefined : [LABEL.initialized],
    taints: isOpened ? withoutFence(node) : undefined,
  })
  return [
    ...(Object.keys(patch).length === 0 ? [] : [{ kind: 'patchNode', node, patch } as const]),
    ...(isOpened ? [{ kind: 'publish', event: observed(claim, node) } as const] : []),
  ]
}

function withoutFence({ taints }: Node): readonly Taint[] {
  return taints.filter((taint) => !isFence(taint))
}

function opened(node: Node): readonly ClaimAction[] {
  return isFenced(node) ? [{ kind: 'patchNode', node, patch: { taints: withoutFence(node) } }] : []
}

function observed(claim: ClaimObservation['claim'], node: Node): ClusterEvent {
  const message = `node ${node.name} has a new boot id after its reboot`
  return {
    subject: subjectOf(claim),
    uid: claim.meta.uid,
    type: 'Normal',
    reason: 'RebootObserved',
    message,
    key: keyOf('RebootObserved', claim),
  }
}

/** The same for all Events of one reboot. */
function keyOf(reason: string, claim: ClaimObservation['claim']): string {
  return `${reason} ${formatTimestamp(rebootOf(claim)?.lastTransitionAt ?? claim.meta.createdAt)}`
}

function succeeded(observation: ClaimObservation, node: Node): ClaimStep {
  const actions = [...cleared(observation, node, true), ...ended(observation, 'succeeded', `node ${node.name} has booted anew`)]
  return { actions, reasons: [], wakeAt: observation.now }
}

/** Ends a reboot that failed. The node stays, and the next repair replaces it: another machine comes first, as budgets allow. */
export function failed(observation: ClaimObservation, result: Exclude<RebootResult, 'succeeded'>, message: string): ClaimStep {
  const { claim, nodes, now } = observation
  const event = { ...warning(claim, REBOOT_REASON.failed, message), key: keyOf(REBOOT_REASON.failed, claim) }
  return {
    actions: [...nodes.flatMap(opened), ...ended(observation, result, message), { kind: 'publish', event }],
    reasons: [],
    wakeAt: now,
  }
}

function ended(observation: ClaimObservation, result: RebootResult, message: string): readonly ClaimAction[] {
  const { claim, now } = observation
  const requestedAt = rebootOf(claim)?.lastTransitionAt ?? now
  const reason = result === 'succeeded' ? REBOOT_REASON.succeeded : REBOOT_REASON.failed
  const reboot = defined({
    result,
    tookMs: durationMs(now - requestedAt),
    recoveryMs: result === 'succeeded' ? durationMs(now - issuedAt(observation)) : undefined,
  })
  const status = statusActions(observation, [{ type: REBOOTING, status: 'False', reason, message }])
  const gone = [ANNOTATION.rebootPreBootId, ANNOTATION.rebootGracePeriod].filter((key) => claim.meta.annotations[key] !== undefined)
  const { labels, annotations } = claim.meta
  return [
    ...status.map((action) => ({ ...action, reboot })),
    ...(gone.length === 0 ? [] : [{ kind: 'patchClaim', labels, annotations, annotationsGone: gone } as const]),
  ]
}

function awaitNode(observation: ClaimObservation, until: EpochMs): ClaimStep {
  const { claim, now } = observation
  if (now >= until) return failed(observation, 'provider_error', `the node of nodeclaim ${claim.name} has had no object for 5 minutes`)
  return { actions: [], reasons: [], wakeAt: earlier(later(now, POLL), until), dueAt: until }
}

/** Reports whether the node reports another boot than the one before the reboot. */
function hasRebooted({ claim }: ClaimObservation, node: Node | undefined): boolean {
  const before = claim.meta.annotations[ANNOTATION.rebootPreBootId]
  return before !== undefined && node?.bootId !== undefined && node.bootId !== before
}

/** When Azure was asked for this reboot. A reboot that another provider began has no such times. */
function requestOf({ claim }: ClaimObservation, requestedAt: EpochMs): RebootRequest {
  return rebootRequestsOf(claim).findLast(({ first }) => first >= requestedAt) ?? { first: requestedAt, last: requestedAt }
}

/** When Azure accepted the restart. The claim shows it unless its node was never initialized. */
function issuedAt(observation: ClaimObservation): EpochMs {
  const { claim } = observation
  const asked = requestOf(observation, rebootOf(claim)?.lastTransitionAt ?? claim.meta.createdAt).first
  const initialized = conditionOf(claim, 'Initialized')
  return initialized?.reason === REBOOTING ? epochMs(Math.max(asked, initialized.lastTransitionAt)) : asked
}
