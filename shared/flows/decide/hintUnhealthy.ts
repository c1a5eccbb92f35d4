import { otherNodes } from '../../engine/lifecycle/otherNodes.ts'
import { unhealthyClaims } from '../../engine/lifecycle/unhealthyClaims.ts'
import type { Doorbell } from '../../model/message.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { startingAt } from '../deps/startingAt.ts'
import { sendHints } from '../messages/sendHints.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** The most steps that one resync asks for. They are done before the next resync, so no backlog grows when a whole zone fails. */
const MOST_HINTS = 64

/**
 * On each resync, asks for a step of each initialized claim whose node is gone or not ready, and of claims that left a node behind or have two. The
 * resync itself reads claims only, and a message about the node may have been lost. The cluster state shows such claims without a call.
 */
export async function hintUnhealthy(
  deps: Pick<ClusterDeps, 'cluster' | 'clock' | 'queue' | 'telemetry' | 'settings'>,
  state: ClusterState,
  doorbells: readonly Doorbell[],
  signal: AbortSignalLike,
): Promise<void> {
  if (!doorbells.some(({ because }) => because === 'resync')) return
  // A claim that cannot be parsed cannot be stepped either. It was reported where it was read.
  const unreadable = new Set(state.invalid().flatMap(({ kind, key }) => (kind === 'nodeClaim' ? [key] : [])))
  const picture = [state.list('node'), state.list('nodeClaim'), deps.settings.machineNames] as const
  const others = otherNodes(...picture)
  const troubled = [...new Set([...unhealthyClaims(...picture), ...others.keys()])].filter((name) => !unreadable.has(name))
  await sendHints(
    deps,
    startingAt(troubled, deps.clock.now())
      .slice(0, MOST_HINTS)
      .map((claim) => {
        const beside = others.get(claim)
        return beside === undefined ? { claim } : { claim, known: { otherNodes: beside } }
      }),
    signal,
  )
}
