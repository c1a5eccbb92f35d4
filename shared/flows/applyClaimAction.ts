import { assertNever } from '../base/internalError.ts'
import type { Result } from '../base/result.ts'
import type { ClaimAction, ClaimObservation } from '../model/claimStep.ts'
import { FINALIZER } from '../model/labels.ts'
import type { NodeClaim } from '../model/nodeClaim.ts'
import type { Problem } from '../model/problem.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import { endClaim } from './endClaim.ts'
import { launchesOf } from './launches.ts'

/** What an action came to: done, lost against another writer, or nothing more to do before a time. */
export type Applied =
  | { readonly kind: 'done'; readonly observation: ClaimObservation }
  | { readonly kind: 'raced' }
  | { readonly kind: 'wait'; readonly wakeAt: EpochMs }

/** Every action but the launch, which is a flow of its own. */
export type PlainClaimAction = Exclude<ClaimAction, { readonly kind: 'launch' }>

/** Carries out one lifecycle action. Each may be repeated after a crash: its second run finds the first one's effect. */
export async function applyClaimAction(
  deps: ClusterDeps,
  observation: ClaimObservation,
  action: PlainClaimAction,
  signal: AbortSignalLike,
): Promise<Applied> {
  const { claim } = observation
  const done: Applied = { kind: 'done', observation }
  switch (action.kind) {
    case 'addFinalizer':
      return patched(observation, await deps.api.patchClaim(claim, { finalizers: [...claim.meta.finalizers, FINALIZER] }, signal))
    case 'removeFinalizer': {
      const finalizers = claim.meta.finalizers.filter((finalizer) => finalizer !== FINALIZER)
      return patched(observation, await deps.api.patchClaim(claim, { finalizers }, signal))
    }
    case 'patchClaim':
      return patched(observation, await deps.api.patchClaim(claim, { labels: action.labels, annotations: action.annotations }, signal))
    case 'patchStatus':
      return patched(observation, await deps.api.patchClaimStatus(claim, action.status, signal))
    case 'patchNode':
      return raced(await deps.api.patchNode(action.node, action.patch, signal), done)
    case 'removeNodeFinalizer': {
      const finalizers = action.node.meta.finalizers.filter((finalizer) => finalizer !== FINALIZER)
      return raced(await deps.api.patchNode(action.node, { finalizers }, signal), done)
    }
    case 'deleteNode':
      await deps.api.deleteNode(action.node.name, action.node.meta.uid, signal)
      return done
    case 'evictPod':
      await deps.api.evict(action.pod, signal)
      return done
    case 'deletePod':
      await deps.api.deletePod(action.pod, action.gracePeriodSeconds, signal)
      return done
    case 'deleteBootstrapToken':
      await deps.api.deleteBootstrapToken(claim.name, signal, launchesOf(claim))
      return done
    case 'terminateInstance':
      await deps.cloud.terminate(claim.name, signal)
      return done
    case 'markUnavailable':
      await deps.offerings.mark(action.offerings, observation.now, signal)
      return done
    case 'deleteClaim':
      await endClaim(deps, claim, action, signal)
      return done
    case 'publish':
      await deps.api.publish(action.event, signal)
      return done
    default:
      return assertNever(action)
  }
}

function patched(observation: ClaimObservation, result: Result<NodeClaim, Problem>): Applied {
  return result.ok ? { kind: 'done', observation: { ...observation, claim: result.value } } : { kind: 'raced' }
}

/** KUBE.CONFLICT and KUBE.NOT_FOUND both say that the object moved on: the next observation shows how. */
function raced(result: Result<unknown, Problem>, done: Applied): Applied {
  return result.ok ? done : { kind: 'raced' }
}
