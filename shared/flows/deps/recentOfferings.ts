import { createBoundedMap } from '../../base/caches.ts'
import { shortages } from '../../engine/offering/quota.ts'
import type { RegionOfferings } from '../../model/askedCores.ts'
import type { ClusterId } from '../../model/ids.ts'
import type { LaunchChoice } from '../../model/instance.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
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

  async function read(now: EpochMs, signal: AbortSignalLike): Promise<RegionOfferings> {
    if (last !== undefined && isRecent(last, now)) return last.known
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

/**
 * The offerings that launches of this process try. In a burst, many claims want the same offering at once. Until Azure has made a machine of it, one
 * claim tries it, and the others wait for the answer. So a refused offering costs one request, and an offering that Azure has costs the others the
 * time of one answer, once.
 */
export interface FirstTries {
  /**
   * Begins the try of an offering, or says what to wait for. A claim waits once for each offering, so that it does not wait for one claim after
   * another.
   */
  begin(choice: Offered, now: EpochMs, hasWaited: boolean): Begun
}

/** `answer` settles when the claim that tries the offering for the first time has its answer. `end`: must be called, with what Azure did. */
export type Begun =
  | { readonly kind: 'wait'; readonly answer: Promise<void> }
  | { readonly kind: 'try'; readonly end: (isMade: boolean, now: EpochMs) => void }

type Offered = Pick<LaunchChoice, 'size' | 'zone' | 'capacityType'>
/** `readUntil`: the offering was refused. A claim that does not know it yet has read what is refused before. */
type Known = { readonly worksUntil: EpochMs } | { readonly answer: Promise<void>; readonly readUntil?: EpochMs }

/** How long an offering counts as one that Azure has. */
const WORKS_FOR = durationMs(5 * 60_000)
/** Longer than a read of what is refused takes. */
const READ_FOR = durationMs(10_000)
/** More than the offerings of all sizes that one burst tries. A forgotten offering is tried by several claims. */
const MOST_TRIES_KEPT = 2_000

export function createFirstTries(): FirstTries {
  const offerings = createBoundedMap<string, Known>(MOST_TRIES_KEPT)

  return {
    begin(choice, now, hasWaited) {
      const name = nameOf(choice)
      const works = (at: EpochMs) => offerings.set(name, { worksUntil: later(at, WORKS_FOR) })
      const last = offerings.get(name)
      const known = last !== undefined && 'readUntil' in last && (hasWaited || now >= last.readUntil) ? undefined : last
      if (known !== undefined && 'answer' in known && !hasWaited) return { kind: 'wait', answer: known.answer }
      if (known !== undefined && ('answer' in known || now < known.worksUntil)) {
        return { kind: 'try', end: (isMade, at) => void (isMade && works(at)) }
      }
      const { promise: answer, resolve: tell } = Promise.withResolvers<void>()
      offerings.set(name, { answer })
      return {
        kind: 'try',
        end(isMade, at) {
          if (isMade) works(at)
          else offerings.set(name, { answer, readUntil: later(at, READ_FOR) })
          tell()
        },
      }
    },
  }
}

function nameOf({ size, zone, capacityType }: Offered): string {
  return `${size} ${zone} ${capacityType}`
}
