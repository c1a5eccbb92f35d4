/** Narrows replacement claims to sizes that are cheaper than the machines that go, however the launch turns out. */
import { largestOf, leastOf } from '../../../base/lists.ts'
import type { CapacityType } from '../../../model/instanceType.ts'
import { LABEL } from '../../../model/labels.ts'
import { asSold } from '../../offering/weighedOffering.ts'
import { enoughOf, shortagesOf } from '../model/catalog/minValues.ts'
import { type NarrowedTemplate, offeringsOf, withSizes, withValue } from '../model/catalog/narrowedTemplate.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import { type Bin, survivorsOf } from '../model/nodes/bin.ts'

/** The order in which a launch takes capacity types. */
const LAUNCH_ORDER: readonly CapacityType[] = ['reserved', 'spot', 'on-demand']

/** The least number of sizes for a spot machine that replaces one machine. With fewer, each launch would be followed by a cheaper one. */
export const LEAST_SPOT_SIZES = 15

export type PriceRule = {
  /** Micro-USD an hour. The claim must cost less. */
  readonly below: number
  /** True if all machines that go are spot. */
  readonly isSpotOnly: boolean
  /** True if one machine goes. */
  readonly isSingle: boolean
  /** The sizes of the machines that go, with the price of the cheapest machine of each size. Undefined if sizes do not count. */
  readonly sizesLeaving?: ReadonlyMap<string, number>
}

export type Narrowed =
  | { readonly kind: 'narrowed' }
  | { readonly kind: 'dear' }
  | { readonly kind: 'minValues' }
  | { readonly kind: 'spot'; readonly sizes: number }

/** Leaves the claim the sizes that keep the rule. Any result but `narrowed` says why there are none or too few. The claim is unchanged then. */
export function narrowByPrice(bin: Bin, rule: PriceRule): Narrowed {
  const before = bin.narrowedTemplate
  const refused = narrow(bin, rule)
  if (refused === undefined) return { kind: 'narrowed' }
  bin.narrowedTemplate = before
  bin.cursor = 0
  return refused
}

function narrow(bin: Bin, rule: PriceRule): Narrowed | undefined {
  const toSpot = rule.isSpotOnly ? pinned(bin.narrowedTemplate, 'spot') : undefined
  bin.narrowedTemplate = toSpot ?? bin.narrowedTemplate
  const isBelow = (price: number) => (size: InstanceTypeOption) => worstPrice(bin.narrowedTemplate, size) < price
  const affordable = survivorsOf(bin).filter(isBelow(rule.below))
  const cheaper = affordable.filter(isBelow(belowWith(affordable, rule)))
  if (cheaper.length === 0) return { kind: 'dear' }
  if (isShort(bin, cheaper)) return { kind: 'minValues' }
  if (toSpot !== undefined && rule.isSingle) return keepForSpot(bin, cheaper)
  keepSizes(bin, cheaper)
  // A launch that gets no spot machine must not buy a more expensive on-demand machine.
  if (toSpot === undefined && hasBoth(bin.narrowedTemplate))
    bin.narrowedTemplate = pinned(bin.narrowedTemplate, 'spot') ?? bin.narrowedTemplate
  return isShort(bin, bin.narrowedTemplate.order) ? { kind: 'minValues' } : undefined
}

function isShort({ minimums, narrowedTemplate }: Bin, sizes: readonly InstanceTypeOption[]): boolean {
  return shortagesOf(minimums, narrowedTemplate, sizes).length > 0
}

/** Keeps the cheapest sizes only. The launched machine is one of them, and so has no fifteen cheaper sizes that could replace it. */
function keepForSpot(bin: Bin, cheaper: readonly InstanceTypeOption[]): Narrowed | undefined {
  const names = new Set(cheaper.map(({ type }) => type.name)).size
  if (names < LEAST_SPOT_SIZES) return { kind: 'spot', sizes: names }
  keepSizes(bin, cheaper.slice(0, Math.max(LEAST_SPOT_SIZES, enoughOf(bin.minimums, bin.narrowedTemplate, cheaper)?.length ?? 0)))
  return undefined
}

/** Machines of one size must not be replaced by fewer and more expensive machines of the same size. Taking some of them away does the same. */
function belowWith(affordable: readonly InstanceTypeOption[], { below, sizesLeaving }: PriceRule): number {
  if (sizesLeaving === undefined) return below
  const same = affordable.flatMap(({ type }) => sizesLeaving.get(type.name) ?? [])
  return leastOf(same, below)
}

function keepSizes(bin: Bin, sizes: readonly InstanceTypeOption[]): void {
  bin.narrowedTemplate = withSizes(bin.narrowedTemplate, sizes)
  bin.cursor = 0
}

function pinned(narrowedTemplate: NarrowedTemplate, capacityType: CapacityType): NarrowedTemplate | undefined {
  return withValue(narrowedTemplate, LABEL.capacityType, capacityType)
}

function hasBoth(narrowedTemplate: NarrowedTemplate): boolean {
  const types = new Set(
    narrowedTemplate.order.flatMap((size) => offeringsOf(narrowedTemplate, size).map(({ capacityType }) => capacityType)),
  )
  return types.has('spot') && types.has('on-demand')
}

/**
 * The most that a launch of the size can cost: the price in the most expensive zone of the capacity type that it takes first. Infinite if it is demoted:
 * no machine is replaced to save money by one that is likely to fail.
 */
function worstPrice(narrowedTemplate: NarrowedTemplate, size: InstanceTypeOption): number {
  const offerings = offeringsOf(narrowedTemplate, size)
  for (const capacityType of LAUNCH_ORDER) {
    const own = offerings.filter((each) => each.capacityType === capacityType)
    if (own.some(({ isDemoted }) => isDemoted)) return Number.POSITIVE_INFINITY
    // A reservation counts with its list price, as the machines that leave it do.
    const prices = own.map((each) => (each.reservation === undefined ? each : asSold(each)).price ?? Number.POSITIVE_INFINITY)
    if (prices.length > 0) return largestOf(prices)
  }
  return Number.POSITIVE_INFINITY
}
