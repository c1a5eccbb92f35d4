import { settle } from '../../base/concurrency.ts'
import { shortages } from '../../engine/offering/quota.ts'
import type { RegionOfferings } from '../../model/askedCores.ts'
import type { ClusterId } from '../../model/ids.ts'
import type { EpochMs } from '../../model/units.ts'
import type { Catalog } from '../../ports/catalog.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { OfferingStore } from '../../ports/offeringStore.ts'

/** How long one read serves the later reads of this process, in milliseconds. */
export const RECENT_MS = 2_000

type Read = { readonly known: RegionOfferings; readonly at: EpochMs }

/**
 * The store, read at most once in two seconds, and again after each write of this process. Without this, a burst of launches reads one document once
 * for each machine. A launch that does not know what another process was refused in the last two seconds is refused as well, and tries its next
 * candidate.
 */
export function withRecentReads(store: OfferingStore): OfferingStore {
  let last: Read | undefined
  let writes = 0

  let underWay: { readonly known: Promise<RegionOfferings>; readonly after: number } | undefined

  /** Claims that read at the same time share one read. It ends with the time of the first of them, and the others then read themselves. */
  async function read(now: EpochMs, signal: AbortSignalLike): Promise<RegionOfferings> {
    if (last !== undefined && isRecent(last, now)) return last.known
    const other = underWay?.after === writes ? underWay.known : undefined
    const shared = other === undefined ? undefined : await settle(() => other)
    if (shared?.ok === true) return shared.value
    const mine = { known: readNow(now, signal), after: writes }
    underWay = mine
    try {
      return await mine.known
    } finally {
      if (underWay === mine) underWay = undefined
    }
  }

  async function readNow(now: EpochMs, signal: AbortSignalLike): Promise<RegionOfferings> {
    const before = writes
    const [unavailable, asked, reports] = await Promise.all([
      store.unavailable(now, signal),
      store.asked(now, signal),
      store.reports(now, signal),
    ])
    const known = { unavailable, asked, reports }
    // A read that began before a write ended may not show it.
    if (before === writes) last = { known, at: now }
    return known
  }

  /** Cores that were granted change nothing for this process: each launch asks the store itself. */
  async function ask(...[machine, quota, signal]: Parameters<OfferingStore['ask']>): Promise<boolean> {
    const isGranted = await store.ask(machine, quota, signal)
    if (!isGranted) forget()
    return isGranted
  }

  function forget(): void {
    writes++
    last = undefined
  }

  async function written<Value>(write: () => Promise<Value>): Promise<Value> {
    try {
      return await write()
    } finally {
      forget()
    }
  }

  return {
    unavailable: async (now, signal) => (await read(now, signal)).unavailable,
    asked: async (now, signal) => (await read(now, signal)).asked,
    mark: (refusals, now, signal) => written(() => store.mark(refusals, now, signal)),
    made: (offerings, now, signal) => written(() => store.made(offerings, now, signal)),
    ask,
    withdraw: (claim, now, signal) => written(() => store.withdraw(claim, now, signal)),
    reports: async (now, signal) => (await read(now, signal)).reports,
    report: (reports, now, signal) => written(() => store.report(reports, now, signal)),
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

/** The store with the offerings for which the quotas have no room beside the cores in flight. */
export function withQuotaInFlight(store: OfferingStore, catalog: Pick<Catalog, 'quota'>): OfferingStore {
  return {
    ...store,
    async unavailable(now, signal) {
      const [unavailable, asked] = await Promise.all([store.unavailable(now, signal), store.asked(now, signal)])
      if (asked.length === 0) return unavailable
      const quota = await catalog.quota(signal)
      return quota === undefined ? unavailable : [...unavailable, ...shortages(quota, asked, now)]
    },
  }
}
