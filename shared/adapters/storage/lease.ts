import type { BlobLeaseClient, BlockBlobClient, ContainerClient } from '@azure/storage-blob'
import { lazily } from '../../base/caches.ts'
import { err, ok } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import type { ClusterId } from '../../model/ids.ts'
import { problem } from '../../model/problem.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { HeldLease, Lease } from '../../ports/lease.ts'
import { attempt, storageCode } from './storageError.ts'

export type LeaseOptions = {
  readonly clock: Clock
  /** From 15 to 60, the limits of storage. Default: 30. */
  readonly durationSeconds?: number
  readonly renewEveryMs?: number
  /** Reports whether the lease may be renewed now. Undefined: always. A process that may be stopped at any moment must not hold others up. */
  readonly mayRenew?: () => boolean
  /** The end of the process. Then a held lease is released. Undefined: the lease of a process that ends stays for its time. */
  readonly ending?: Ending
}

export type Ending = { readonly over: AbortSignalLike; readonly handedOver: (leaving: Promise<unknown>) => void }

/** How much earlier than storage this process takes the lease to end, since clocks run at different speeds and answers take time. */
const SKEW_MS = 2_000
/** The pause before a renewal without an answer is tried again. */
const RENEW_AGAIN_MS = 1_000

type Settings = Pick<LeaseOptions, 'clock' | 'ending'> & {
  readonly durationMs: number
  readonly renewEveryMs: number
  readonly mayRenew: () => boolean
}

/** The lease of one cluster, as a lease on an empty blob. */
export function createLease(container: ContainerClient, cluster: ClusterId, options: LeaseOptions): Lease {
  const blob = container.getBlockBlobClient(`clusters/${cluster}/lease`)
  const durationSeconds = options.durationSeconds ?? 30
  const { clock, ending, renewEveryMs = 10_000, mayRenew = () => true } = options
  const settings: Settings = { clock, durationMs: durationSeconds * 1000, renewEveryMs, mayRenew, ...defined({ ending }) }
  return {
    acquire: async (signal) => {
      const startedAt = clock.now()
      const client = await acquire(blob, durationSeconds, signal)
      if (client !== undefined) return ok(hold(client, startedAt, settings))
      const retryAfterMs = settings.durationMs
      return err(
        problem('STORE.LEASE_HELD', `another writer holds the lease of cluster ${cluster}`, { object: `cluster/${cluster}`, retryAfterMs }),
      )
    },
  }
}

/** Acquires the lease. Undefined if another process holds it. */
async function acquire(blob: BlockBlobClient, durationSeconds: number, signal: AbortSignalLike): Promise<BlobLeaseClient | undefined> {
  const client = blob.getBlobLeaseClient()
  const options = { abortSignal: signal }
  const operation = `acquire lease ${blob.name}`
  const taken = await attempt(operation, ['LeaseAlreadyPresent', 'BlobNotFound'], signal, () =>
    client.acquireLease(durationSeconds, options),
  )
  if (taken.ok) return client
  if (taken.error === 'LeaseAlreadyPresent') return undefined
  // Two first writers may race to create the blob. The second one finds the blob, or finds it leased.
  await attempt(`create ${blob.name}`, ['BlobAlreadyExists', 'ConditionNotMet', 'LeaseIdMissing'], signal, () =>
    blob.upload('', 0, { abortSignal: signal, conditions: { ifNoneMatch: '*' } }),
  )
  const again = await attempt(operation, ['LeaseAlreadyPresent'], signal, () => client.acquireLease(durationSeconds, options))
  return again.ok ? client : undefined
}

function hold(client: BlobLeaseClient, acquiredAt: EpochMs, settings: Settings): HeldLease {
  const lost = new AbortController()
  const done = new AbortController()
  const keeping = keep(client, acquiredAt, settings, lost, done.signal)
  const release = lazily(async () => {
    settings.ending?.over.removeEventListener('abort', leave)
    done.abort()
    await keeping
    // If the release fails, the next writer waits for the rest of the lease.
    if (!lost.signal.aborted) await client.releaseLease().catch(() => undefined)
  })
  const leave = (): void => {
    settings.ending?.handedOver(release().finally(() => lost.abort(lostProblem('the process ends'))))
  }
  settings.ending?.over.addEventListener('abort', leave, { once: true })
  if (settings.ending?.over.aborted === true) leave()
  return { lost: lost.signal, release }
}

/** Renews the lease until done. Reports it as lost once storage says so, or once it may have ended without a renewal. */
async function keep(
  client: BlobLeaseClient,
  acquiredAt: EpochMs,
  settings: Settings,
  lost: AbortController,
  done: AbortSignal,
): Promise<void> {
  const { clock, durationMs, renewEveryMs } = settings
  let endsAt = endOf(acquiredAt, durationMs)
  let pauseMs = renewEveryMs
  while (!done.aborted) {
    const pausedUntilMs = Math.min(pauseMs, Math.max(0, endsAt - clock.now()))
    if (!(await slept(clock, pausedUntilMs, done))) return
    const startedAt = clock.now()
    if (startedAt >= endsAt) return lost.abort(lostProblem('it was not renewed in time'))
    const outcome = settings.mayRenew() ? await renew(client, clock, endsAt - startedAt, done) : 'unanswered'
    if (outcome === 'lost') return lost.abort(lostProblem('somebody else has it'))
    if (outcome === 'renewed') endsAt = endOf(startedAt, durationMs)
    pauseMs = outcome === 'renewed' ? renewEveryMs : RENEW_AGAIN_MS
  }
}

/** Renews the lease once. A renewal counts as unanswered if no answer comes before the lease may have ended. */
async function renew(
  client: BlobLeaseClient,
  clock: Clock,
  withinMs: number,
  done: AbortSignal,
): Promise<'renewed' | 'lost' | 'unanswered'> {
  const over = new AbortController()
  const cancel = AbortSignal.any([over.signal, done])
  const renewing = client.renewLease({ abortSignal: cancel }).then(
    () => 'renewed' as const,
    (error: unknown) => (storageCode(error)?.match(/^Lease|NotFound$/) ? ('lost' as const) : ('unanswered' as const)),
  )
  const outcome = await Promise.race([renewing, slept(clock, withinMs, cancel).then(() => 'unanswered' as const)])
  over.abort()
  return outcome
}

async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal)
    return true
  } catch {
    return false
  }
}

function endOf(startedAt: EpochMs, durationMs: number): EpochMs {
  return epochMs(startedAt + durationMs - SKEW_MS)
}

function lostProblem(why: string) {
  return problem('STORE.LEASE_LOST', `the lease is lost: ${why}`)
}
