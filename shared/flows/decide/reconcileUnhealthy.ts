import { otherNodes } from '../../engine/lifecycle/otherNodes.ts'
import { unhealthyClaims } from '../../engine/lifecycle/unhealthyClaims.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { startingAt } from '../deps/startingAt.ts'
import { requestReconciles } from '../queue/requestReconciles.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** The most claims that one resync adds. Their runs end before the next resync, so no backlog grows when a whole zone fails. */
const MOST_CLAIMS = 64

/**
 * On each resync, adds each initialized claim whose node is gone or not ready, and of claims that left a node behind or have two. The
 * resync itself reads claims only, and news of the node may have been lost. The cluster state shows such claims without a call.
 */
export function reconcileUnhealthy(deps: Pick<ClusterDeps, 'clock' | 'queue' | 'settings'>, state: ClusterState): void {
  // A claim that cannot be parsed cannot be stepped either. It was reported where it was read.
  const unreadable = new Set(state.invalid().flatMap(({ kind, key }) => (kind === 'nodeClaim' ? [key] : [])))
  const picture = [state.list('node'), state.list('nodeClaim'), deps.settings.machineNames] as const
  const others = otherNodes(...picture)
  const troubled = [...new Set([...unhealthyClaims(...picture), ...others.keys()])].filter((name) => !unreadable.has(name))
  requestReconciles(
    deps,
    startingAt(troubled, deps.clock.now())
      .slice(0, MOST_CLAIMS)
      .map((claim) => {
        const beside = others.get(claim)
        return beside === undefined ? { claim } : { claim, known: { otherNodes: beside } }
      }),
  )
}
