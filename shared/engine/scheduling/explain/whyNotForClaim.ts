/** Why an offering is not the machine of a claim that is there: what stands in the way by what the claim asks for. */
import type { NodeClaimSpec } from '../../../model/nodeClaim.ts'
import { overlapConflicts } from '../../../model/requirementConflict.ts'
import { requirementsFrom } from '../../../model/requirements.ts'
import { labelsOfMachine } from '../../offering/admission.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import type { PoolOffering } from './cheaper.ts'
import type { NotTaken } from './explanation.ts'
import { refusedBySize } from './refusedBySize.ts'
import type { StandingLoad } from './standingLoad.ts'
import { asksFor, notForSale, refusedByPool } from './whyNotForBin.ts'

export function whyNotForClaim(
  offer: PoolOffering,
  { requirements }: NodeClaimSpec,
  load: StandingLoad,
  context: Pick<DecisionContext, 'unavailable' | 'takenAt'>,
): NotTaken {
  const { template, index, type, offering } = offer
  const machine = labelsOfMachine(type, offering)
  const missing = overlapConflicts(machine, requirementsFrom(requirements)).map(({ incoming }) => incoming)
  return (
    refusedByPool(offer, machine, template.sizes[index]) ??
    refusedBySize(load.on(template), template.sizes[index], load.axes) ??
    notForSale(offer, context) ??
    (missing.length > 0 ? asksFor('claim', missing) : { kind: 'now', by: 'claim' })
  )
}
