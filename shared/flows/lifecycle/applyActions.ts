import type { Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { drainReports } from '../../engine/lifecycle/drain.ts'
import type { ClaimAction, ClaimObservation, HeldPod } from '../../model/claimStep.ts'
import type { Meta } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Problem } from '../../model/problem.ts'
import { rebasedMeta, rebasedNodePatch, rebasedStatus } from '../../model/rebase.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { reportRefusal } from '../reports/reportStatus.ts'
import { type Applied, applyClaimAction, isPodAction, type PodAction } from './applyClaimAction.ts'
import { launchClaim } from './launchClaim.ts'
import type { AppliedAll } from './observeKnown.ts'
import { type EvictionBackOff, removePods } from './removePods.ts'
import { restartMachine } from './restartMachine.ts'

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
    const applied = await applyOne(deps, seen, action, signal)
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

function applyOne(
  deps: ClusterDeps,
  seen: ClaimObservation,
  action: Exclude<ClaimAction, PodAction>,
  signal: AbortSignalLike,
): Promise<Applied> {
  if (action.kind === 'launch') return launchClaim(deps, seen, action.plan, signal)
  if (action.kind === 'restartMachine') return restartMachine(deps, seen, signal)
  return applyClaimAction(deps, seen, action, signal)
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

/** Reports whether the actions belong to the end of the claim: it is being deleted, or they delete it. */
function areOfEnd(claim: NodeClaim, actions: readonly ClaimAction[]): boolean {
  return claim.meta.deletedAt !== undefined || actions.some(({ kind }) => kind === 'deleteClaim')
}

/**
 * The API with writes that no other client holds up, for the end of a claim. A write that meets a conflict is made once more, on the object as it is
 * now, and guarded only by its uid. A change that matters to the end is still a conflict: a deletion meanwhile, or another value of what the write
 * changes, as another process of Joiner writes it. All other flows keep the guard of the version, because it tells them of any change.
 */
function withWritesOfEnd(api: ClusterApi): ClusterApi {
  return {
    ...api,
    async patchClaim(claim, patch, signal) {
      const written = await api.patchClaim(claim, patch, signal)
      const now = isConflict(written) ? await api.getClaim(claim.name, signal) : undefined
      const again = now && isStill(claim, now) ? rebasedMeta(claim.meta, now.meta, patch) : undefined
      return now && again ? api.patchClaim(inAnyVersion(now), again, signal) : written
    },
    async patchClaimStatus(claim, status, signal) {
      const written = await api.patchClaimStatus(claim, status, signal)
      const now = isConflict(written) ? await api.getClaim(claim.name, signal) : undefined
      const again = now && isStill(claim, now) ? rebasedStatus(claim.status, now.status, status) : undefined
      return now && again ? api.patchClaimStatus(inAnyVersion(now), again, signal) : written
    },
    async patchNode(node, patch, signal) {
      const written = await api.patchNode(node, patch, signal)
      const now = isConflict(written) ? await api.getNode(node.name, signal) : undefined
      const again = now?.meta.uid === node.meta.uid ? rebasedNodePatch(node, now, patch) : undefined
      return now && again ? api.patchNode(inAnyVersion(now), again, signal) : written
    },
  }
}

function isConflict(written: Result<unknown, Problem>): boolean {
  return !written.ok && written.error.code === 'KUBE.CONFLICT'
}

/** Reports whether it is the same claim, and nobody asked for its deletion meanwhile. */
function isStill(seen: NodeClaim, now: NodeClaim): boolean {
  return now.meta.uid === seen.meta.uid && (seen.meta.deletedAt === undefined) === (now.meta.deletedAt === undefined)
}

function inAnyVersion<Kind extends { readonly meta: Meta }>(object: Kind): Kind {
  return { ...object, meta: { ...object.meta, resourceVersion: '' } }
}
