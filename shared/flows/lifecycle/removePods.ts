import { mapBounded, settleBounded } from '../../base/bounded.ts'
import { defined } from '../../base/defined.ts'
import { leastOf } from '../../base/lists.ts'
import { warning } from '../../engine/lifecycle/ending.ts'
import type { ClaimAction, ClaimObservation, HeldPod } from '../../model/claimStep.ts'
import { findCondition } from '../../model/condition.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { Fault, type Problem } from '../../model/problem.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/** Pods of one node taken away beside each other. */
const AT_ONCE = 8

export type PodAction = Extract<ClaimAction, { readonly kind: 'evictPod' | 'deletePod' }>

export function isPodAction(action: ClaimAction): action is PodAction {
  return action.kind === 'evictPod' || action.kind === 'deletePod'
}

export type Removed = {
  /** A pod began to go. */
  readonly changed: boolean
  /** Set when nothing went: the API server asked to be left alone until then. */
  readonly wakeAt?: EpochMs
  /** Those that were not let go. */
  readonly held: readonly HeldPod[]
}

/** Takes pods from a node. One that cannot be taken keeps no other, and an Event on the claim says why it stays. */
export async function removePods(
  deps: ClusterDeps,
  { claim, now }: ClaimObservation,
  actions: readonly PodAction[],
  signal: AbortSignalLike,
): Promise<Removed> {
  const outcomes = await settleBounded(actions, AT_ONCE, (action) => removePod(deps, action, signal))
  if (signal.aborted) throw signal.reason
  const failed = outcomes.flatMap((outcome, index) => (outcome.ok ? [] : [{ cause: outcome.error, pod: actions[index]?.pod.key }]))
  for (const { cause, pod } of failed) await report(deps, claim, pod, cause, signal)
  await tellPods(
    deps,
    claim,
    actions.filter((_action, index) => began(outcomes[index])),
    signal,
  )
  const removed = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
  const changed = removed.some((each) => each.changed)
  const pause = leastOf(removed.flatMap(({ retryAfterMs }) => retryAfterMs ?? []))
  const held = removed.flatMap((each) => each.held ?? [])
  return defined({ changed, held, wakeAt: changed || !Number.isFinite(pause) ? undefined : later(now, durationMs(pause)) })
}

type RemovedPod = { readonly changed: boolean; readonly began?: boolean; readonly retryAfterMs?: DurationMs; readonly held?: HeldPod }

async function removePod(deps: ClusterDeps, action: PodAction, signal: AbortSignalLike): Promise<RemovedPod> {
  const { pod } = action
  if (action.kind === 'deletePod') {
    await deps.api.deletePod(pod, action.gracePeriodSeconds, signal)
    return { changed: pod.deletedAt === undefined, began: pod.deletedAt === undefined }
  }
  const evicted = await deps.api.evict(pod, signal)
  if (evicted.ok) return { changed: true, began: evicted.value === 'evicted' }
  const { retryAfterMs } = evicted.error
  const held = { pod: pod.key, by: holderOf(evicted.error) }
  return retryAfterMs === undefined ? { changed: false, held } : { changed: false, held, retryAfterMs: durationMs(retryAfterMs) }
}

function began(outcome: { readonly ok: true; readonly value: RemovedPod } | { readonly ok: false } | undefined): boolean {
  return outcome?.ok === true && outcome.value.began === true
}

/** Each pod that begins to go is told why. The words are known to whoever watches Karpenter's Events. */
async function tellPods(deps: ClusterDeps, claim: NodeClaim, actions: readonly PodAction[], signal: AbortSignalLike): Promise<void> {
  const why = findCondition(claim.status.conditions, 'DisruptionReason')?.reason
  const because = `nodeclaim ${claim.name} ends${why === undefined ? '' : ` (${why})`}`
  await mapBounded(actions, AT_ONCE, (action) => deps.api.publish(eventOf(action, because), signal))
}

function eventOf(action: PodAction, because: string): ClusterEvent {
  const { key, uid, terminationGracePeriodSeconds: own } = action.pod
  const event = { subject: { kind: 'pod', name: key }, uid, type: 'Normal' } as const
  if (action.kind === 'evictPod') return { ...event, reason: 'Evicted', message: `evicted: ${because}` }
  const granted = `${action.gracePeriodSeconds} s${own === undefined ? '' : ` of its ${own} s`}`
  return { ...event, reason: 'Disrupted', message: `deleted, with ${granted} to end, whatever holds it: ${because} by its deadline` }
}

/** Who keeps a pod from being evicted. Where the server names no budget, what it says. */
export function holderOf({ fields, message }: Problem): string {
  const budget = fields?.['budget']
  return budget === undefined ? `the API server (${message})` : `poddisruptionbudget ${budget}`
}

async function report(
  deps: ClusterDeps,
  claim: NodeClaim,
  pod: string | undefined,
  cause: unknown,
  signal: AbortSignalLike,
): Promise<void> {
  if (!(cause instanceof Fault)) throw cause
  const message = `pod ${pod} cannot be taken from the node: ${cause.problem.message}`
  deps.telemetry.warn(message, { cluster: deps.cluster, claim: claim.name, code: cause.problem.code })
  await deps.api.publish({ ...warning(claim, 'FailedDraining', message), key: `FailedDraining ${pod}` }, signal)
}
