import { isReady } from '../../engine/lifecycle/nodeState.ts'
import { isToBeDrained } from '../../engine/lifecycle/termination.ts'
import type { ClaimObservation } from '../../model/claimStep.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import { isNodeOf } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/**
 * The observation of a claim that this process has just deleted, made of what it read live for the deletion. Only for the first step of a drain, which
 * asks Azure nothing. Undefined if the step needs more.
 */
export function observeFresh({ clock, settings, freshEnds }: ClusterDeps, name: NodeClaimName): ClaimObservation | undefined {
  const fresh = freshEnds?.take(name, clock.now())
  if (fresh === undefined) return undefined
  const { claim, node, pods } = fresh
  if (!isOurs(claim.spec.nodeClassRef) || !isNodeOf(claim, node)) return undefined
  if (claim.meta.deletedAt === undefined || !isReady(node) || !isToBeDrained(claim, [node])) return undefined
  const nothing = { nodeClass: undefined, instance: 'unseen', instanceTypes: [], unavailable: [] } as const
  return { now: clock.now(), settings, claim, nodes: [node], pods, ...nothing }
}
