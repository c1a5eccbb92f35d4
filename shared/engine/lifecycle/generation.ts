import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import { splitLink } from '../../model/conditionLinks.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { CLAIM_STAGES, conditionOf, statusActions } from './claimStatus.ts'

/** Stamps the stages that the claim has reached with its present generation. A reached stage stays reached, because the spec of a claim cannot change. */
export function stepGeneration(observation: ClaimObservation): ClaimStep | undefined {
  const { claim } = observation
  if (!isOfEarlierGeneration(claim)) return undefined
  const reached = CLAIM_STAGES.flatMap((stage) => conditionOf(claim, stage) ?? []).filter(({ status }) => status === 'True')
  const changes = reached.map((condition) => ({ ...condition, message: splitLink(condition.message).text }))
  return { actions: statusActions(observation, changes), reasons: [] }
}

/** Reports whether a stage was reached in an earlier generation of the claim. The next change of a condition would then make the claim not ready. */
export function isOfEarlierGeneration(claim: NodeClaim): boolean {
  const { generation } = claim.meta
  return CLAIM_STAGES.some((stage) => {
    const said = conditionOf(claim, stage)
    return said?.status === 'True' && said.observedGeneration < generation
  })
}
