import { err, ok } from '../../base/result.ts'
import { Fault, problem } from '../../model/problem.ts'
import type { EpochMs } from '../../model/units.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Lease } from '../../ports/lease.ts'
import { type Connection, NEVER_ABORTED } from './connection.ts'
import type { Process } from './writeJournal.ts'

type Holder = {
  readonly process: Process
  readonly lost: AbortController
  /** Since when nobody renews: the answer to the acquisition was lost, or the release did not get through. */
  unrenewedSince?: EpochMs
}

/** Who holds the single-writer right. A live holder renews; a dead one's lease ends `leaseMs` after its death. */
export type LeaseTruth = { holder: Holder | undefined; readonly leaseMs: number }

export function createLeaseTruth(leaseMs: number): LeaseTruth {
  return { holder: undefined, leaseMs }
}

/** Takes the lease from its holder, as storage does when renewals did not arrive. The holder is told. */
export function breakLease(truth: LeaseTruth): void {
  truth.holder?.lost.abort(problem('STORE.LEASE_LOST', 'the lease is lost: it was not renewed in time'))
  truth.holder = undefined
}

export function createMemoryLease(truth: LeaseTruth, clock: Clock, connection: Connection): Lease {
  return {
    acquire: async (signal) => {
      const holder: Holder = { process: connection.process, lost: new AbortController() }
      try {
        return await connection.write('lease.acquire', 'lease', signal, () => {
          if (isHeld(truth, clock)) {
            const message = 'another writer holds the lease'
            return err(problem('STORE.LEASE_HELD', message, { object: 'lease', retryAfterMs: truth.leaseMs }))
          }
          truth.holder = holder
          return ok({ lost: holder.lost.signal, release: () => release(truth, holder, connection, clock) })
        })
      } catch (cause) {
        holder.unrenewedSince = clock.now()
        throw cause
      }
    },
  }
}

function isHeld({ holder, leaseMs }: LeaseTruth, clock: Clock): boolean {
  if (holder === undefined) return false
  const endedAt = holder.unrenewedSince ?? holder.process.killedAt
  return endedAt === undefined || clock.now() < endedAt + leaseMs
}

/** A release that does not get through costs the next writer the rest of the lease, and harms nobody. */
async function release(truth: LeaseTruth, holder: Holder, connection: Connection, clock: Clock): Promise<void> {
  holder.unrenewedSince = clock.now()
  try {
    await connection.write('lease.release', 'lease', NEVER_ABORTED, () => {
      if (truth.holder === holder) truth.holder = undefined
    })
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
  }
}
