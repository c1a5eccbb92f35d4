/** What a NodeClaim says about reboots of its node. Conditions and annotations are those of Karpenter, with one of Joiner for the history. */
import { ok, type Result } from '../base/result.ts'
import { type Condition, findCondition } from './condition.ts'
import { ANNOTATION, TAINT_KEY } from './labels.ts'
import type { Node } from './node.ts'
import type { NodeClaim } from './nodeClaim.ts'
import type { Problem } from './problem.ts'
import type { Taint } from './taint.ts'
import { parseDuration } from './time.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs } from './units.ts'

/** Condition of a claim whose node is rebooted in place. True while it is, False once the reboot has ended. */
export const REBOOTING = 'Rebooting'

/** Reasons of the condition. Requested: the node is drained. Issued: Azure restarts the machine. */
export const REBOOT_REASON = {
  requested: 'RebootRequested',
  issued: 'RebootIssued',
  succeeded: 'RebootSucceeded',
  failed: 'RebootFailed',
} as const

/** How a reboot ended, as metrics say it. */
export type RebootResult = 'succeeded' | 'provider_error' | 'recovery_timeout' | 'invalid_request'

/** Keeps new pods from a node until its new boot is seen. */
export const REBOOT_FENCE: Taint = { key: TAINT_KEY.rebooting, effect: 'NoSchedule' }

/** A third reboot of a claim within this time is a replacement. */
const HISTORY = durationMs(24 * 3_600_000)
const MOST_REBOOTS = 2

type Rebooted = Pick<NodeClaim, 'meta' | 'status'>

/** The condition of the reboot that is under way. Undefined if there is none. The end of the claim ends its reboot. */
export function rebootOf({ meta, status }: Rebooted): Condition | undefined {
  const condition = findCondition(status.conditions, REBOOTING)
  return condition?.status === 'True' && meta.deletedAt === undefined ? condition : undefined
}

export function isRebooting(claim: Rebooted): boolean {
  return rebootOf(claim) !== undefined
}

/** Reports whether pods may have to leave the node before Azure is asked for the restart. */
export function isDrainedForReboot(claim: Rebooted): boolean {
  return rebootOf(claim)?.reason === REBOOT_REASON.requested && claim.meta.annotations[ANNOTATION.rebootPreBootId] === undefined
}

export function isFence({ key }: Taint): boolean {
  return key === REBOOT_FENCE.key
}

export function isFenced({ taints }: Pick<Node, 'taints'>): boolean {
  return taints.some(isFence)
}

/** The time that pods have to leave the node. Undefined: any time. A value that cannot be read is a problem. */
export function rebootBoundOf({ meta }: Rebooted): Result<DurationMs | undefined, Problem> {
  const said = meta.annotations[ANNOTATION.rebootGracePeriod]
  return said === undefined ? ok(undefined) : parseDuration(said)
}

/** When Azure was asked for a reboot, at first and at last. `isRefused`: Azure answered the last request, and restarts nothing for it. */
export type RebootRequest = { readonly first: EpochMs; readonly last: EpochMs; readonly isRefused?: true }

const REQUEST = /^(?<first>\d{1,15})(?:\+(?<last>\d{1,15}))?(?<refused>-)?$/

/** The requests for reboots of the claim, in order. */
export function rebootRequestsOf({ meta }: Rebooted): readonly RebootRequest[] {
  const said = meta.annotations[ANNOTATION.reboots]?.split(',') ?? []
  return said.flatMap((text) => {
    const { first, last = first, refused } = REQUEST.exec(text)?.groups ?? {}
    if (first === undefined) return []
    return [{ first: epochMs(Number(first)), last: epochMs(Number(last)), ...(refused !== undefined && { isRefused: true }) }]
  })
}

/** The history with a reboot that begins now, as the annotation has it. What is too old to matter is left out. */
export function withRebootAt(claim: Rebooted, now: EpochMs): string {
  return printed([...rebootRequestsOf(claim).filter(({ first }) => isRecent(first, now)), { first: now, last: now }])
}

/** The history with one more request for the reboot that began then. */
export function withRequestAgain(claim: Rebooted, { first }: RebootRequest, now: EpochMs): string {
  return printed([...rebootRequestsOf(claim).filter((each) => each.first !== first), { first, last: now }])
}

/** The history with the answer to the last request: Azure restarts nothing for it. */
export function withRefusal(claim: Rebooted): string {
  const requests = rebootRequestsOf(claim)
  return printed(requests.map((each, at) => (at === requests.length - 1 ? { ...each, isRefused: true } : each)))
}

function printed(requests: readonly RebootRequest[]): string {
  const textOf = ({ first, last, isRefused }: RebootRequest): string =>
    `${first}${first === last ? '' : `+${last}`}${isRefused === true ? '-' : ''}`
  return requests.map(textOf).join(',')
}

/** Why the node is replaced although a policy asks for a reboot. Undefined if it may be rebooted. */
export function whyNoReboot(claim: Rebooted, now: EpochMs): string | undefined {
  const last = findCondition(claim.status.conditions, REBOOTING)
  if (last?.status === 'False' && last.reason === REBOOT_REASON.failed && isRecent(last.lastTransitionAt, now))
    return `its last reboot failed: ${last.message}`
  const recent = rebootRequestsOf(claim).filter(({ first }) => isRecent(first, now))
  return recent.length < MOST_REBOOTS ? undefined : `it was rebooted ${recent.length} times within 24 hours`
}

/** When the last successful reboot ended. Tolerations of repair policies begin then at the earliest. */
export function rebootedAt({ status }: Pick<NodeClaim, 'status'>): EpochMs | undefined {
  const last = findCondition(status.conditions, REBOOTING)
  return last?.status === 'False' && last.reason === REBOOT_REASON.succeeded ? last.lastTransitionAt : undefined
}

function isRecent(at: EpochMs, now: EpochMs): boolean {
  return now - at < HISTORY
}
