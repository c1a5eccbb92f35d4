import { settle } from '../../base/concurrency.ts'
import { parsedJson } from '../../base/json.ts'
import { ownValue, setOwnValue } from '../../base/values.ts'
import type { BlobStore } from '../../ports/blobStore.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { platformSignal } from './platformSignal.ts'

/** The waits that Azure asked processes of a region for: when each ends, by what it is about. */
export interface SharedWaits {
  /** Returns the waits as read lately, those of other processes among them. */
  known(): Promise<Waits>
  /** Tells the other processes of a wait. */
  tell(key: string, until: number, signal: AbortSignalLike): Promise<void>
}

export type Waits = Readonly<Record<string, number>>

export type SharedWaitsOptions = {
  readonly blobs: BlobStore
  /** The path of the region: `regions/<subscription>/<region>`. */
  readonly region: string
  readonly clock: Pick<Clock, 'now'>
  readonly telemetry: Pick<Telemetry, 'warn'>
}

/** How long a process goes by what it read. After this time, all processes keep a wait. */
const REREAD_MS = 3_000
/** A call to Azure does not wait longer for the store. */
const STORE_LIMIT_MS = 1_000
/** Longer waits are cut. Azure counts calls by the hour at most. */
const LONGEST_MS = 3_600_000
/** A wait that ends later is of a process with a wrong clock, and does not stop the others. */
const IMPOSSIBLE_MS = 2 * LONGEST_MS
const TRIES = 3

/**
 * Keeps the waits of a region in one document. It is read when a call is made and the last read is some seconds ago, and written when Azure asks for a
 * wait. If the store fails, calls go on: this process keeps its own waits, and Azure tells the others again.
 */
export function createSharedWaits({ blobs, region, clock, telemetry }: SharedWaitsOptions): SharedWaits {
  const path = `${region}/waits`
  let last: { readonly at: number; readonly waits: Promise<Waits> } | undefined

  async function load(signal: AbortSignalLike): Promise<{ readonly waits: Waits; readonly etag: string | undefined }> {
    const found = await blobs.read(path, signal)
    return { waits: waitsIn(found?.value, clock.now()), etag: found?.etag }
  }

  /** Many callers share a read, so it ends with the time of none of them. */
  async function read(): Promise<Waits> {
    const loaded = await settle(() => load(AbortSignal.timeout(STORE_LIMIT_MS)))
    if (loaded.ok) return loaded.value.waits
    telemetry.warn('the waits that Azure asked other processes for cannot be read: asking all the same', { path })
    return {}
  }

  async function write(key: string, until: number, signal: AbortSignalLike): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      const { waits, etag } = await load(signal)
      if ((ownValue(waits, key) ?? 0) >= until) return true
      const changed: Record<string, number> = { ...waits }
      setOwnValue(changed, key, until)
      if ((await blobs.write(path, JSON.stringify({ waits: changed }), etag, signal)).ok) return true
    }
    return false
  }

  return {
    known() {
      const now = clock.now()
      if (last === undefined || now >= last.at + REREAD_MS) last = { at: now, waits: read() }
      return last.waits
    },
    async tell(key, until, signal) {
      const cut = Math.min(until, clock.now() + LONGEST_MS)
      const written = await settle(() => write(key, cut, platformSignal(signal, STORE_LIMIT_MS)))
      if (!(written.ok && written.value)) telemetry.warn('other processes cannot be told of a wait that Azure asked for', { path })
    },
  }
}

/** The waits of the document that are not over. A document that cannot be parsed counts as empty: Azure asks for each wait again. */
function waitsIn(text: string | undefined, now: number): Waits {
  const kept: Record<string, number> = {}
  const parsed = parsedJson(text)
  const waits: unknown = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'waits') : undefined
  if (typeof waits !== 'object' || waits === null) return kept
  for (const [key, until] of Object.entries(waits)) {
    if (typeof until === 'number' && until > now && until < now + IMPOSSIBLE_MS) setOwnValue(kept, key, until)
  }
  return kept
}
