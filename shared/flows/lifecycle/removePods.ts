import { createBoundedMap } from '../../base/caches.ts'
import { settleBounded } from '../../base/concurrency.ts'
import { leastOf } from '../../base/lists.ts'
import type { Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { warning } from '../../engine/lifecycle/claimStatus.ts'
import type { ClaimObservation, HeldPod } from '../../model/claimStep.ts'
import type { Uid } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Pod } from '../../model/pod.ts'
import { Fault, type Problem } from '../../model/problem.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { measureEviction } from '../reports/claimMetrics.ts'
import { PODS_AT_ONCE, type PodAction } from './applyClaimAction.ts'
import { reportRemoved } from './reportRemoved.ts'

const SOON = durationMs(1_000)

export type Removed = {
  /** True if a pod began to terminate. */
  readonly changed: boolean
  /** Set if evictions were refused: the time of the next try, or soon if other pods terminate. */
  readonly wakeAt?: EpochMs
  /** The pods whose eviction was refused. */
  readonly held: readonly HeldPod[]
}

export type Wanted = { readonly actions: readonly PodAction[]; readonly backOff: EvictionBackOff }

/**
 * Removes pods from a node. A pod that cannot be removed does not block the others. It is tried again after a pause. If the call failed, an Event on
 * the claim says so.
 */
export async function removePods(
  deps: ClusterDeps,
  { claim, now }: ClaimObservation,
  { actions: wanted, backOff }: Wanted,
  signal: AbortSignalLike,
): Promise<Removed> {
  const resting = wanted.flatMap((action) => restOf(action, backOff, now) ?? [])
  const actions = wanted.filter((action) => restOf(action, backOff, now) === undefined)
  const outcomes = await settleBounded(actions, PODS_AT_ONCE, (action) => removePod(deps, action, { backOff, now }, signal))
  if (signal.aborted) throw signal.reason
  const failed = actions.flatMap(({ pod }, index) => {
    const outcome = outcomes[index]
    return outcome === undefined || outcome.ok ? [] : [{ cause: outcome.error, pod }]
  })
  const faults: Refused[] = []
  for (const { cause, pod } of failed) faults.push(await report(deps, claim, { pod, cause, backOff }, signal))
  const begun = actions.filter((_action, index) => began(outcomes[index]))
  await reportRemoved(deps, claim, begun, signal)
  const removed = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
  const changed = removed.some((each) => each.changed)
  const refused = [...resting, ...removed.flatMap((each) => each.refused ?? [])]
  const due = leastOf([...refused, ...faults].map(({ dueAt }) => dueAt))
  // If pods terminate, the next run is for them as well.
  const wakeAt = Number.isFinite(due) ? epochMs(changed ? Math.min(due, later(now, SOON)) : due) : undefined
  return defined({ changed, held: refused.flatMap(({ held }) => held ?? []), wakeAt })
}

/** The pause of an eviction, if it is not over. A deletion by a deadline has no pause. */
function restOf({ kind, pod }: PodAction, backOff: EvictionBackOff, now: EpochMs): Refused | undefined {
  return kind === 'evictPod' ? backOff.restingAt(pod, now) : undefined
}

type RemovedPod = { readonly changed: boolean; readonly began?: boolean; readonly refused?: Refused }

async function removePod(
  deps: ClusterDeps,
  action: PodAction,
  { backOff, now }: { readonly backOff: EvictionBackOff; readonly now: EpochMs },
  signal: AbortSignalLike,
): Promise<RemovedPod> {
  const { pod } = action
  if (action.kind === 'deletePod') {
    await deps.api.deletePod(pod, action.gracePeriodSeconds, signal)
    backOff.forget(pod)
    return { changed: pod.deletedAt === undefined, began: pod.deletedAt === undefined }
  }
  const evicted = await askEviction(deps, pod, signal)
  if (!evicted.ok) {
    const held = { pod: pod.key, by: holderOf(evicted.error) }
    return { changed: false, refused: backOff.refused(pod, held, now, evicted.error.retryAfterMs) }
  }
  backOff.forget(pod)
  return { changed: true, began: evicted.value === 'evicted' }
}

