import { err, ok, type Result } from '../../../base/result.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import { type Problem, problem } from '../../../model/problem.ts'
import { filledBins } from '../decision/filledBins.ts'
import { loadPlanning, type Planned } from '../planningState.ts'
import { claimCalled, explainClaim } from './explainClaim.ts'
import type { ClaimExplanation } from './explanation.ts'
import { newClaimOf } from './newClaimOf.ts'

/**
 * Why a machine is what it is: the machine of a claim that is there, or of a claim that the decision made of this snapshot creates. `name` is that
 * of the claim or of its node; fails with CLAIM.NOT_FOUND for any other name. The last parameter is the plan made of this snapshot. Without it,
 * the plan is made here.
 */
export function explainNode(
  snapshot: ClusterSnapshot,
  name: string,
  planned: Planned = loadPlanning(snapshot.objects).plan(snapshot),
): Result<ClaimExplanation, Problem> {
  const { provisioning } = planned
  for (const { bin, drafted } of provisioning === undefined ? [] : filledBins(provisioning, planned)) {
    if (provisioning !== undefined && 'action' in drafted && drafted.action.draft.name === name) {
      return ok({ kind: 'new', claim: newClaimOf(drafted.action, bin, provisioning) })
    }
  }
  const fleet = planned.cluster.machines.fleet()
  const claim = claimCalled(name, fleet, snapshot)
  if (claim !== undefined) return ok(explainClaim(claim, snapshot, planned))
  const isNode = fleet.get(`node ${name}`) !== undefined
  const message = isNode ? `node ${name} has no nodeclaim, so no decision is about it` : `nodeclaim ${name} is not known; check the name`
  return err(problem('CLAIM.NOT_FOUND', message, { object: `nodeclaim/${name}` }))
}
