import { leastOf } from '../../base/lists.ts'
import { otherNodes, waitingPods } from '../../engine/lifecycle/drain.ts'
import { unhealthyClaims } from '../../engine/lifecycle/stepNodeClaim.ts'
import { quietFrom } from '../../engine/lifecycle/termination.ts'
import { furtherReports, madeOfferings } from '../../engine/offering/sizeReports.ts'
import type { DecisionContext } from '../../model/clusterSnapshot.ts'
import type { NodeName } from '../../model/ids.ts'
import type { Ledger } from '../../model/ledger.ts'
import { epochMs } from '../../model/units.ts'
import type { DecideRequest } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { LedgerStore, Versioned } from '../../ports/ledgerStore.ts'
import { applyDecision } from '../apply/applyDecision.ts'
import { type ClusterDeps, doEach, logRefused, startingAt } from '../deps/clusterDeps.ts'
import { type Deciding, emptyLedger, nextLedger, resolveIntents } from '../ledger/nextLedger.ts'
import { decisionInputOf } from '../ledger/rest.ts'
import { isDraining } from '../lifecycle/observeKnown.ts'
import { requestReconciles } from '../queue/claimRequests.ts'
import { measureDecided } from '../reports/claimMetrics.ts'
import { reportInvalid } from '../reports/reportStatus.ts'
import type { CaughtUp, ClusterReader } from '../state/catchUp.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { NOTHING_KNOWN } from '../state/mergedLog.ts'
import { type DecisionCheck, takeDecisionContext } from './decisionContext.ts'
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

/**
 * Catches up. `etag`: the version of the ledger. The log need not be read if this process wrote that and is asked only by what it received itself.
 */
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

/**
 * Adds each claim whose node is drained, once a pod has left the node and no pod is ending there any more: the next pods can be evicted,
 * or the machine can be deleted. Otherwise the claim would wait for its next requeue, and the pauses between requeues grow with the drain. A node is
 * not drained before its least time, for which a requeue waits anyway.
 */
export function reconcileDrained(deps: Pick<ClusterDeps, 'clock' | 'queue'>, state: Pick<ClusterState, 'takeExits' | 'list'>): void {
  const left = new Set(state.takeExits())
  if (left.size === 0) return
  const now = deps.clock.now()
  const draining = state
    .list('nodeClaim')
    .filter((claim) => isDraining(claim) && isAmong(left, claim.status) && now >= quietFrom({ claim, now }))
  if (draining.length === 0) return
  const nodes = new Set(draining.flatMap(({ status }) => status.nodeName ?? []))
  const pods = waitingPods({ pods: state.list('pod').filter((pod) => isAmong(nodes, pod)), now })
  const ending = new Set(pods.filter(({ deletedAt }) => deletedAt !== undefined).flatMap(({ nodeName }) => nodeName ?? []))
  const drained = draining.filter(({ status }) => !isAmong(ending, status))
  requestReconciles(
    deps,
    drained.map(({ name }) => ({ claim: name })),
  )
}

function isAmong(nodes: ReadonlySet<NodeName>, { nodeName }: { readonly nodeName?: NodeName }): boolean {
  return nodeName !== undefined && nodes.has(nodeName)
}

/** The most claims that one resync adds. Their runs end before the next resync, so no backlog grows when a whole zone fails. */
const MOST_ADDED = 64

/**
 * On each resync, adds each initialized claim whose node is gone or not ready, and of claims that left a node behind or have two. The
 * resync itself reads claims only, and news of the node may have been lost. The cluster state shows such claims without a call.
 */
export function reconcileUnhealthy(deps: Pick<ClusterDeps, 'clock' | 'queue' | 'settings'>, state: ClusterState): void {
  // A claim that cannot be parsed cannot be stepped either. It was reported where it was read.
  const unreadable = new Set(state.invalid().flatMap(({ kind, key }) => (kind === 'nodeClaim' ? [key] : [])))
  const picture = [state.list('node'), state.list('nodeClaim'), deps.settings.machineNames] as const
  const others = otherNodes(...picture)
  const troubled = [...new Set([...unhealthyClaims(...picture), ...others.keys()])].filter((name) => !unreadable.has(name))
  requestReconciles(
    deps,
    startingAt(troubled, deps.clock.now())
      .slice(0, MOST_ADDED)
      .map((claim) => {
        const beside = others.get(claim)
        return beside === undefined ? { claim } : { claim, known: { otherNodes: beside } }
      }),
  )
}

type Notes = { readonly [what: string]: (known: Known, signal: AbortSignalLike) => Promise<void> }
type Known = {
  readonly deps: ClusterDeps
  readonly state: Pick<ClusterState, 'list'>
  readonly context: Pick<DecisionContext, 'unavailable' | 'instanceTypes'>
}

/**
 * Tells the region what the machines of the cluster show. The NodeClaims show it at each decision, so a lost write is made up for by the next one.
 */
async function noteMachines(deps: ClusterDeps, state: Known['state'], context: Known['context'], signal: AbortSignalLike): Promise<void> {
  await doEach(
    deps,
    Object.entries(NOTES),
    ([what]) => what,
    ([, note]) => note({ deps, state, context }, signal),
  )
}

const NOTES: Notes = {
  /** The next refusal of an offering of which a machine has joined since is a first one. */
  async 'a note of machines that Azure made of offerings it had refused'({ deps, state, context }, signal) {
    const { offerings, clock } = deps
    const made = madeOfferings(context.unavailable, state.list('nodeClaim'), context.instanceTypes)
    if (made.length > 0) await offerings.made(made, clock.now(), signal)
  },
  /** A machine that is ready may prove or refute that a size does not boot. */
  async 'a report of what machines prove about sizes'({ deps, state }, signal) {
    const { cluster, offerings, clock } = deps
    const further = furtherReports(await offerings.reports(clock.now(), signal), state.list('nodeClaim'), cluster)
    if (further.length > 0) await offerings.report(further, clock.now(), signal)
  },
}
