import { leastOf } from '../base/lists.ts'
import { decideDisruption } from '../engine/disruption/decideDisruption.ts'
import { decideProvisioning } from '../engine/scheduling/decideProvisioning.ts'
import { decideStatus } from '../engine/status/decideStatus.ts'
import { withStatus } from '../engine/status/withStatus.ts'
import type { ClusterSnapshot } from '../model/clusterSnapshot.ts'
import type { Decision } from '../model/decision.ts'
import { LEDGER_SCHEMA, type Ledger } from '../model/ledger.ts'
import type { Doorbell } from '../model/message.ts'
import { later } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { Versioned } from '../ports/ledgerStore.ts'
import { applyDecision } from './applyDecision.ts'
import type { CaughtUp, ClusterReader } from './catchUp.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import { hintTroubled } from './hintTroubled.ts'
import { emptyLedger, settleIntents } from './intents.ts'
import { takeSnapshot } from './snapshot.ts'
import type { WakeUp } from './wakeUp.ts'

/** How long until another look when a live writer holds the lease. */
const HELD_RETRY_MS = 1_500
/** How long until another look when the shim still owes a part of the picture. */
const MISSING_RETRY_MS = 1_000

/** What one process keeps between two looks at a cluster. */
export type ReconcileSession = { readonly reader: ClusterReader; readonly wakeUp: WakeUp }

export type ReconcileOutcome = 'decided' | 'yielded' | 'incomplete'

/**
 * One look at one cluster: take the lease, catch up, decide, commit the ledger, and only then touch the cluster. Whoever
 * comes second yields and rings again instead of failing, since contention is no error.
 */
export async function reconcile(
  deps: ClusterDeps,
  session: ReconcileSession,
  doorbells: readonly Doorbell[],
  signal: AbortSignalLike,
): Promise<ReconcileOutcome> {
  const lease = await deps.lease.acquire(signal)
  if (!lease.ok) {
    await ringAgain(deps, HELD_RETRY_MS, signal)
    return 'yielded'
  }
  try {
    return await reconcileUnderLease(deps, session, doorbells, lease.value.lost, signal)
  } finally {
    await lease.value.release()
  }
}

async function reconcileUnderLease(
  deps: ClusterDeps,
  session: ReconcileSession,
  doorbells: readonly Doorbell[],
  lost: AbortSignalLike,
  signal: AbortSignalLike,
): Promise<ReconcileOutcome> {
  const startedAt = deps.clock.now()
  const eventAt = leastOf(
    doorbells.map((doorbell) => doorbell.eventAt),
    startedAt,
  )
  deps.telemetry.measure('event_to_reconcile_ms', startedAt - eventAt, { cluster: deps.cluster, doorbells: doorbells.length })
  const caughtUp = await session.reader.catchUp(startedAt, signal)
  if (caughtUp.missing !== undefined) {
    deps.telemetry.warn('the picture of the cluster has a hole; no decision until the shim has sent everything again', {
      cluster: deps.cluster,
      code: 'STORE.LOG_GAP',
      why: caughtUp.missing,
    })
    await ringAgain(deps, MISSING_RETRY_MS, signal)
    return 'incomplete'
  }
  const loaded = await deps.ledger.load(signal)
  if (!loaded.ok) {
    deps.telemetry.warn(loaded.error.message, { cluster: deps.cluster, code: loaded.error.code })
    return 'yielded'
  }
  const ledger = await settleIntents(deps, caughtUp.state, loaded.value?.value ?? emptyLedger(deps.cluster), doorbells, signal)
  const snapshot = await takeSnapshot(deps, caughtUp.state, ledger, deps.clock.now(), signal)
  const decided = decide(snapshot)
  const decideMs = deps.clock.now() - snapshot.takenAt
  deps.telemetry.measure('decide_ms', decideMs, { cluster: deps.cluster, records: caughtUp.records })
  if (lost.aborted) return 'yielded'
  const outcome = await commitAndApply(deps, { ledger, loaded: loaded.value, snapshot, decided, decideMs, caughtUp }, signal)
  await hintTroubled(deps, caughtUp.state, doorbells, signal)
  if (decided.wakeAt !== undefined) await session.wakeUp.at(decided.wakeAt, signal)
  await session.reader.compactIfDue(signal)
  return outcome
}

