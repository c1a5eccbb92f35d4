import { textOf } from '../../shared/base/result.ts'
import { acquiredAfter } from '../../shared/model/term.ts'
import { createBackoff } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { type ElectionDeps, type ElectionOptions, type Leadership, leadershipOf } from './leadership.ts'
import type { Lease, LeaseClient, LeaseDraft } from './leaseClient.ts'

export const ELECTION_DEFAULTS = { durationMs: 15_000, renewMs: 4_000, giveUpMs: 10_000 } as const

/**
 * Elects one leader among the replicas, by a Lease. No replica compares its clock with a time that another replica wrote. A replica takes over a
 * lease only if its version did not change for the whole duration of the lease, measured on the replica's own steady clock. A leader that cannot
 * renew the lease stops well before that.
 */
export interface Election {
  /** Waits until this replica leads. The new term is later than the term `after`. */
  lead(signal: AbortSignal, after?: number): Promise<Leadership>
  /** False while the lease cannot be read or written. */
  isHealthy(): boolean
}

export function createElection(client: LeaseClient, clock: Clock, log: Log, options: ElectionOptions): Election {
  const deps: ElectionDeps = { client, clock, log, options }
  let healthy = false
  return {
    isHealthy: () => healthy,
    async lead(signal, after = 0) {
      const backoff = createBackoff({ first: 1_000, most: 4_000 })
      let observed: Observed | undefined
      for (;;) {
        try {
          const attempt = await tryOnce(deps, { observed, after }, signal)
          healthy = true
          backoff.reset()
          observed = attempt.observed
          if (attempt.held) return leadershipOf(deps, attempt.held, signal)
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

type Observed = { readonly lease: Lease; readonly since: number }

/** Tries to take the lease once. Returns the lease in `held` if this replica got it, else what was seen of the lease in `observed`. */
async function tryOnce(
  { client, clock, options }: ElectionDeps,
  { observed: before, after }: { readonly observed: Observed | undefined; readonly after: number },
  signal: AbortSignal,
): Promise<{ readonly held?: Lease; readonly observed?: Observed }> {
  const lease = await client.get(signal)
  const draft = draftAfter(lease, options, Math.max(clock.now(), acquiredAfter(after)))
  if (lease === undefined) {
    const held = await client.put(draft, undefined, signal)
    return held ? { held } : {}
  }
  const observed = before?.lease.resourceVersion === lease.resourceVersion ? before : { lease, since: clock.monotonic() }
  if (!isFree(observed, options, clock.monotonic())) return { observed }
  const held = await client.put(draft, lease, signal)
  return held ? { held } : { observed }
}

function isFree({ lease, since }: Observed, options: ElectionOptions, monotonicNow: number): boolean {
  if (lease.holder === '' || lease.holder === options.identity) return true
  return monotonicNow - since >= Math.max(lease.durationSeconds * 1000, options.durationMs)
}

function draftAfter(previous: Lease | undefined, options: ElectionOptions, now: number): LeaseDraft {
  // Terms must grow: the time is always later than the times that the last leader wrote, whatever this clock says.
  const acquiredAt = Math.max(now, (previous?.acquiredAt ?? 0) + 1, (previous?.renewedAt ?? 0) + 1)
  return {
    holder: options.identity,
    durationSeconds: Math.ceil(options.durationMs / 1000),
    acquiredAt,
    renewedAt: acquiredAt,
    transitions: previous === undefined ? 0 : previous.transitions + 1,
  }
}
