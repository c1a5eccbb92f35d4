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
  /** `regions/<subscription>/<region>` */
  readonly region: string
  readonly telemetry: Telemetry
  readonly clock: Pick<Clock, 'sleep'>
  /** From 0 to 1, as Math.random. */
  readonly random: () => number
}

/** Pauses between tries grow from the first to the longest; each is cut by chance, so that writers who met once do not meet again. */
const PAUSE_MS = { first: 25, longest: 2_000 }
/** With the pauses about twenty seconds: more writers than a region has processes get through in that time. */
const TRIES = 20

/** Marks that one write carries. */
type Batch = { readonly offerings: UnavailableOffering[]; readonly signal: AbortSignalLike; readonly written: Promise<void> }

/**
 * One document for a subscription and region, changed by whoever was refused; writers that collide read again after a pause. Marks that come
 * while this process is writing wait for that write and then go together: a burst costs one process a few writes, however many claims
 * are refused in it. Processes should have one store a region.
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
          // The time of whoever opened the batch is over; those who joined have theirs still.
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

/** Those still blocked. A document that cannot be read counts as empty: it holds nothing that Azure would not say again. */
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

/** Of two marks of one scope the later end wins. */
function merge(stored: readonly UnavailableOffering[], added: readonly UnavailableOffering[]): readonly UnavailableOffering[] {
  const byScope = new Map<string, UnavailableOffering>()
  for (const offering of [...stored, ...added]) {
    const key = canonicalJson(offering.scope)
    const known = byScope.get(key)
    if (known === undefined || known.until < offering.until) byScope.set(key, offering)
  }
  return [...byScope.values()]
}
