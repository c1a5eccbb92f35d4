/** Creates the NodeClaims of intents, and tells what was decided. */
import { mapBounded, settle } from '../../base/concurrency.ts'
import { largestOf, leastOf } from '../../base/lists.ts'
import { err, type Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { isTrue, ROOT_CONDITION } from '../../model/condition.ts'
import type { CreateClaim } from '../../model/decision.ts'
import type { NodeClassName } from '../../model/ids.ts'
import type { LaunchChoice } from '../../model/instance.ts'
import { priceText, purposeText, zoneText } from '../../model/inWords.ts'
import { ANNOTATION, type Labels } from '../../model/labels.ts'
import { type Intent, intentName } from '../../model/ledger.ts'
import type { NodeClaim, NodeClaimDraft } from '../../model/nodeClaim.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { Problem } from '../../model/problem.ts'
import { printTraceParent, traceOf } from '../../model/trace.ts'
import { type EpochMs, epochMs, later } from '../../model/units.ts'
import type { KnownForLaunch } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, problemOf } from '../deps/clusterDeps.ts'
import type { Committed } from '../ledger/nextLedger.ts'
import { type RefusedIntent, reportRefusedIntent } from '../ledger/refusals.ts'
import type { DecisionInput } from '../ledger/rest.ts'
import { lockAnnotations } from '../lifecycle/tryCandidates.ts'
import { claimRequest } from '../queue/claimRequests.ts'
import { usd } from '../reports/reportClaim.ts'
import { traceDecided } from '../reports/reportTrace.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** Logs one line about a decided claim: the machine, its pods and price, the next best choice, and how long the decision took. */
export function announceClaim(
  deps: ClusterDeps,
  action: CreateClaim,
  { snapshot, decideMs }: Pick<Committed, 'snapshot' | 'decideMs'>,
): void {
  const next = action.nextBest ? `; next best ${describe(action.nextBest)}` : ''
  const sizes = largestOf(
    [...snapshot.instanceTypes.values()].map((types) => types.length),
    0,
  )
  const effort = `; decided in ${decideMs} ms over ${sizes} sizes`
  deps.telemetry.info(
    `decision ${snapshot.decision}: one ${describe(action.choice)} for ${purposeText(action.pods.length, action.buffers)}${next}${effort}`,
    {
      cluster: deps.cluster,
      decision: snapshot.decision,
      claim: action.draft.name,
      nodePool: action.draft.nodePool,
      size: action.choice.size,
      zone: action.choice.zone,
      capacityType: action.choice.capacityType,
      microUsdPerHour: action.choice.price,
      pods: action.pods.length,
      alternatives: action.alternatives,
      decideMs,
    },
  )
  reportDecided(deps, action, snapshot, decideMs)
}

function reportDecided(
  deps: ClusterDeps,
  { draft, choice, nextBest, pods, alternatives }: CreateClaim,
  { decision, takenAt }: Pick<DecisionInput, 'decision' | 'takenAt'>,
  decideMs: number,
): void {
  const fields = {
    cluster: deps.cluster,
    decision: String(decision),
    nodePool: draft.nodePool,
    nodeClaim: draft.name,
    sku: choice.size,
    zone: choice.zone,
    capacityType: choice.capacityType,
    pods: pods.length,
    alternatives,
    decideMs,
    pricePerHour: usd(choice.price),
    diskPricePerHour: usd(choice.diskPrice),
    nextBestPricePerHour: usd(nextBest?.price),
  }
  deps.telemetry.event('provisioning.decision', fields, traceOf(deps.cluster, draft.name, takenAt))
}

function describe(choice: LaunchChoice): string {
  return `${choice.size}, ${choice.capacityType}, ${zoneText(choice.zone)}, ${priceText(choice)}`
}

/** Twice the number of calls to an API server that run at a time, so that creations always wait at the front of the queue. */
const CLAIMS_AT_ONCE = 128

export type ClaimCreations = {
  /** The intents to keep: intents whose claim was created, with the time, and intents to be tried again. */
  readonly intents: readonly Intent[]
  /** The intents that were given up since the API server does not accept the claim. */
  readonly refused: readonly RefusedIntent[]
}

type Outcome = { readonly intent: Intent } | RefusedIntent | { readonly givenUp: Intent }

/**
 * Creates the NodeClaims of intents, each independent of the others, and adds the key of each. Names are deterministic, so a
 * repeated creation finds the existing claim. A claim is given up if the API server does not accept it, or if it still cannot be created after the
 * launch timeout. Its pods are planned again.
 */
