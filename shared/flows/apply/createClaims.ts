import { mapBounded, settle } from '../../base/bounded.ts'
import { defined } from '../../base/defined.ts'
import { leastOf } from '../../base/lists.ts'
import { err, type Result } from '../../base/result.ts'
import { isTrue, ROOT_CONDITION } from '../../model/condition.ts'
import type { NodeClassName } from '../../model/ids.ts'
import { ANNOTATION } from '../../model/labels.ts'
import { type Intent, intentName } from '../../model/ledger.ts'
import type { KnownForLaunch } from '../../model/message.ts'
import type { Labels } from '../../model/meta.ts'
import type { NodeClaim, NodeClaimDraft } from '../../model/nodeClaim.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { Problem } from '../../model/problem.ts'
import { printTraceParent, traceOf } from '../../model/trace.ts'
import { type EpochMs, epochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { problemOf, tellRefused } from '../deps/doEach.ts'
import { tellOfIntent } from '../ledger/tellOfIntent.ts'
import { lockAnnotations } from '../lifecycle/launches.ts'
import { claimMessage } from '../messages/claimMessage.ts'
import { tellDecided } from '../reports/tellTrace.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** Twice the calls to an API server that are under way at a time, so that creations always wait at the front. */
const CLAIMS_AT_ONCE = 64

/**
 * Makes the NodeClaims of intents, each by itself, and starts the chain of lifecycle steps of each. Names are deterministic, so a repeated
 * creation finds its earlier self. Returns the intents that stand: those whose claim was made, with the time, and those to be tried again.
 * Given up is a claim that the API server calls invalid, or that it still does not take when its launch time is over: its pods are planned
 * anew.
 */
export async function createClaims(
  deps: ClusterDeps,
  state: ClusterState,
  intents: readonly Intent[],
  signal: AbortSignalLike,
): Promise<readonly Intent[]> {
  const outcomes = await mapBounded(intents, CLAIMS_AT_ONCE, (intent) => createOne(deps, state, intent, signal))
  return outcomes.flatMap((intent) => (intent ? [intent] : []))
}

async function createOne(deps: ClusterDeps, state: ClusterState, intent: Intent, signal: AbortSignalLike): Promise<Intent | undefined> {
  const created = await create(deps, state, intent, signal)
  if (!created.ok) return refused(deps, state, intent, created.error, signal)
  const createdAt = deps.clock.now()
  deps.telemetry.measure('claim_created_ms', createdAt - intent.decidedAt, {
    cluster: deps.cluster,
    claim: intentName(intent),
    decision: intent.decision,
  })
  tellDecided(deps, created.value, intent, podsSince(state, intent))
  await startChain(deps, state, intent, created.value, signal)
  return { ...intent, createdAt }
}

/** A Fault is an answer like any other here: whether it passes shows at the next try. */
async function create(
  deps: ClusterDeps,
  state: ClusterState,
  intent: Intent,
  signal: AbortSignalLike,
): Promise<Result<NodeClaim, Problem>> {
  const { draft } = intent.action
  const since = podsSince(state, intent)
  const dates = {
    [ANNOTATION.decidedAt]: String(intent.decidedAt),
    [ANNOTATION.traceParent]: printTraceParent(traceOf(deps.cluster, draft.name, intent.decidedAt)),
    ...(since === undefined ? {} : { [ANNOTATION.podsSince]: String(since) }),
    ...lockFor(deps, state, draft),
  }
  const dated = { ...draft, annotations: { ...draft.annotations, ...dates } }
  const outcome = await settle(() => deps.api.createClaim(dated, state.find('nodePool', draft.nodePool), signal))
  if (outcome.ok) return outcome.value
  return err(problemOf(outcome.error))
}

/** The claim is launched by this process, as soon as it is there. One whose class is not ready may wait for longer than a lock lasts. */
function lockFor({ clock, launchLocks, queue }: ClusterDeps, state: ClusterState, { name, spec }: NodeClaimDraft): Labels {
  const isLaunchedHere = queue.hasRoom?.() === true && readyClass(state, spec.nodeClassRef.name) !== undefined
  if (launchLocks === undefined || !isLaunchedHere) return {}
  return lockAnnotations(launchLocks.begin(name, clock.now()), 1)
}

/** Since when the pods are there that it is for: how long they waited is known only once the machine is. */
function podsSince(state: ClusterState, { action, decidedAt }: Intent): EpochMs | undefined {
  const pods = action.pods.flatMap(({ key }) => state.find('pod', key) ?? [])
  const times = pods.map(({ createdAt }) => createdAt)
  return times.length === 0 ? undefined : epochMs(leastOf(times, decidedAt))
}

/** The claim is there: a message that cannot be sent costs time until the resync hints at it, no more. */
async function startChain(deps: ClusterDeps, state: ClusterState, intent: Intent, made: NodeClaim, signal: AbortSignalLike): Promise<void> {
  const launch = knownForLaunch(state, intent, made)
  const message = claimMessage(deps, made, launch === undefined ? {} : { known: { launch } })
  const sent = await settle(() => deps.queue.send(message, 0, signal))
  if (!sent.ok) tellRefused(deps, `the first message of nodeclaim ${made.name}`, problemOf(sent.error))
}

/** What the decision saw. A class that was not ready yet is read again, since this decision may have said that it is. */
function knownForLaunch(state: ClusterState, { action }: Intent, claim: NodeClaim): KnownForLaunch | undefined {
  const nodeClass = readyClass(state, claim.spec.nodeClassRef.name)
  if (nodeClass === undefined) return undefined
  const nodeOverlays = state.list('nodeOverlay')
  const nodePool = nodeOverlays.length === 0 ? undefined : state.find('nodePool', action.draft.nodePool)
  return defined({ claim, nodeClass, nodeOverlays, nodePool })
}

function readyClass(state: ClusterState, name: NodeClassName): NodeClass | undefined {
  const nodeClass = state.find('nodeClass', name)
  return nodeClass !== undefined && isTrue(nodeClass.status.conditions, ROOT_CONDITION) ? nodeClass : undefined
}

/** The intent, to be tried again; undefined once it is given up. */
async function refused(
  deps: ClusterDeps,
  state: ClusterState,
  intent: Intent,
  why: Problem,
  signal: AbortSignalLike,
): Promise<Intent | undefined> {
  const until = later(intent.decidedAt, deps.settings.launchTimeout)
  const isOver = isFinal(why) || deps.clock.now() >= until
  await tellOfIntent(deps, state, intent, { why, outcome: isOver ? 'given up' : { triedUntil: until } }, signal)
  return isOver ? undefined : intent
}

/** Invalid now is invalid for ever, and a claim that was there and went away again is not made a second time. */
function isFinal({ code }: Problem): boolean {
  return code === 'KUBE.INVALID' || code === 'KUBE.CONFLICT'
}
