import { textOf } from '../../shared/base/result.ts'
import { termOf } from '../../shared/model/term.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Lease, LeaseClient } from './leaseClient.ts'

export type ElectionOptions = {
  /** The pod's name. A container that restarts in the same pod takes the lease over at once, because its earlier process is dead. */
  readonly identity: string
  readonly durationMs: number
  readonly renewMs: number
  /** The leader stops after this many milliseconds without a renewal. Less than the duration. */
  readonly giveUpMs: number
}

export type ElectionDeps = {
  readonly client: LeaseClient
  readonly clock: Clock
  readonly log: Log
  readonly options: ElectionOptions
}

export type Leadership = {
  /**
   * Greater than the term of every leader before, as long as the Lease object lives. If the Lease was deleted, this holds only as far as the clocks
   * are about right.
   */
  readonly term: number
  /** Aborts at once when the lease is lost, or may be lost. */
  readonly lost: AbortSignal
  release(signal: AbortSignal): Promise<void>
}

/** Renews the lease until it is lost or released. */
export function leadershipOf(deps: ElectionDeps, held: Lease, signal: AbortSignal): Leadership {
  const lost = new AbortController()
  const releasing = new AbortController()
  const renewing = renewUntilLost(deps, held, { lost, signal: AbortSignal.any([signal, releasing.signal]) })
  return {
    term: termOf(held),
    lost: lost.signal,
    async release(until) {
      releasing.abort()
      const lease = await renewing
      if (lost.signal.aborted) return
      lost.abort(new DOMException('released', 'AbortError'))
      await giveBack(deps, lease, until)
    },
  }
}

type Tenure = { readonly lost: AbortController; readonly signal: AbortSignal }

/** Returns the lease as this replica last wrote it. */
async function renewUntilLost({ client, clock, log, options }: ElectionDeps, first: Lease, { lost, signal }: Tenure): Promise<Lease> {
  let lease = first
  let renewedAt = clock.monotonic()
  const lose = (because: string): Lease => {
    log.warn('leadership lost', { because })
    lost.abort(new DOMException(because, 'AbortError'))
    return lease
  }
  while (!signal.aborted) {
    const left = () => renewedAt + options.giveUpMs - clock.monotonic()
    if (left() <= 0) return lose('the lease could not be renewed in time')
    await clock.sleep(Math.min(options.renewMs, left()), signal).catch(() => {})
    if (signal.aborted) break
    try {
      const start = clock.monotonic()
      // a timeout takes whole milliseconds only, and the steady clock has fractions
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, Math.floor(left())))])
      const renewed = await client.put({ ...lease, renewedAt: Math.max(clock.now(), lease.renewedAt) }, lease, deadline)
      if (renewed === undefined) return lose('another replica wrote the lease')
      lease = renewed
      renewedAt = start
    } catch (error) {
      if (!signal.aborted) log.warn('the lease could not be renewed', { because: textOf(error) })
    }
  }
  return lease
}

async function giveBack({ client, clock, log, options }: ElectionDeps, last: Lease, until: AbortSignal): Promise<void> {
  const write = (lease: Lease) => client.put({ ...lease, holder: '', renewedAt: Math.max(clock.now(), lease.renewedAt) }, lease, until)
  try {
    if ((await write(last)) !== undefined) return
    // a renewal whose request was aborted may have reached the API server all the same
    const now = await client.get(until)
    if (now?.holder === options.identity) await write(now)
  } catch (error) {
    log.warn('the lease could not be released; another replica waits until it expires', { because: textOf(error) })
  }
}