function began(outcome: { readonly ok: true; readonly value: RemovedPod } | { readonly ok: false } | undefined): boolean {
  return outcome?.ok === true && outcome.value.began === true
}

/** Names what keeps a pod from being evicted: the budget, or the message of the API server if it names no budget. */
export function holderOf({ fields, message }: Problem): string {
  const budget = fields?.['budget']
  return budget === undefined ? `the API server (${message})` : `poddisruptionbudget ${budget}`
}

async function report(
  deps: ClusterDeps,
  claim: NodeClaim,
  { pod, cause, backOff }: { readonly pod: Pod; readonly cause: unknown; readonly backOff: EvictionBackOff },
  signal: AbortSignalLike,
): Promise<Refused> {
  if (!(cause instanceof Fault)) throw cause
  const { code, message: because, retryAfterMs } = cause.problem
  const message = `pod ${pod.key} cannot be taken from the node: ${because}`
  deps.telemetry.warn(message, { cluster: deps.cluster, claim: claim.name, code })
  await deps.api.publish({ ...warning(claim, 'FailedDraining', message), key: `FailedDraining ${pod.key}` }, signal)
  return backOff.refused(pod, undefined, deps.clock.now(), retryAfterMs)
}

const EVICTION_STATUS = { evicted: 200, gone: 404 } as const

/** Asks for an eviction and counts the answer. A pod whose name another pod has by now counts as gone. */
export async function askEviction(
  deps: Pick<ClusterDeps, 'api' | 'cluster' | 'telemetry'>,
  pod: Pod,
  signal: AbortSignalLike,
): Promise<Result<'evicted' | 'gone', Problem>> {
  try {
    const evicted = await deps.api.evict(pod, signal)
    measureEviction(deps, evicted.ok ? EVICTION_STATUS[evicted.value] : statusOf(evicted.error))
    return evicted
  } catch (cause) {
    if (cause instanceof Fault) measureEviction(deps, statusOf(cause.problem))
    throw cause
  }
}

/** The HTTP status of an answer, `none` if no server answered. */
function statusOf({ fields }: Problem): string {
  return String(fields?.['status'] ?? 'none')
}

/** Shortest and longest pause between two tries to evict one pod, as in Karpenter's eviction queue. */
const SHORTEST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** More refused pods than this are not expected at a time. Beyond it, the pod that was refused longest ago is forgotten and tried at once. */
const MOST_REFUSED = 10_000

/** A refused eviction. `held`: what holds the pod. Undefined if nothing held the pod and the call failed. */
type Refused = { readonly held?: HeldPod; readonly dueAt: EpochMs }

/**
 * Pods whose eviction was refused. Each pod has a pause of its own, independent of the other pods. The process keeps them in memory, because the pods
 * do not show it: another process begins with the shortest pause.
 */
export interface EvictionBackOff {
  /** The last refusal of the pod, if its eviction must not be tried again yet. Undefined if it may be tried. */
  restingAt(pod: Pod, now: EpochMs): Refused | undefined
  /** Notes a refusal. The pause doubles each time, and is never shorter than the server asked for. */
  refused(pod: Pod, held: HeldPod | undefined, now: EpochMs, retryAfterMs?: number): Refused
  forget(pod: Pod): void
}

export function createEvictionBackOff(): EvictionBackOff {
  const pods = createBoundedMap<Uid, Refused & { readonly times: number }>(MOST_REFUSED)
  return {
    restingAt(pod, now) {
      const last = pods.get(pod.uid)
      return last !== undefined && now < last.dueAt ? last : undefined
    },
    refused(pod, held, now, retryAfterMs = 0) {
      const times = (pods.get(pod.uid)?.times ?? 0) + 1
      const own = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** (times - 1))
      const dueAt = later(now, durationMs(Math.max(own, retryAfterMs)))
      const refused = defined({ held, dueAt })
      pods.set(pod.uid, { ...refused, times })
      return refused
    },
    forget: (pod) => pods.delete(pod.uid),
  }
}
