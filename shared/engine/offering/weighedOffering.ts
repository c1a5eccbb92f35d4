import type { InstanceType, Offering } from '../../model/instanceType.ts'
import { DEMOTED_FACTOR, type DemotedSize, demotionOf } from '../../model/sizeReport.ts'
import { microUsdPerHour } from '../../model/units.ts'

/**
 * An offering at the price at which decisions weigh it. `sold`: the offering as Azure sells it, if that differs. `isDemoted`: its machines are likely to
 * fail, and it is weighed at `DEMOTED_FACTOR` times its price.
 */
export type WeighedOffering = Offering & { readonly sold?: Offering; readonly isDemoted?: true }

/**
 * What is prepaid is weighed at this share of its price, and at one micro-USD an hour at least: a machine of a reservation adds nothing to the bill. So
 * reservations are used before anything is bought, none is used for nothing, and of two that serve the smaller one comes first.
 */
const PREPAID_SHARE = 1e-4

/** `nodeCost`: what one more node costs beside its price, in micro-USD an hour. An unknown price stays unknown. */
export function weighedOffering(
  { name }: Pick<InstanceType, 'name'>,
  offering: Offering,
  demoted: readonly DemotedSize[],
  nodeCost = 0,
): WeighedOffering {
  const { price, capacityType, reservation } = offering
  const isDemoted = reservation === undefined && demoted.length > 0 && demotionOf({ size: name, capacityType }, demoted) !== undefined
  if (!isDemoted && reservation === undefined && nodeCost === 0) return offering
  const weighed = price === undefined ? undefined : microUsdPerHour(weightOf(price, isDemoted, reservation !== undefined) + nodeCost)
  return { ...offering, ...(weighed === undefined ? {} : { price: weighed }), sold: offering, ...(isDemoted && { isDemoted }) }
}

function weightOf(price: number, isDemoted: boolean, isPrepaid: boolean): number {
  if (isPrepaid) return Math.max(1, Math.ceil(price * PREPAID_SHARE))
  return isDemoted ? price * DEMOTED_FACTOR : price
}

export function asSold(offering: WeighedOffering): Offering {
  return offering.sold ?? offering
}
