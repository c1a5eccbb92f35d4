/** Why an offering does not become the machine of a claim whose node is not up yet. The claim counts, not the pods. */
import type { NodeClaimSpec } from '../../../model/nodeClaim.ts'
import { overlapConflicts } from '../../../model/requirementConflict.ts'
import { requirementsFrom } from '../../../model/requirements.ts'
import type { Resources } from '../../../model/resources.ts'
import { labelsOfMachine } from '../../offering/admission.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import type { PoolOffering } from './cheaper.ts'
import type { NotTaken } from './explanation.ts'
import { asksFor, demotedVerdict, notForSale, refusedByPool, refusedByRoom } from './offeringVerdicts.ts'
import { replacementLimit } from './replacementLimit.ts'
import type { StandingLoad } from './standingLoad.ts'

/** The first reason why the offering does not become the machine of the claim. `left`: what the limits of the NodePool leave without this claim. */
export function whyNotForClaim(
  offer: PoolOffering,
  { requirements }: NodeClaimSpec,
  { load, left }: { readonly load: StandingLoad; readonly left: Resources | undefined },
  context: Pick<DecisionContext, 'unavailable' | 'demoted' | 'takenAt'>,
): NotTaken {
  const { template, type, offering } = offer
  const machine = labelsOfMachine(type, offering)
  const missing = overlapConflicts(machine, requirementsFrom(requirements)).map(({ incoming }) => incoming)
  return (
    refusedByPool(offer, machine) ??
    refusedByRoom(offer, load.on(template), load.axes) ??
    notForSale(offer, context) ??
    (missing.length > 0 ? asksFor('claim', missing) : undefined) ??
    replacementLimit(offer, left) ??
    demotedVerdict(offer, context) ?? { kind: 'now', by: 'claim' }
  )
}
