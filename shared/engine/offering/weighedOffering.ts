import type { InstanceType, Offering } from '../../model/instanceType.ts'
import { DEMOTED_FACTOR, type DemotedSize, demotionOf } from '../../model/sizeReport.ts'
import { microUsdPerHour } from '../../model/units.ts'

/** An offering at the price at which decisions weigh it. `sold`: the offering as Azure sells it, if that differs. */
export type WeighedOffering = Offering & { readonly sold?: Offering }

/**
 * What is prepaid is weighed at this share of its price, and at one micro-USD an hour at least: a machine of a reservation adds nothing to the bill. So
 * reservations are used before anything is bought, none is used for nothing, and of two that serve the smaller one comes first.
 */
const PREPAID_SHARE = 1e-4

/** An unknown price stays unknown. */
export function weighedOffering(
  { name }: Pick<InstanceType, 'name'>,
  offering: Offering,
  demoted: readonly DemotedSize[],
): WeighedOffering {
  const { price, capacityType, reservation } = offering
  if (price === undefined) return offering
  if (reservation !== undefined)
    return { ...offering, price: microUsdPerHour(Math.max(1, Math.ceil(price * PREPAID_SHARE))), sold: offering }
  if (demoted.length === 0 || demotionOf({ size: name, capacityType }, demoted) === undefined) return offering
  return { ...offering, price: microUsdPerHour(price * DEMOTED_FACTOR), sold: offering }
}

export function asSold(offering: WeighedOffering): Offering {
  return offering.sold ?? offering
}
