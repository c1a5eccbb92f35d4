import { madeOfferings } from '../../engine/offering/madeOfferings.ts'
import type { DecisionContext } from '../../engine/scheduling/snapshot/decisionContext.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import type { ClusterState } from '../state/clusterState.ts'

/**
 * Notes the refused offerings of which machines have joined since, so that their next refusal is a first one. The NodeClaims show it at each decision,
 * so a lost write is made up for by the next one.
 */
export async function noteMade(
  deps: Pick<ClusterDeps, 'offerings' | 'clock'>,
  state: Pick<ClusterState, 'list'>,
  { unavailable, instanceTypes }: Pick<DecisionContext, 'unavailable' | 'instanceTypes'>,
  signal: AbortSignalLike,
): Promise<void> {
  const made = madeOfferings(unavailable, state.list('nodeClaim'), instanceTypes)
  if (made.length > 0) await deps.offerings.made(made, deps.clock.now(), signal)
}
