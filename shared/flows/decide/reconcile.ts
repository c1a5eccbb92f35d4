import { leastOf } from '../../base/lists.ts'
import type { Ledger } from '../../model/ledger.ts'
import { epochMs } from '../../model/units.ts'
import type { DecideRequest } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { LedgerStore, Versioned } from '../../ports/ledgerStore.ts'
import { applyDecision } from '../apply/applyDecision.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { logRefused } from '../deps/doEach.ts'
import { decisionInputOf } from '../ledger/decisionInput.ts'
import { emptyLedger, resolveIntents } from '../ledger/intents.ts'
import { type Deciding, nextLedger } from '../ledger/nextLedger.ts'
import { measureDecided } from '../reports/commandMetrics.ts'
import { reportInvalid } from '../reports/reportInvalid.ts'
import type { CaughtUp, ClusterReader } from '../state/catchUp.ts'
import { NOTHING_KNOWN } from '../state/seenNumbers.ts'
import type { DecisionCheck } from './decisionCheck.ts'
import { takeDecisionContext } from './decisionContext.ts'
import { noteMachines } from './noteMachines.ts'
import { reconcileDrained } from './reconcileDrained.ts'
import { reconcileUnhealthy } from './reconcileUnhealthy.ts'
import { reportCluster } from './reportCluster.ts'

/** What one process keeps between two reconciles of a cluster. */
export type ReconcileSession = { readonly reader: ClusterReader; readonly check?: DecisionCheck }

export type ReconcileOutcome = 'decided' | 'yielded' | 'incomplete'

/**
 * Reconciles one cluster: takes the lease, catches up with the log, decides, commits the ledger, and only then writes to the cluster. If another
 * process holds the lease, it yields and is made again: contention is no error.
 */
export async function reconcile(
  deps: ClusterDeps,
  session: ReconcileSession,
  requests: readonly DecideRequest[],
  signal: AbortSignalLike,
): Promise<ReconcileOutcome> {
  const startedAt = deps.clock.now()
  const tell = (outcome: ReconcileOutcome): ReconcileOutcome => {
    deps.telemetry.measure('reconcile_ms', deps.clock.now() - startedAt, { cluster: deps.cluster, outcome })
    return outcome
  }
  const lease = await deps.lease.acquire(signal)
  if (!lease.ok) {
    deps.telemetry.info(`not decided now: ${lease.error.message}`, { cluster: deps.cluster, code: lease.error.code })
    deps.queue.retryDecide()
    return tell('yielded')
  }
  try {
    return tell(await reconcileUnderLease(deps, session, requests, lease.value.lost, signal))
  } finally {
    await lease.value.release()
  }
}

/** Logs why no decision can be made. It is no warning if the shim has not posted anything yet, since a timer may run before the first post. */
function logMissing({ cluster, telemetry }: ClusterDeps, why: string): void {
  const fields = { cluster, code: 'STORE.LOG_GAP', why } as const
  if (why === NOTHING_KNOWN) telemetry.info(`no decision yet: ${why}; the shim has not sent it`, fields)
  else telemetry.warn('the change log of the cluster is incomplete; no decision until the shim has sent a new snapshot', fields)
}

/** The ledger, with a note of what this process saves: its state of the cluster is at least as new as its own decisions. */
function noted(ledger: LedgerStore, reader: ClusterReader): LedgerStore {
  return {
    ...ledger,
    async save(next, etag, signal) {
      const saved = await ledger.save(next, etag, signal)
      if (saved.ok) reader.hasSeen(saved.value)
      return saved
    },
  }
}

/** Catches up. `etag`: the version of the ledger. The log need not be read if this process wrote that and is asked only by what it received itself. */
async function caughtUpFor(
  deps: ClusterDeps,
  { reader }: ReconcileSession,
  requests: readonly DecideRequest[],
  etag: string | undefined,
  signal: AbortSignalLike,
): Promise<CaughtUp> {
  const isReceived = requests.length > 0 && requests.every(({ because }) => because === 'changes')
  const caughtUp = await reader.catchUp(deps.clock.now(), signal, isReceived ? etag : undefined)
  reader.hasSeen(etag)
  if (caughtUp.trouble !== undefined) logRefused(deps, 'a question to the shim', caughtUp.trouble)
  if (caughtUp.missing !== undefined) logMissing(deps, caughtUp.missing)
  return caughtUp
}

