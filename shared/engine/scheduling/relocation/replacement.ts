/** What may come in the place of machines that go: claims that are cheaper however their launch turns out. */
import { largestOf, leastOf } from '../../../base/lists.ts'
import type { CapacityType } from '../../../model/instanceType.ts'
import { LABEL } from '../../../model/labels.ts'
import { enoughOf, shortagesOf } from '../model/catalog/minValues.ts'
import { type NarrowedTemplate, offeringsOf, withSizes, withValue } from '../model/catalog/narrowedTemplate.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import { type Bin, survivorsOf } from '../model/nodes/bin.ts'

/** The order in which a launch takes capacity types. */
const LAUNCH_ORDER: readonly CapacityType[] = ['reserved', 'spot', 'on-demand']

/** From so many sizes a spot machine is launched that takes the place of one: otherwise each launch would be followed by a cheaper one. */
export const LEAST_SPOT_SIZES = 15

export type PriceRule = {
  /** Micro dollars an hour that all of it must stay below. */
  readonly below: number
  /** All that goes is spot. */
  readonly isSpotOnly: boolean
  /** One machine goes. */
  readonly isSingle: boolean
  /** Sizes of the machines that go, with what the cheapest of each size costs. Undefined: they do not count. */
  readonly sizesLeaving?: ReadonlyMap<string, number>
}

export type Narrowed =
  | { readonly kind: 'narrowed' }
  | { readonly kind: 'dear' }
  | { readonly kind: 'minValues' }
  | { readonly kind: 'spot'; readonly sizes: number }

/** Leaves the claim the sizes that keep the rule. Anything but `narrowed`: none, or too few; the claim is as it was then. */
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
  if (shortagesOf(bin.minimums, cheaper).length > 0) return { kind: 'minValues' }
  if (toSpot !== undefined && rule.isSingle) return keepForSpot(bin, cheaper)
  keepSizes(bin, cheaper)
  // A launch that gets no spot machine must not buy a dearer one on demand.
  if (toSpot === undefined && hasBoth(bin.narrowedTemplate))
    bin.narrowedTemplate = pinned(bin.narrowedTemplate, 'spot') ?? bin.narrowedTemplate
  return undefined
}

/** The cheapest sizes alone: what is launched is one of them, and has no fifteen below it to be replaced by. */
function keepForSpot(bin: Bin, cheaper: readonly InstanceTypeOption[]): Narrowed | undefined {
  const names = new Set(cheaper.map(({ type }) => type.name)).size
  if (names < LEAST_SPOT_SIZES) return { kind: 'spot', sizes: names }
  keepSizes(bin, cheaper.slice(0, Math.max(LEAST_SPOT_SIZES, enoughOf(bin.minimums, cheaper)?.length ?? 0)))
  return undefined
}

/** Machines of one size must not become fewer of the same size that are dearer: that is to take away some of them. */
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

/** The most that a launch of the size can come to cost: the dearest zone of the capacity type that it takes first. */
function worstPrice(narrowedTemplate: NarrowedTemplate, size: InstanceTypeOption): number {
  const offerings = offeringsOf(narrowedTemplate, size)
  for (const capacityType of LAUNCH_ORDER) {
    const own = offerings.filter((each) => each.capacityType === capacityType)
    if (own.length > 0) return largestOf(own.map(({ price = Number.POSITIVE_INFINITY }) => price))
  }
  return Number.POSITIVE_INFINITY
}