export async function createClaims(
  deps: ClusterDeps,
  state: ClusterState,
  intents: readonly Intent[],
  signal: AbortSignalLike,
): Promise<ClaimCreations> {
  const outcomes = await mapBounded(importantFirst(intents, state), CLAIMS_AT_ONCE, (intent) => createOne(deps, state, intent, signal))
  return {
    intents: outcomes.flatMap((outcome) => ('intent' in outcome ? [outcome.intent] : [])),
    refused: outcomes.flatMap((outcome) => ('refused' in outcome ? [outcome] : [])),
  }
}

/**
 * The claims of the most important pods come first. A quota or a subnet may have room for some machines only, and those that are asked for first get
 * them.
 */
function importantFirst(intents: readonly Intent[], state: ClusterState): readonly Intent[] {
  const priorities = new Map(intents.map((intent) => [intent, priorityOf(intent, state)]))
  return [...intents].sort((one, other) => (priorities.get(other) ?? 0) - (priorities.get(one) ?? 0))
}

/** The room of buffers and static NodePools is less important than any pod. */
function priorityOf({ action }: Intent, state: ClusterState): number {
  return largestOf(
    action.pods.map(({ key }) => state.find('pod', key)?.priority ?? 0),
    Number.MIN_SAFE_INTEGER,
  )
}

async function createOne(deps: ClusterDeps, state: ClusterState, intent: Intent, signal: AbortSignalLike): Promise<Outcome> {
  const created = await create(deps, state, intent, signal)
  if (!created.ok) return refused(deps, state, intent, created.error, signal)
  const createdAt = deps.clock.now()
  deps.telemetry.measure('claim_created_ms', createdAt - intent.decidedAt, {
    cluster: deps.cluster,
    claim: intentName(intent),
    decision: intent.decision,
  })
  traceDecided(deps, created.value, intent, podsSince(state, intent))
  follow(deps, state, intent, created.value)
  return { intent: { ...intent, createdAt } }
}

/** Creates the claim. A Fault is returned as a Problem, because the next try shows whether it was temporary. */
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

/**
 * The annotations of the launch lock, if this process will launch the claim right after its creation. A claim whose NodeClass is not ready gets no
 * lock, since it may wait longer than a lock lasts.
 */
function lockFor({ clock, launchLocks, queue }: ClusterDeps, state: ClusterState, { name, spec }: NodeClaimDraft): Labels {
  const isLaunchedHere = !queue.isShuttingDown() && readyClass(state, spec.nodeClassRef.name) !== undefined
  if (launchLocks === undefined || !isLaunchedHere) return {}
  return lockAnnotations(launchLocks.begin(name, clock.now()), 1)
}

/** Creation time of the oldest pod that the claim is for. The time its pods waited is measured once the machine is ready. */
function podsSince(state: ClusterState, { action, decidedAt }: Intent): EpochMs | undefined {
  const pods = action.pods.flatMap(({ key }) => state.find('pod', key) ?? [])
  const times = pods.map(({ createdAt }) => createdAt)
  return times.length === 0 ? undefined : epochMs(leastOf(times, decidedAt))
}

/** Adds the key of a new claim, which this process follows. */
function follow({ queue }: ClusterDeps, state: ClusterState, intent: Intent, made: NodeClaim): void {
  const launch = knownForLaunch(state, intent, made)
  queue.reconcile(claimRequest(made, launch === undefined ? {} : { known: { launch } }))
}

/**
 * The objects for the launch, as the decision saw them. Undefined if the NodeClass was not ready: it is read live, since this decision may have
 * made it ready.
 */
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

/** Reports a refused creation. */
async function refused(deps: ClusterDeps, state: ClusterState, intent: Intent, why: Problem, signal: AbortSignalLike): Promise<Outcome> {
  const until = later(intent.decidedAt, deps.settings.launchTimeout)
  const isOver = isFinal(why) || deps.clock.now() >= until
  await reportRefusedIntent(deps, state, intent, { why, outcome: isOver ? 'given up' : { triedUntil: until } }, signal)
  if (!isOver) return { intent }
  return why.code === 'KUBE.INVALID' ? { refused: intent, why } : { givenUp: intent }
}

/** Reports whether another try is of no use: an invalid claim stays invalid, and a claim that was deleted again is not created a second time. */
function isFinal({ code }: Problem): boolean {
  return code === 'KUBE.INVALID' || code === 'KUBE.CONFLICT'
}
