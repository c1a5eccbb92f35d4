import { stepNodeClaim } from '../engine/lifecycle/stepNodeClaim.ts'
import type { ClaimAction, ClaimObservation, ClaimStep } from '../model/claimStep.ts'
import type { ClaimMessage } from '../model/message.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import { applyClaimAction } from './applyClaimAction.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import { finishLostNode } from './finishLostNode.ts'
import { launchClaim } from './launchClaim.ts'
import { observeClaim } from './observeClaim.ts'

/** Steps within one message: a claim's whole life has fewer. More means that two steps undo each other. */
const MOST_STEPS = 12

/** Effects that need a while to show: looking again at once would only repeat them. */
const TAKES_TIME: ReadonlySet<ClaimAction['kind']> = new Set(['evictPod', 'deletePod', 'terminateInstance'])

export type ClaimOutcome = 'settled' | 'followed' | 'gone'

/**
 * Takes one claim as far as it goes now: observe, decide the step, apply its actions, look again. A write that lost a race
 * is no failure: the next observation sees what the winner wrote. A chain that has to wait sends itself a delayed message.
 */
export async function stepClaim(deps: ClusterDeps, message: ClaimMessage, signal: AbortSignalLike): Promise<ClaimOutcome> {
  let wakeAt: ClaimStep['wakeAt']
  for (let round = 0; round < MOST_STEPS; round++) {
    const observation = await observeClaim(deps, message.claim, signal)
    if (observation === undefined) {
      await finishLostNode(deps, message.claim, signal)
      return 'gone'
    }
    const step = stepNodeClaim(observation)
    wakeAt = step.wakeAt
    if (step.actions.length === 0) break
    const outcome = await applyAll(deps, observation, step.actions, signal)
    wakeAt = outcome.wakeAt ?? wakeAt
    if (outcome.pause || step.actions.some((action) => TAKES_TIME.has(action.kind))) break
  }
  return wakeAt !== undefined && message.follow ? await followUp(deps, message, wakeAt, signal) : 'settled'
}

async function applyAll(
  deps: ClusterDeps,
  observation: ClaimObservation,
  actions: readonly ClaimAction[],
  signal: AbortSignalLike,
): Promise<{ readonly pause: boolean; readonly wakeAt?: NonNullable<ClaimStep['wakeAt']> }> {
  let seen = observation
  for (const action of actions) {
    const applied =
      action.kind === 'launch' ? await launchClaim(deps, seen, action.plan, signal) : await applyClaimAction(deps, seen, action, signal)
    if (applied.kind === 'raced') return { pause: false }
    if (applied.kind === 'wait') return { pause: true, wakeAt: applied.wakeAt }
    seen = applied.observation
  }
  return { pause: false }
}

async function followUp(deps: ClusterDeps, message: ClaimMessage, wakeAt: number, signal: AbortSignalLike): Promise<ClaimOutcome> {
  const sentAt = deps.clock.now()
  await deps.queue.send({ ...message, sentAt, attempt: message.attempt + 1 }, Math.max(0, wakeAt - sentAt), signal)
  return 'followed'
}