/** Machines for pods first; a node is only taken away by a decision that makes none. A pool that is ready now makes them now. */
function decide(snapshot: ClusterSnapshot): Decision {
  const status = decideStatus(snapshot)
  const provisioning = decideProvisioning(withStatus(snapshot, status))
  const makesNodes = provisioning.actions.some((action) => action.kind === 'createClaim')
  const disruption: Decision = makesNodes ? { actions: [], reasons: [] } : decideDisruption(snapshot)
  return merge([provisioning, disruption, status])
}

function merge(decisions: readonly Decision[]): Decision {
  const actions = decisions.flatMap((decision) => decision.actions)
  const reasons = decisions.flatMap((decision) => decision.reasons)
  const wakes = decisions.flatMap((decision) => (decision.wakeAt === undefined ? [] : [decision.wakeAt]))
  const wakeAt = wakes.sort((first, second) => first - second)[0]
  return wakeAt === undefined ? { actions, reasons } : { actions, reasons, wakeAt }
}

export type Committing = {
  readonly ledger: Ledger
  readonly loaded: Versioned<Ledger> | undefined
  readonly snapshot: ClusterSnapshot
  readonly decided: Decision
  readonly decideMs: number
  readonly caughtUp: CaughtUp
}

/** Write-ahead: the guarded ledger first. A stale writer fails here, before it has touched anything. */
async function commitAndApply(deps: ClusterDeps, committing: Committing, signal: AbortSignalLike): Promise<ReconcileOutcome> {
  const { ledger, loaded, snapshot, decided } = committing
  const next = nextLedger(ledger, snapshot, decided)
  let etag = loaded?.etag
  if (next !== loaded?.value) {
    const saved = await deps.ledger.save(next, etag, signal)
    if (!saved.ok) {
      deps.telemetry.info('another writer decided first; nothing done', { cluster: deps.cluster, code: saved.error.code })
      await ringAgain(deps, 0, signal)
      return 'yielded'
    }
    etag = saved.value
  }
  await applyDecision(deps, { ...committing, ledger: next, etag }, signal)
  return 'decided'
}

/** The same object when there is nothing to write: a quiet cluster costs no write. */
function nextLedger(ledger: Ledger, snapshot: ClusterSnapshot, decided: Decision): Ledger {
  const creates = decided.actions.flatMap((action) => (action.kind === 'createClaim' ? [action] : []))
  const acts = creates.length > 0 || decided.actions.some((action) => action.kind === 'deleteClaim')
  if (!acts) return ledger
  const until = later(snapshot.takenAt, snapshot.settings.registrationTimeout)
  const promised = creates.flatMap((action) => action.pods.map((pod) => ({ pod: pod.uid, claim: action.draft.name, until })))
  const renewed = new Set(promised.map((nomination) => nomination.pod))
  return {
    schema: LEDGER_SCHEMA,
    cluster: ledger.cluster,
    epoch: ledger.epoch + 1,
    decisions: snapshot.decision,
    intents: [...ledger.intents, ...creates.map((action) => ({ action, decision: snapshot.decision, decidedAt: snapshot.takenAt }))],
    nominations: [...snapshot.nominations.filter((nomination) => !renewed.has(nomination.pod)), ...promised],
  }
}

async function ringAgain(deps: ClusterDeps, delayMs: number, signal: AbortSignalLike): Promise<void> {
  const eventAt = deps.clock.now()
  await deps.queue.ring({ kind: 'doorbell', cluster: deps.cluster, because: 'retry', eventAt, urgent: true }, delayMs, signal)
}
