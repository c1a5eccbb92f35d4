import { waitingPods } from '../../engine/lifecycle/drain.ts'
import { quietFrom } from '../../engine/lifecycle/termination.ts'
import type { NodeName } from '../../model/ids.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { isDraining } from '../lifecycle/seenClaims.ts'
import { requestReconciles } from '../queue/requestReconciles.ts'
import type { ClusterState } from '../state/clusterState.ts'

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
