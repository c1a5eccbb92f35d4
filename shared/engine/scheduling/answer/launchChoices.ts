import { defined } from '../../../base/defined.ts'
import { inOrder } from '../../../base/order.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import type { Offering } from '../../../model/instanceType.ts'
import type { LaunchChoice } from '../../../model/launchPlan.ts'
import { byWorth } from '../../offering/usableOfferings.ts'
import { zoneTurn } from '../../offering/zoneTurn.ts'
import type { ClaimForm, Offers } from './claimForm.ts'

/** What a launch of the claim would take now, and what it would try on another size; or else on the same one. Zones of one price in the claim's own order. */
export function launchChoices(
  claim: NodeClaimName,
  { best, second }: Pick<ClaimForm, 'best' | 'second'>,
): { readonly choice?: LaunchChoice; readonly nextBest?: LaunchChoice } {
  const turnOf = zoneTurn(claim)
  const order = inOrder<Offering>(byWorth, (one, other) => turnOf(one.zone) - turnOf(other.zone))
  const choicesOf = (offers: Offers | undefined): readonly LaunchChoice[] =>
    [...(offers?.offerings ?? [])]
      .sort(order)
      .slice(0, 2)
      .flatMap(({ zone, capacityType, price }) => (offers === undefined ? [] : [defined({ size: offers.size, zone, capacityType, price })]))
  const own = choicesOf(best)
  return defined({ choice: own[0], nextBest: choicesOf(second)[0] ?? own[1] })
}
