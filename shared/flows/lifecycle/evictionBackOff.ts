import { defined } from '../../base/defined.ts'
import { createRecent } from '../../base/recent.ts'
import type { HeldPod } from '../../model/claimStep.ts'
import type { Uid } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'

/** Pauses between two evictions of one pod, as Karpenter's queue has them. */
const FIRST_PAUSE_MS = 100
const LAST_PAUSE_MS = 10_000
/** More are not refused at a time; the one that was refused longest ago is asked at once. */
const MOST_PODS = 10_000

/** `held`: by whom. Undefined where nobody held it, and the question failed. */
export type Refused = { readonly held?: HeldPod; readonly dueAt: EpochMs }

/**
 * Pods whose eviction was refused: each is asked again after a pause of its own, whatever becomes of the others. Kept by the process, as the pods
 * themselves say nothing of it: another process begins anew.
 */
export interface EvictionBackOff {
  /** The pod may not be asked again yet. */
  restingAt(pod: Pod, now: EpochMs): Refused | undefined
  /** The pause doubles, and is never shorter than what the server asked for. */
  refused(pod: Pod, held: HeldPod | undefined, now: EpochMs, retryAfterMs?: number): Refused
  forget(pod: Pod): void
}

export function createEvictionBackOff(): EvictionBackOff {
  const pods = createRecent<Uid, Refused & { readonly times: number }>(MOST_PODS)
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
