import { createBoundedMap } from '../../base/boundedMap.ts'
import { defined } from '../../base/defined.ts'
import type { HeldPod } from '../../model/claimStep.ts'
import type { Uid } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'

/** Shortest and longest pause between two tries to evict one pod, as in Karpenter's eviction queue. */
const FIRST_PAUSE_MS = 100
const LAST_PAUSE_MS = 10_000
/** More refused pods than this are not expected at a time. Beyond it, the pod that was refused longest ago is forgotten and tried at once. */
const MOST_PODS = 10_000

/** A refused eviction. `held`: what holds the pod. Undefined if nothing held the pod and the call failed. */
export type Refused = { readonly held?: HeldPod; readonly dueAt: EpochMs }

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
  const pods = createBoundedMap<Uid, Refused & { readonly times: number }>(MOST_PODS)
  return {
    restingAt(pod, now) {
      const last = pods.get(pod.uid)
      return last !== undefined && now < last.dueAt ? last : undefined
    },
    refused(pod, held, now, retryAfterMs = 0) {
      const times = (pods.get(pod.uid)?.times ?? 0) + 1
      const own = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (times - 1))
      const dueAt = later(now, durationMs(Math.max(own, retryAfterMs)))
      const refused = defined({ held, dueAt })
      pods.set(pod.uid, { ...refused, times })
      return refused
    },
    forget: (pod) => pods.delete(pod.uid),
  }
}
