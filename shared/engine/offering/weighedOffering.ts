import type { InstanceType, Offering } from '../../model/instanceType.ts'
import { DEMOTED_FACTOR, type DemotedSize, demotionOf } from '../../model/sizeReport.ts'
import { microUsdPerHour } from '../../model/units.ts'

/** An offering at the price at which decisions weigh it. `sold`: the offering as Azure sells it, if that differs. */
export type WeighedOffering = Offering & { readonly sold?: Offering }

/** An unknown price stays unknown. */
export function weighedOffering(
  { name }: Pick<InstanceType, 'name'>,
  offering: Offering,
  demoted: readonly DemotedSize[],
): WeighedOffering {
  const { price, capacityType } = offering
  if (demoted.length === 0 || demotionOf({ size: name, capacityType }, demoted) === undefined) return offering
  return { ...offering, ...(price === undefined ? {} : { price: microUsdPerHour(price * DEMOTED_FACTOR) }), sold: offering }
}

export function asSold(offering: WeighedOffering): Offering {
  return offering.sold ?? offering
}
