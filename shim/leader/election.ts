import { createBackoff } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import { type Log, textOf } from '../log.ts'
import type { Lease, LeaseClient, LeaseDraft } from './leaseClient.ts'

/**
 * One leader among the replicas, by a Lease. Nobody compares its clock with a time another replica wrote: a lease counts
 * as given up only when its version did not change for its whole duration on the observer's own steady clock, and a
 * leader stops well before that when it cannot renew.
 */
export type ElectionOptions = {
  /** The pod's name. A container that restarts in the same pod takes the lease over at once: its earlier self is dead. */
  readonly identity: string
  readonly durationMs: number
  readonly renewMs: number
  /** Without a renewal for this long the leader stops. Less than the duration. */
  readonly giveUpMs: number
}

export const ELECTION_DEFAULTS = { durationMs: 15_000, renewMs: 4_000, giveUpMs: 10_000 } as const

export type Leadership = {
  /** Greater than that of every leader before, as long as the Lease object lives; if it was deleted, as long as clocks are about right. */
  readonly term: number
  /** Aborts at once when the lease is lost or may be. */
  readonly lost: AbortSignal
  release(signal: AbortSignal): Promise<void>
}

export interface Election {
  /** Waits until this replica leads. */
  lead(signal: AbortSignal): Promise<Leadership>
  /** False while the lease cannot even be read. */
  isHealthy(): boolean
}

type Observed = { readonly lease: Lease; readonly since: number }

export function createElection(client: LeaseClient, clock: Clock, log: Log, options: ElectionOptions): Election {
  let healthy = false

  function draftAfter(previous: Lease | undefined): LeaseDraft {
    // always later than what the last leader wrote, whatever this clock says: terms must grow
    const acquiredAt = Math.max(clock.now(), (previous?.acquiredAt ?? 0) + 1, (previous?.renewedAt ?? 0) + 1)
    const transitions = previous === undefined ? 0 : previous.transitions + 1
    return {
      holder: options.identity,
      durationSeconds: Math.ceil(options.durationMs / 1000),
      acquiredAt,
      renewedAt: acquiredAt,
      transitions,
    }
  }

  function isFree(observed: Observed): boolean {
    const { lease, since } = observed
    if (lease.holder === '' || lease.holder === options.identity) return true
    return clock.monotonic() - since >= Math.max(lease.durationSeconds * 1000, options.durationMs)
  }

  /** The lease when it was got, else what was seen of it. */
  async function tryOnce(
    before: Observed | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly held?: Lease; readonly observed?: Observed }> {
    const lease = await client.get(signal)
    if (lease === undefined) {
      const held = await client.put(draftAfter(undefined), undefined, signal)
      return held ? { held } : {}
    }
    const observed = before?.lease.resourceVersion === lease.resourceVersion ? before : { lease, since: clock.monotonic() }
    if (!isFree(observed)) return { observed }
    const held = await client.put(draftAfter(lease), lease, signal)
    return held ? { held } : { observed }
  }

  async function renewUntilLost(first: Lease, lost: AbortController, signal: AbortSignal): Promise<Lease> {
    let lease = first
    let renewedAt = clock.monotonic()
    while (!signal.aborted) {
      const left = () => renewedAt + options.giveUpMs - clock.monotonic()
      if (left() <= 0) return loseTo(lost, 'the lease could not be renewed in time', lease)
      await clock.sleep(Math.min(options.renewMs, left()), signal).catch(() => {})
      if (signal.aborted) break
      try {
        const start = clock.monotonic()
        const deadline = AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, left()))])
        const renewed = await client.put({ ...lease, renewedAt: Math.max(clock.now(), lease.renewedAt) }, lease, deadline)
        if (renewed === undefined) return loseTo(lost, 'another replica wrote the lease', lease)
        lease = renewed
        renewedAt = start
      } catch (error) {
        if (!signal.aborted) log.warn('the lease could not be renewed', { because: textOf(error) })
      }
    }
    return lease
  }

  function loseTo(lost: AbortController, because: string, lease: Lease): Lease {
    log.warn('leadership lost', { because })
    lost.abort(new DOMException(because, 'AbortError'))
    return lease
  }

  function leadershipOf(held: Lease, signal: AbortSignal): Leadership {
    const lost = new AbortController()
    const releasing = new AbortController()
    const renewing = renewUntilLost(held, lost, AbortSignal.any([signal, releasing.signal]))
    return {
      term: termOf(held),
      lost: lost.signal,
      async release(until) {
        releasing.abort()
        const lease = await renewing
        if (lost.signal.aborted) return
        lost.abort(new DOMException('released', 'AbortError'))
        await client
          .put({ ...lease, holder: '', renewedAt: Math.max(clock.now(), lease.renewedAt) }, lease, until)
          .catch((error: unknown) => {
            log.warn('the lease could not be released; another replica will wait it out', { because: textOf(error) })
          })
      },
    }
  }

  return {
    isHealthy: () => healthy,
    async lead(signal) {
      const backoff = createBackoff({ first: 1_000, most: 4_000 })
      let observed: Observed | undefined
      for (;;) {
        try {
          const attempt = await tryOnce(observed, signal)
          healthy = true
          backoff.reset()
          observed = attempt.observed
          if (attempt.held) return leadershipOf(attempt.held, signal)
        } catch (error) {
          signal.throwIfAborted()
          healthy = false
          log.warn('the lease cannot be read or written; trying again', { because: textOf(error) })
        }
        await clock.sleep(backoff.next(), signal)
      }
    },
  }
}

/** The time of acquiring, which grows from leader to leader, then the transitions: 1.8e15 today, exact up to 9e15. */
export function termOf(lease: Pick<Lease, 'acquiredAt' | 'transitions'>): number {
  return lease.acquiredAt * 1000 + (lease.transitions % 1000)
}
