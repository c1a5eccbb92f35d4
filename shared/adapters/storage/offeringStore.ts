import {
  type AskedCores,
  hasRoom,
  isAsked,
  type QuotaUsages,
  type RegionOfferings,
  withAsked,
  withoutClaim,
} from '../../model/askedCores.ts'
import { Fault, problem } from '../../model/problem.ts'
import { isRemembered, offeringsKeyOf, withMade, withRefusals } from '../../model/refusalGrowth.ts'
import { isReported, type SizeReport, withReports } from '../../model/sizeReport.ts'
import type { EpochMs } from '../../model/units.ts'
import type { BlobStore } from '../../ports/blobStore.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { OfferingStore } from '../../ports/offeringStore.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { parseUnavailable, printUnavailable } from '../../wire/unavailable.ts'

export type OfferingStoreOptions = {
  readonly blobs: BlobStore
  /** The path of the region: `regions/<subscription>/<region>`. */
  readonly region: string
  readonly telemetry: Telemetry
  readonly clock: Pick<Clock, 'sleep'>
  /** Returns a number from 0 to 1, like `Math.random`. */
  readonly random: () => number
}

/**
 * Pauses between tries grow from the first to the longest. Each is shortened by a random factor, so that writers that collided do not collide again.
 */
const PAUSE_MS = { first: 25, longest: 2_000 }
/** Together with the pauses, the tries take about twenty seconds. In that time, more writers succeed than a region has processes. */
const TRIES = 20

type Change = (known: RegionOfferings) => RegionOfferings

const NOTHING: RegionOfferings = { unavailable: [], asked: [], reports: [] }

/** The changes of one write. `written`: the offerings after it. */
type Batch = { readonly changes: Change[]; readonly signal: AbortSignalLike; readonly written: Promise<RegionOfferings> }

/**
 * Stores the unavailable offerings of a subscription and region in one document, with the cores in flight. Every process that launches changes it.
 * Writers that collide read again after a pause. Changes that come during a write of this process wait for it and are then written together. So a
 * burst costs a process a few writes, however many claims are refused. A process should have one store for each region.
 */
export function createOfferingStore(options: OfferingStoreOptions): OfferingStore {
  let gathering: Batch | undefined
  let writing: Promise<unknown> = Promise.resolve()

  function openBatch(now: EpochMs, signal: AbortSignalLike): Batch {
    const changes: Change[] = []
    const written = writing.then(() => {
      gathering = undefined
      return write(options, changes, now, signal)
    })
    writing = written.catch(() => undefined)
    return { changes, signal, written }
  }

  async function change(to: Change, now: EpochMs, signal: AbortSignalLike): Promise<RegionOfferings> {
    for (;;) {
      gathering ??= openBatch(now, signal)
      const batch = gathering
      batch.changes.push(to)
      try {
        return await batch.written
      } catch (cause) {
        // The time of the caller that opened the batch is over. Callers that joined it may still have time.
        if (!batch.signal.aborted || signal.aborted) throw cause
      }
    }
  }

  let reading: { readonly signal: AbortSignalLike; readonly known: Promise<RegionOfferings> } | undefined

  /** The document. Questions of one caller at once are answered by one read. */
  async function read(now: EpochMs, signal: AbortSignalLike): Promise<RegionOfferings> {
    if (reading?.signal === signal) return reading.known
    const mine = { signal, known: load(options, now, signal).then((stored) => stored.known) }
    reading = mine
    try {
      return await mine.known
    } finally {
      if (reading === mine) reading = undefined
    }
  }

  return {
    unavailable: async (now, signal) => (await read(now, signal)).unavailable,
    mark: async (refusals, now, signal) => {
      if (refusals.length === 0) return []
      const known = await change((before) => ({ ...before, unavailable: withRefusals(before.unavailable, refusals, now) }), now, signal)
      const marked = new Set(refusals.map(offeringsKeyOf))
      return known.unavailable.filter((each) => marked.has(offeringsKeyOf(each)))
    },
    async made(offerings, now, signal) {
      await change((before) => ({ ...before, unavailable: withMade(before.unavailable, offerings) }), now, signal)
    },
    asked: async (now, signal) => (await read(now, signal)).asked,
    async ask(machine, quota, signal) {
      const known = await change((before) => withAskedIn(before, machine, quota), machine.at, signal)
      return known.asked.includes(machine)
    },
    async withdraw(claim, now, signal) {
      await change((before) => ({ ...before, asked: withoutClaim(before.asked, claim) }), now, signal)
    },
    reports: async (now, signal) => (await read(now, signal)).reports,
    async report(further, now, signal) {
      await change((before) => withReportsIn(before, further, now), now, signal)
    },
  }
}

/** The same object if the reports say nothing new: nothing is written then. */
function withReportsIn(before: RegionOfferings, further: readonly SizeReport[], now: EpochMs): RegionOfferings {
  const reports = withReports(before.reports, further, now)
  return reports === before.reports ? before : { ...before, reports }
}

/** The same object if the quotas have no room for the machine: nothing is written then. */
function withAskedIn(before: RegionOfferings, machine: AskedCores, quota: QuotaUsages): RegionOfferings {
  return hasRoom(machine, before.asked, quota) ? { ...before, asked: withAsked(before.asked, machine, quota) } : before
}

async function write(
  options: OfferingStoreOptions,
  changes: readonly Change[],
  now: EpochMs,
  signal: AbortSignalLike,
): Promise<RegionOfferings> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) await options.clock.sleep(pauseBefore(tries, options.random), signal)
    const stored = await load(options, now, signal)
    const known = changes.reduce((before, to) => to(before), stored.known)
    if (known === stored.known) return known
    const written = await options.blobs.write(pathOf(options), printUnavailable(known), stored.etag, signal)
    if (written.ok) return known
  }
  const what = `blob ${pathOf(options)} changed at each of ${TRIES} tries`
  throw new Fault('store unavailable offerings', problem('STORE.CONFLICT', what, { retryAfterMs: PAUSE_MS.longest }))
}

function pauseBefore(tries: number, random: () => number): number {
  return Math.min(PAUSE_MS.longest, PAUSE_MS.first * 2 ** (tries - 1)) * random()
}

function pathOf(options: OfferingStoreOptions): string {
  return `${options.region}/unavailable`
}

/** Loads the offerings that are blocked or were blocked lately. A document that cannot be parsed counts as empty, since Azure would give each refusal again. */
async function load(
  options: OfferingStoreOptions,
  now: EpochMs,
  signal: AbortSignalLike,
): Promise<{ readonly known: RegionOfferings; readonly etag: string | undefined }> {
  const found = await options.blobs.read(pathOf(options), signal)
  if (found === undefined) return { known: NOTHING, etag: undefined }
  const parsed = parseUnavailable(found.value)
  if (parsed.ok) {
    const unavailable = parsed.value.unavailable.filter((each) => isRemembered(each, now))
    const asked = parsed.value.asked.filter((each) => isAsked(each, now))
    return { known: { unavailable, asked, reports: parsed.value.reports.filter((each) => isReported(each, now)) }, etag: found.etag }
  }
  options.telemetry.warn('the unavailable offerings cannot be read: starting anew', {
    path: pathOf(options),
    code: parsed.error.code,
    why: parsed.error.message,
  })
  return { known: NOTHING, etag: found.etag }
}
