import { createBoundedMap } from '../../base/caches.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Pod } from '../../model/pod.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'

/** How long these objects count as read just now, in milliseconds. */
const FRESH_MS = 1_000
/** More ends than one decision begins. */
const MOST_ENDS = 1_000

/** The objects of a claim that is being deleted, as the API server answered: the deletion of the claim, the taint of its node, and the list of its pods. */
type FreshEnd = { readonly claim: NodeClaim; readonly node: Node; readonly pods: readonly Pod[]; readonly readAt: EpochMs }

/**
 * What a decision of this process read live to delete claims, so that the first step of each does not read the same objects again within the same
 * second. Each is used once.
 */
export interface FreshEnds {
  note(end: FreshEnd): void
  take(claim: NodeClaimName, now: EpochMs): FreshEnd | undefined
}

export function createFreshEnds(): FreshEnds {
  const ends = createBoundedMap<NodeClaimName, FreshEnd>(MOST_ENDS)
  return {
    note: (end) => ends.set(end.claim.name, end),
    take(claim, now) {
      const end = ends.get(claim)
      ends.delete(claim)
      return end !== undefined && now >= end.readAt && now < end.readAt + FRESH_MS ? end : undefined
    },
  }
}

/** Resolves once the promise is settled, fulfilled or not. Rejects with the reason of the signal if the signal aborts first. */
export function untilEnded(promise: Promise<unknown>, signal: AbortSignalLike): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason)
    if (signal.aborted) return giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    const end = (): void => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    promise.then(end, end)
  })
}
