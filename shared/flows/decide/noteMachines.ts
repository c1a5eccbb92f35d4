import { madeOfferings } from '../../engine/offering/madeOfferings.ts'
import { furtherReports } from '../../engine/offering/sizeReports.ts'
import type { DecisionContext } from '../../engine/scheduling/snapshot/decisionContext.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { doEach } from '../deps/doEach.ts'
import type { ClusterState } from '../state/clusterState.ts'

type Notes = { readonly [what: string]: (known: Known, signal: AbortSignalLike) => Promise<void> }
type Known = {
  readonly deps: ClusterDeps
  readonly state: Pick<ClusterState, 'list'>
  readonly context: Pick<DecisionContext, 'unavailable' | 'instanceTypes'>
}

/**
 * Tells the region what the machines of the cluster show. The NodeClaims show it at each decision, so a lost write is made up for by the next one.
 */
export async function noteMachines(
  deps: ClusterDeps,
  state: Known['state'],
  context: Known['context'],
  signal: AbortSignalLike,
): Promise<void> {
  await doEach(
    deps,
    Object.entries(NOTES),
    ([what]) => what,
    ([, note]) => note({ deps, state, context }, signal),
  )
}

const NOTES: Notes = {
  /** The next refusal of an offering of which a machine has joined since is a first one. */
  async 'a note of machines that Azure made of offerings it had refused'({ deps, state, context }, signal) {
    const { offerings, clock } = deps
    const made = madeOfferings(context.unavailable, state.list('nodeClaim'), context.instanceTypes)
    if (made.length > 0) await offerings.made(made, clock.now(), signal)
  },
  /** A machine that is ready may prove or refute that a size does not boot. */
  async 'a report of what machines prove about sizes'({ deps, state }, signal) {
    const { cluster, offerings, clock } = deps
    const further = furtherReports(await offerings.reports(clock.now(), signal), state.list('nodeClaim'), cluster)
    if (further.length > 0) await offerings.report(further, clock.now(), signal)
  },
}
