import { canonicalJson } from '../../base/canonicalJson.ts'
import { addAll } from '../../base/lists.ts'
import { Fault, problem } from '../../model/problem.ts'
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

/** The marks of one write. */
type Batch = { readonly offerings: UnavailableOffering[]; readonly signal: AbortSignalLike; readonly written: Promise<void> }

/**
 * Stores the unavailable offerings of a subscription and region in one document. Every process with a refused launch changes it. Writers that collide
 * read again after a pause. Marks that come during a write of this process wait for it and are then written together. So a burst costs a process a
 * few writes, however many claims are refused. A process should have one store for each region.
 */
export function createOfferingStore(options: OfferingStoreOptions): OfferingStore {
  let gathering: Batch | undefined
  let writing: Promise<unknown> = Promise.resolve()

  function openBatch(now: EpochMs, signal: AbortSignalLike): Batch {
    const offerings: UnavailableOffering[] = []
    const written = writing.then(() => {
      gathering = undefined
      return write(options, offerings, now, signal)
    })
    writing = written.catch(() => undefined)
    return { offerings, signal, written }
  }

  return {
    unavailable: async (now, signal) => (await load(options, now, signal)).offerings,
    mark: async (offerings, now, signal) => {
      if (offerings.length === 0) return
      for (;;) {
        gathering ??= openBatch(now, signal)
        const batch = gathering
        addAll(batch.offerings, offerings)
        try {
          return await batch.written
        } catch (cause) {
          // The time of the caller that opened the batch is over. Callers that joined it may still have time.
          if (!batch.signal.aborted || signal.aborted) throw cause
        }
      }
    },
  }
}

async function write(
  options: OfferingStoreOptions,
  added: readonly UnavailableOffering[],
  now: EpochMs,
  signal: AbortSignalLike,
): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) await options.clock.sleep(pauseBefore(tries, options.random), signal)
    const stored = await load(options, now, signal)
    const written = await options.blobs.write(pathOf(options), printUnavailable(merge(stored.offerings, added)), stored.etag, signal)
    if (written.ok) return
  }
  const what = `blob ${pathOf(options)} changed at each of ${TRIES} tries`
  throw new Fault('mark offerings as unavailable', problem('STORE.CONFLICT', what, { retryAfterMs: PAUSE_MS.longest }))
}

function pauseBefore(tries: number, random: () => number): number {
  return Math.min(PAUSE_MS.longest, PAUSE_MS.first * 2 ** (tries - 1)) * random()
}

function pathOf(options: OfferingStoreOptions): string {
  return `${options.region}/unavailable`
}

/** Loads the offerings that are still blocked. A document that cannot be parsed counts as empty, since Azure would give each refusal again. */
async function load(
  options: OfferingStoreOptions,
  now: EpochMs,
  signal: AbortSignalLike,
): Promise<{ readonly offerings: readonly UnavailableOffering[]; readonly etag: string | undefined }> {
  const found = await options.blobs.read(pathOf(options), signal)
  if (found === undefined) return { offerings: [], etag: undefined }
  const parsed = parseUnavailable(found.value)
  if (parsed.ok) return { offerings: parsed.value.filter((offering) => offering.until > now), etag: found.etag }
  options.telemetry.warn('the unavailable offerings cannot be read: starting anew', {
    path: pathOf(options),
    code: parsed.error.code,
    why: parsed.error.message,
  })
  return { offerings: [], etag: found.etag }
}

/** The stored and added offerings together. Of two offerings with the same scope, the later end wins. */
function merge(stored: readonly UnavailableOffering[], added: readonly UnavailableOffering[]): readonly UnavailableOffering[] {
  const byScope = new Map<string, UnavailableOffering>()
  for (const offering of [...stored, ...added]) {
    const key = canonicalJson(offering.scope)
    const known = byScope.get(key)
    if (known === undefined || known.until < offering.until) byScope.set(key, offering)
  }
  return [...byScope.values()]
}
