import { otherNodes } from '../../engine/lifecycle/otherNodes.ts'
import { troubledClaims } from '../../engine/lifecycle/troubledClaims.ts'
import type { Doorbell } from '../../model/message.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { startingAt } from '../deps/startingAt.ts'
import { sendHints } from '../messages/sendHints.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** Looks that one resync asks for: fewer than are done until the next one, so that no backlog grows when a whole zone is unwell. */
const MOST_HINTS = 64

/**
 * On each resync, has the claims looked at whose node is lost or unwell though they are ready themselves. The resync reads
 * claims only, and a message about the node may have been lost; the picture of the cluster knows without asking anybody.
 */
export async function hintTroubled(
  deps: Pick<ClusterDeps, 'cluster' | 'clock' | 'queue' | 'telemetry' | 'settings'>,
  state: ClusterState,
  doorbells: readonly Doorbell[],
  signal: AbortSignalLike,
): Promise<void> {
  if (!doorbells.some(({ because }) => because === 'resync')) return
  // A claim that cannot be understood cannot be stepped either; that is said where it was met.
  const unreadable = new Set(state.invalid().flatMap(({ kind, key }) => (kind === 'nodeClaim' ? [key] : [])))
  const picture = [state.list('node'), state.list('nodeClaim'), deps.settings.machineNames] as const
  const others = otherNodes(...picture)
  const troubled = [...new Set([...troubledClaims(...picture), ...others.keys()])].filter((name) => !unreadable.has(name))
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
