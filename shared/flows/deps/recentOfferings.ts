import type { ClusterId } from '../../model/ids.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import type { EpochMs } from '../../model/units.ts'
import type { OfferingStore } from '../../ports/offeringStore.ts'

/** How long one read serves the later reads of this process, in milliseconds. */
export const RECENT_MS = 2_000

type Read = { readonly offerings: readonly UnavailableOffering[]; readonly at: EpochMs }

/**
 * The store, read at most once in two seconds, and again after each write of this process. Without this, a burst of launches reads one document once
 * for each machine. A launch that does not know what another process was refused in the last two seconds is refused as well, and tries its next
 * candidate.
 */
export function withRecentReads(store: OfferingStore): OfferingStore {
  let last: Read | undefined
  let writes = 0

  async function written<Value>(write: () => Promise<Value>): Promise<Value> {
    try {
      return await write()
    } finally {
      writes++
      last = undefined
    }
  }

  return {
    async unavailable(now, signal) {
      if (last !== undefined && isRecent(last, now)) return last.offerings
      const before = writes
      const offerings = await store.unavailable(now, signal)
      // A read that began before a write ended may not show it.
      if (before === writes) last = { offerings, at: now }
      return offerings
    },
    mark: (refusals, now, signal) => written(() => store.mark(refusals, now, signal)),
    made: (offerings, now, signal) => written(() => store.made(offerings, now, signal)),
  }
}

/** The clock of a host may be set back. */
function isRecent({ at }: Read, now: EpochMs): boolean {
  return now >= at && now < at + RECENT_MS
}

/** The store as one cluster sees it: without what holds for other clusters only. */
export function offeringsFor(cluster: ClusterId, store: OfferingStore): OfferingStore {
  return {
    ...store,
    unavailable: async (now, signal) => (await store.unavailable(now, signal)).filter(({ of }) => of === undefined || of === cluster),
  }
}
