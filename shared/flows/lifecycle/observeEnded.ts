import type { ClaimObservation } from '../../model/claimStep.ts'
import type { NodeName } from '../../model/ids.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { observeRest } from './observeClaim.ts'

/** What this process knows of the nodes of the claim. */
type KnownNodes = { readonly node: Node | undefined; readonly otherNodes: readonly NodeName[] | undefined }

/**
 * The observation of a claim whose machine was deleted and is gone, with claim and node as this process last saw them. Only finalizers are left, and each
 * is removed by a write that keeps what others wrote. Undefined if the machine still exists. Then the claim must be read, because a machine is
 * deleted by its name alone.
 */
export async function observeEnded(
  deps: ClusterDeps,
  claim: NodeClaim,
  { node, otherNodes }: KnownNodes,
  signal: AbortSignalLike,
): Promise<ClaimObservation | undefined> {
  if (node !== undefined && otherNodes === undefined) {
    if ((await deps.cloud.get(claim.name, signal)) !== undefined) return undefined
    const nodes = [{ ...node, meta: { ...node.meta, resourceVersion: '' } }]
    const nothing = { nodeClass: undefined, pods: [], instance: undefined, instanceTypes: [], unavailable: [] } as const
    return { now: deps.clock.now(), settings: deps.settings, claim, nodes, ...nothing }
  }
  const observation = await observeRest(deps, claim, signal, otherNodes)
  return observation.instance === undefined ? observation : undefined
}
