import { Fault, problem } from '../../model/problem.ts'
import { isRemembered, keyOf, withMade, withRefusals } from '../../model/refusalGrowth.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
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

type Offerings = readonly UnavailableOffering[]
type Change = (known: Offerings) => Offerings

/** The changes of one write. `written`: the offerings after it. */
type Batch = { readonly changes: Change[]; readonly signal: AbortSignalLike; readonly written: Promise<Offerings> }

/**
 * Stores the unavailable offerings of a subscription and region in one document. Every process with a refused launch changes it. Writers that collide
 * read again after a pause. Changes that come during a write of this process wait for it and are then written together. So a burst costs a process a
 * few writes, however many claims are refused. A process should have one store for each region.
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

  async function change(to: Change, now: EpochMs, signal: AbortSignalLike): Promise<Offerings> {
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

  return {
    unavailable: async (now, signal) => (await load(options, now, signal)).offerings,
    mark: async (refusals, now, signal) => {
      if (refusals.length === 0) return []
      const known = await change((before) => withRefusals(before, refusals, now), now, signal)
      const marked = new Set(refusals.map(keyOf))
      return known.filter((each) => marked.has(keyOf(each)))
    },
    made: async (offerings, now, signal) => void (await change((before) => withMade(before, offerings), now, signal)),
  }
}

async function write(options: OfferingStoreOptions, changes: readonly Change[], now: EpochMs, signal: AbortSignalLike): Promise<Offerings> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) await options.clock.sleep(pauseBefore(tries, options.random), signal)
    const stored = await load(options, now, signal)
    const offerings = changes.reduce((before, to) => to(before), stored.offerings)
    const written = await options.blobs.write(pathOf(options), printUnavailable(offerings), stored.etag, signal)
    if (written.ok) return offerings
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
): Promise<{ readonly offerings: Offerings; readonly etag: string | undefined }> {
  const found = await options.blobs.read(pathOf(options), signal)
  if (found === undefined) return { offerings: [], etag: undefined }
  const parsed = parseUnavailable(found.value)
  if (parsed.ok) return { offerings: parsed.value.filter((offering) => isRemembered(offering, now)), etag: found.etag }
  options.telemetry.warn('the unavailable offerings cannot be read: starting anew', {
    path: pathOf(options),
    code: parsed.error.code,
    why: parsed.error.message,
  })
  return { offerings: [], etag: found.etag }
}
