import { err, ok } from '../../base/result.ts'
import { problem } from '../../model/problem.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Lease } from '../../ports/lease.ts'
import { type Connection, NEVER_ABORTED } from './connection.ts'
import type { Process } from './writeJournal.ts'

type Holder = { readonly process: Process; readonly lost: AbortController }

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
    acquire: (signal) =>
      connection.write('lease.acquire', 'lease', signal, () => {
        if (isHeld(truth, clock)) {
          const message = 'another writer holds the lease'
          return err(problem('STORE.LEASE_HELD', message, { object: 'lease', retryAfterMs: truth.leaseMs }))
        }
        const holder: Holder = { process: connection.process, lost: new AbortController() }
        truth.holder = holder
        return ok({ lost: holder.lost.signal, release: () => release(truth, holder, connection) })
      }),
  }
}

function isHeld({ holder, leaseMs }: LeaseTruth, clock: Clock): boolean {
  if (holder === undefined) return false
  const { killedAt } = holder.process
  return killedAt === undefined || clock.now() < killedAt + leaseMs
}

function release(truth: LeaseTruth, holder: Holder, connection: Connection): Promise<void> {
  return connection.write('lease.release', 'lease', NEVER_ABORTED, () => {
    if (truth.holder === holder) truth.holder = undefined
  })
}
