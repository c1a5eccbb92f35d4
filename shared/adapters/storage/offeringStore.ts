import { canonicalJson } from '../../base/canonicalJson.ts'
import { Fault, problem } from '../../model/problem.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import type { EpochMs } from '../../model/units.ts'
import type { BlobStore } from '../../ports/blobStore.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { OfferingStore } from '../../ports/offeringStore.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { parseUnavailable, printUnavailable } from '../../wire/unavailable.ts'

export type OfferingStoreOptions = {
  readonly blobs: BlobStore
  /** `regions/<subscription>/<region>` */
  readonly region: string
  readonly telemetry: Telemetry
}

const TRIES = 10

/** One document for a subscription and region, changed by whoever was refused; writers that collide read again. */
export function createOfferingStore(options: OfferingStoreOptions): OfferingStore {
  return {
    unavailable: async (now, signal) => (await load(options, now, signal)).offerings,
    mark: async (offerings, now, signal) => {
      for (let tries = 0; tries < TRIES; tries++) {
        const stored = await load(options, now, signal)
        const text = printUnavailable(merge(stored.offerings, offerings))
        const written = await options.blobs.write(pathOf(options), text, stored.etag, signal)
        if (written.ok) return
      }
      const what = `blob ${pathOf(options)} kept changing`
      throw new Fault('mark offerings as unavailable', problem('STORE.CONFLICT', what, { retryAfterMs: 1_000 }))
    },
  }
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
