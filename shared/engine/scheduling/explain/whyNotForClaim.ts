/** Why an offering is not the machine of a claim that is there: what stands in the way by what the claim asks for. */
import type { NodeClaimSpec } from '../../../model/nodeClaim.ts'
import { overlapConflicts } from '../../../model/requirementConflict.ts'
import { requirementsFrom } from '../../../model/requirements.ts'
import { amountOf, type Resources, subtract } from '../../../model/resources.ts'
import { labelsOfMachine } from '../../offering/admission.ts'
import type { Verdict } from '../decision/verdict.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import type { PoolOffering } from './cheaper.ts'
import type { NotTaken } from './explanation.ts'
import { asksFor, notForSale, refusedByPool } from './whyNotForBin.ts'

export function whyNotForClaim(
  offer: PoolOffering,
  { requirements, requests }: NodeClaimSpec,
  context: Pick<DecisionContext, 'unavailable' | 'takenAt'>,
): NotTaken {
  const { template, index, type, offering } = offer
  const machine = labelsOfMachine(type, offering)
  const missing = overlapConflicts(machine, requirementsFrom(requirements)).map(({ incoming }) => incoming)
  return (
    refusedByPool(offer, machine, template.sizes[index]) ??
    tooSmallFor(requests, subtract(type.capacity, type.overhead)) ??
    notForSale(offer, context) ??
    (missing.length > 0 ? asksFor('claim', missing) : { kind: 'now' })
  )
}

/** By name of the resource; what the size knows nothing of it has none of. */
export function tooSmallFor(requests: Resources, allocatable: Resources): Verdict | undefined {
  for (const resource of Object.keys(requests).sort()) {
    const asked = amountOf(requests, resource)
    const had = amountOf(allocatable, resource)
    if (asked > had) return { kind: 'amount', resource, asked, had, shortBy: asked - had }
  }
  return undefined
}
