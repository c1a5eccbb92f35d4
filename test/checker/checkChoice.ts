import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { CreateClaim } from '../../shared/model/decision.ts'
import { outcomesOf } from './outcomes.ts'
import { type Violation, violation } from './violation.ts'

/** Checks that the first choice of a claim is the cheapest machine that the claim may become. Demoted sizes come after all others. */
export function checkChoice(snapshot: ClusterSnapshot, { draft, choice }: CreateClaim): readonly Violation[] {
  const says = (message: string): Violation => violation('choice', `claim ${draft.name}`, message)
  const sold = outcomesOf(snapshot, draft.spec, draft.labels).filter((each) => each.isForSale)
  const chosen = sold.find(
    ({ type, offering }) => type.name === choice.size && offering.zone === choice.zone && offering.capacityType === choice.capacityType,
  )
  if (chosen === undefined) return [says('its choice is not for sale')]
  const demoted = snapshot.demoted ?? []
  const isDemoted = ({ type, offering }: (typeof sold)[number]): boolean =>
    demoted.some(({ size, capacityType }) => size === type.name && [undefined, offering.capacityType].includes(capacityType))
  const others = sold.filter((each) => !isDemoted(each))
  if (isDemoted(chosen) && others.some(({ offering }) => offering.price !== undefined)) return [says('its choice is a demoted size')]
  const prices = (others.length > 0 ? others : sold).map(({ offering }) => offering.price).filter((price) => price !== undefined)
  const isDearer = prices.length > 0 && (choice.price === undefined || Math.min(...prices) < choice.price)
  return [
    ...(chosen.offering.price === choice.price ? [] : [says('its choice has another price')]),
    ...(isDearer ? [says('its choice is not the cheapest')] : []),
  ]
}
