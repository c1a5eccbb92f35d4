import { defined } from '../../base/defined.ts'
import { drainReports } from '../../engine/lifecycle/drainMessage.ts'
import type { ClaimAction, ClaimObservation, HeldPod } from '../../model/claimStep.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { reportRefusal } from '../reports/reportRefusal.ts'
import { applyClaimAction } from './applyClaimAction.ts'
import type { EvictionBackOff } from './evictionBackOff.ts'
import type { AppliedAll } from './knownNext.ts'
import { launchClaim } from './launchClaim.ts'
import { isPodAction, type PodAction } from './podAction.ts'
import { removePods } from './removePods.ts'
import { areOfEnd, withWritesOfEnd } from './writesOfEnd.ts'

type ToApply = { readonly actions: readonly ClaimAction[]; readonly backOff: EvictionBackOff }

/** Applies the actions of a step: first those that are not about pods, in order, then those on pods. */
export async function applyAll(
  outer: ClusterDeps,
  observation: ClaimObservation,
  toApply: ToApply,
  signal: AbortSignalLike,
): Promise<AppliedAll> {
  const { actions, backOff } = toApply
  const deps = areOfEnd(observation.claim, actions) ? { ...outer, api: withWritesOfEnd(outer.api) } : outer
  const plain = actions.filter((action): action is Exclude<ClaimAction, PodAction> => !isPodAction(action))
  const applied = await applyInOrder(deps, observation, plain, signal)
  const onPods = actions.filter(isPodAction)
  if (applied.ended !== 'done') return applied
  if (onPods.length > 0) return applyToPods(deps, applied, { actions: onPods, backOff }, signal)
  return actions.some(({ kind }) => kind === 'terminateInstance') ? { ...applied, ended: 'wait' } : applied
}

async function applyToPods(
  deps: ClusterDeps,
  applied: AppliedAll,
  toApply: { readonly actions: readonly PodAction[]; readonly backOff: EvictionBackOff },
  signal: AbortSignalLike,
): Promise<AppliedAll> {
  const removed = await removePods(deps, applied.observation, toApply, signal)
  await reportDrain(deps, applied.observation, removed.held, signal)
  const isHeld = removed.held.length > 0 ? (true as const) : undefined
  return defined({ ...applied, changed: applied.changed || removed.changed, ended: 'wait' as const, wakeAt: removed.wakeAt, isHeld })
}

async function applyInOrder(
  deps: ClusterDeps,
  observation: ClaimObservation,
  actions: readonly Exclude<ClaimAction, PodAction>[],
  signal: AbortSignalLike,
): Promise<AppliedAll> {
  let seen = observation
  let changed = false
  for (const action of actions) {
    const applied =
      action.kind === 'launch' ? await launchClaim(deps, seen, action.plan, signal) : await applyClaimAction(deps, seen, action, signal)
    if (applied.kind === 'raced') return defined({ changed, observation: seen, ended: 'raced' as const, isOfNode: applied.isOfNode })
    if (applied.kind === 'refused') {
      await reportRefusal(deps, seen.claim, applied.problem, signal)
      return { changed, observation: seen, ended: 'wait' }
    }
    changed ||= applied.changed
    seen = applied.observation
    if (applied.kind === 'wait') {
      return defined({ changed, observation: seen, ended: 'wait' as const, wakeAt: applied.wakeAt, dueAt: applied.dueAt })
    }
  }
  return { changed, observation: seen, ended: 'done' }
}

/** Reports which pods hold the drain, on each run. If another writer was faster, the next run reports it. */
async function reportDrain(
  deps: ClusterDeps,
  observation: ClaimObservation,
  held: readonly HeldPod[],
  signal: AbortSignalLike,
): Promise<void> {
  for (const action of drainReports(observation, held)) {
    const applied = await applyClaimAction(deps, observation, action, signal)
    if (applied.kind === 'refused') await reportRefusal(deps, observation.claim, applied.problem, signal)
  }
}
