import { defined } from '../base/defined.ts'
import { tellDrain } from '../engine/lifecycle/drainMessage.ts'
import { stepNodeClaim } from '../engine/lifecycle/stepNodeClaim.ts'
import type { ClaimAction, ClaimObservation, ClaimStep, HeldPod } from '../model/claimStep.ts'
import type { NodeClaimName } from '../model/ids.ts'
import type { ClaimMessage } from '../model/message.ts'
import { Fault } from '../model/problem.ts'
import { parseTraceParent, traceIn } from '../model/trace.ts'
import { type EpochMs, epochMs } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import { applyClaimAction } from './applyClaimAction.ts'
import { nextLookOf } from './chainPace.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import { tellRefused } from './doEach.ts'
import { finishLostNode } from './finishLostNode.ts'
import { launchClaim } from './launchClaim.ts'
import { observeClaim } from './observeClaim.ts'
import { isPodAction, removePods } from './removePods.ts'
import { reportRefusal } from './reportRefusal.ts'
import { inTrace, traceOfMessage } from './tellTrace.ts'

/** Steps within one message: a claim's whole life has fewer. More means that two steps undo each other. */
const MOST_STEPS = 12
/** Writes that another writer was faster than. Whoever it is goes on with the claim, or its change is a hint. */
const MOST_RACES = 2

/** `settled`: nothing to wait for. `left`: to the resync timer, or to who follows the claim. */
export type ClaimOutcome = 'settled' | 'followed' | 'left' | 'gone'

/**
 * Takes one claim as far as it goes now: observe, decide the step, apply its actions, look again. A write that lost a race
 * is no failure: the next observation sees what the winner wrote. A look that did something follows the claim with a delayed message,
 * whoever asked for it; one that did nothing goes on with the chain it belongs to. `chainPace` says why that is one chain a claim.
 */
export async function stepClaim(outer: ClusterDeps, message: ClaimMessage, signal: AbortSignalLike): Promise<ClaimOutcome> {
  // A claim that cannot be read does not say its trace: the message does.
  const deps = { ...outer, telemetry: inTrace(outer.telemetry, parseTraceParent(message.trace)) }
  try {
    return await stepNow(deps, message, signal)
  } catch (cause) {
    // What failed may be a call that does not name the claim: here it is known.
    if (cause instanceof Fault) tellRefused(deps, `a step of nodeclaim ${message.claim}`, cause.problem)
    throw cause
  }
}

async function stepNow(outer: ClusterDeps, message: ClaimMessage, signal: AbortSignalLike): Promise<ClaimOutcome> {
  let deps = outer
  let traced = message
  let races = 0
  let step: ClaimStep = { actions: [], reasons: [] }
  let changed = false
  for (let round = 0; round < MOST_STEPS && races < MOST_RACES; round++) {
    const observation = await observeClaim(deps, message.claim, signal)
    if (observation === undefined) {
      await finishLostNode(deps, message.claim, signal)
      return 'gone'
    }
    if (observation === 'foreign') return 'settled'
    traced = { ...message, ...traceOfMessage(observation.claim) }
    deps = { ...outer, telemetry: inTrace(outer.telemetry, traceIn(observation.claim)) }
    step = stepNodeClaim(observation)
    if (step.actions.length === 0) break
    const applied = await applyAll(deps, observation, step.actions, signal)
    changed ||= applied.changed
    if (applied.ended === 'raced') races++
    step = defined({ ...step, wakeAt: applied.wakeAt ?? step.wakeAt })
    if (applied.ended === 'wait') break
  }
  if (races >= MOST_RACES) tellRaced(deps, message.claim)
  return followUp(deps, traced, step, changed, signal)
}

/** Once is nothing; one claim said so again and again shows two writers that undo each other. */
function tellRaced({ cluster, telemetry }: ClusterDeps, claim: NodeClaimName): void {
  const message = `nodeclaim ${claim} changed under each of ${MOST_RACES} writes; left to the other writer`
  telemetry.info(message, { cluster, claim, code: 'KUBE.CONFLICT' })
}

type AppliedAll = {
  /** Something is different now, which is news to a later look. */
  readonly changed: boolean
  /** `raced`: another writer was faster, look again. `wait`: looking again at once would only repeat what was done. */
  readonly ended: 'done' | 'raced' | 'wait'
  /** In place of the step's own time. */
  readonly wakeAt?: EpochMs
}

async function applyAll(
  deps: ClusterDeps,
  observation: ClaimObservation,
  actions: readonly ClaimAction[],
  signal: AbortSignalLike,
): Promise<AppliedAll> {
  let seen = observation
  let changed = false
  for (const action of actions) {
    if (isPodAction(action)) continue
    const applied =
      action.kind === 'launch' ? await launchClaim(deps, seen, action.plan, signal) : await applyClaimAction(deps, seen, action, signal)
    if (applied.kind === 'raced') return { changed, ended: 'raced' }
    if (applied.kind === 'refused') {
      await reportRefusal(deps, seen.claim, applied.problem, signal)
      return { changed, ended: 'wait' }
    }
    changed ||= applied.changed
    if (applied.kind === 'wait') return { changed, ended: 'wait', wakeAt: applied.wakeAt }
    seen = applied.observation
  }
  const onPods = actions.filter(isPodAction)
  if (onPods.length > 0) {
    const removed = await removePods(deps, seen, onPods, signal)
    await tellOfDrain(deps, seen, removed.held, signal)
    return defined({ changed: changed || removed.changed, ended: 'wait' as const, wakeAt: removed.wakeAt })
  }
  return { changed, ended: actions.some(({ kind }) => kind === 'terminateInstance') ? 'wait' : 'done' }
}

/** What holds the drain, once that is known. It is told at each look: one that another writer was faster than is made good by the next. */
async function tellOfDrain(
  deps: ClusterDeps,
  observation: ClaimObservation,
  held: readonly HeldPod[],
  signal: AbortSignalLike,
): Promise<void> {
  for (const action of tellDrain(observation, held)) {
    const applied = await applyClaimAction(deps, observation, action, signal)
    if (applied.kind === 'refused') await reportRefusal(deps, observation.claim, applied.problem, signal)
  }
}

async function followUp(
  deps: ClusterDeps,
  message: ClaimMessage,
  step: ClaimStep,
  changed: boolean,
  signal: AbortSignalLike,
): Promise<ClaimOutcome> {
  if (step.wakeAt === undefined) return 'settled'
  if (!changed && !message.follow) return 'left'
  const sentAt = epochMs(deps.clock.now())
  const attempt = changed ? 0 : message.attempt
  const next = nextLookOf(step, attempt, sentAt)
  if (next === undefined) return 'left'
  await deps.queue.send({ ...message, follow: next.follow, sentAt, attempt: attempt + 1 }, next.at - sentAt, signal)
  return 'followed'
}
