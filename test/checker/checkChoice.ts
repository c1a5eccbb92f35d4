import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { CreateClaim } from '../../shared/model/decision.ts'
import { DEMOTED_FACTOR } from '../../shared/model/sizeReport.ts'
import { outcomesOf } from './outcomes.ts'
import { type Violation, violation } from './violation.ts'

/**
 * Checks that the first choice of a claim is the cheapest machine that the claim may become. Demoted sizes count at a multiple of their price, and
 * what a reservation pays for at a ten-thousandth, in whole micro-USD.
 */
export function checkChoice(snapshot: ClusterSnapshot, { draft, choice }: CreateClaim): readonly Violation[] {
  const says = (message: string): Violation => violation('choice', `claim ${draft.name}`, message)
  const sold = outcomesOf(snapshot, draft.spec, draft.labels).filter((each) => each.isForSale)
  const chosen = sold.find(
    ({ type, offering }) => type.name === choice.size && offering.zone === choice.zone && offering.capacityType === choice.capacityType,
  )
  if (chosen === undefined) return [says('its choice is not for sale')]
  const demoted = snapshot.demoted ?? []
  const weighed = ({ type, offering: { capacityType, price } }: (typeof sold)[number]): number => {
    if (capacityType === 'reserved' && price !== undefined) return Math.max(1, Math.ceil(price / 10_000))
    const isDemoted = demoted.some((each) => each.size === type.name && [undefined, capacityType].includes(each.capacityType))
    return (price ?? Number.POSITIVE_INFINITY) * (isDemoted ? DEMOTED_FACTOR : 1)
  }
  const isDearer = Math.min(...sold.map(weighed)) < weighed(chosen)
  return [
    ...(chosen.offering.price === choice.price ? [] : [says('its choice has another price')]),
    ...(chosen.offering.diskPrice === choice.diskPrice ? [] : [says('its choice has another price of the disk')]),
    ...(isDearer ? [says('its choice is not the cheapest')] : []),
  ]
}
