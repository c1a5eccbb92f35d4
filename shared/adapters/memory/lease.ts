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
  /** Since when the lease is not renewed, because the answer to its acquisition was lost or its release failed. */
  unrenewedSince?: EpochMs
}

/** The holder of the lease. A live holder renews it. The lease of a dead holder ends `leaseMs` after its death. */
export type LeaseTruth = { holder: Holder | undefined; readonly leaseMs: number }

export function createLeaseTruth(leaseMs: number): LeaseTruth {
  return { holder: undefined, leaseMs }
}

/** Takes the lease from its holder, as a storage account does if renewals do not arrive. Aborts the signal of the holder. */
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

/** Releases the lease. If the release fails, the next writer waits for the rest of the lease. */
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