/**
 * The ledger is loaded before the log is read: the state must show all that the writers of the ledger saw, or a machine that came meanwhile would be
 * planned again.
 */
async function reconcileUnderLease(
  given: ClusterDeps,
  session: ReconcileSession,
  requests: readonly DecideRequest[],
  lost: AbortSignalLike,
  signal: AbortSignalLike,
): Promise<ReconcileOutcome> {
  const deps: ClusterDeps = { ...given, ledger: noted(given.ledger, session.reader) }
  const startedAt = deps.clock.now()
  const heardAt = epochMs(
    leastOf(
      requests.map(({ eventAt }) => eventAt),
      startedAt,
    ),
  )
  deps.telemetry.measure('event_to_reconcile_ms', startedAt - heardAt, { cluster: deps.cluster, requests: requests.length })
  const loaded = await deps.ledger.load(signal)
  if (!loaded.ok) {
    // Only an operator or another version of the program can change this. So the resync tries again often enough.
    deps.telemetry.error(`no decision: ${loaded.error.message}`, { cluster: deps.cluster, code: loaded.error.code })
    return 'yielded'
  }
  const caughtUp = await caughtUpFor(deps, session, requests, loaded.value?.etag, signal)
  if (caughtUp.missing !== undefined) {
    deps.queue.retryDecide()
    return 'incomplete'
  }
  reconcileDrained(deps, caughtUp.state)
  const ledger = await resolveIntents(deps, caughtUp.state, loaded.value?.value ?? emptyLedger(deps.cluster), requests, signal)
  const context = await takeDecisionContext(deps, caughtUp.state, ledger, deps.clock.now(), signal)
  const decided = caughtUp.state.decide(context)
  session.check?.note(decided, () => caughtUp.state.snapshot(context))
  const snapshot = decisionInputOf(context, caughtUp.state)
  const decideMs = deps.clock.now() - snapshot.takenAt
  deps.telemetry.measure('decide_ms', decideMs, { cluster: deps.cluster, records: caughtUp.records })
  const outcome = lost.aborted
    ? 'yielded'
    : await commitAndApply(deps, { ledger, loaded: loaded.value, snapshot, decided, decideMs, caughtUp, heardAt, startedAt }, signal)
  if (outcome === 'decided') deps.queue.forgetDecide()
  else deps.queue.retryDecide()
  if (outcome === 'yielded') return 'yielded'
  reportCluster(deps, snapshot, decided)
  measureDecided(deps, decided.actions)
  if (requests.some(({ because }) => because === 'resync')) reconcileUnhealthy(deps, caughtUp.state)
  await noteMachines(deps, caughtUp.state, context, signal)
  await reportInvalid(deps, caughtUp.state, signal)
  if (decided.wakeAt !== undefined) deps.queue.decideAt(decided.wakeAt)
  return 'decided'
}

type Committing = Deciding & { readonly loaded: Versioned<Ledger> | undefined }

/**
 * Saves the ledger, guarded by its etag, before it carries out the decision. A stale writer fails here, before it has written anything to the
 * cluster. `partly`: something was refused.
 */
async function commitAndApply(
  deps: ClusterDeps,
  committing: Committing,
  signal: AbortSignalLike,
): Promise<'decided' | 'partly' | 'yielded'> {
  const { loaded } = committing
  const next = nextLedger(committing)
  let etag = loaded?.etag
  if (next !== loaded?.value) {
    const saved = await deps.ledger.save(next, etag, signal)
    if (!saved.ok) {
      deps.telemetry.info('another writer decided first; nothing done', { cluster: deps.cluster, code: saved.error.code })
      return 'yielded'
    }
    etag = saved.value
  }
  const isDone = await applyDecision(deps, { ...committing, ledger: next, etag }, signal)
  return isDone ? 'decided' : 'partly'
}
