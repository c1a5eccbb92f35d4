/** Narrows replacement claims to sizes that are cheaper than the machines that go, however the launch turns out. */
import { largestOf, leastOf } from '../../../base/lists.ts'
import type { CreateClaim } from '../../../model/decision.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import type { CapacityType } from '../../../model/instanceType.ts'
import { LABEL } from '../../../model/labels.ts'
import { type Pod, refOf } from '../../../model/pod.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { asSold } from '../../offering/usableOfferings.ts'
import type { Plan } from '../candidates/plan.ts'
import { claimForms, claimNames, draftClaim } from '../decision/claimForm.ts'
import { type NarrowedTemplate, offeringsOf, withSizes, withValue } from '../model/catalog/narrowedTemplate.ts'
import { enoughOf, shortagesOf } from '../model/catalog/sizePrices.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import { type Bin, survivorsOf } from '../model/nodes/bin.ts'
import type { PodClass, QueueEntry } from '../model/pods/constraint.ts'
import { bySize } from '../model/pods/podReplicas.ts'
import { isOfPods, type LeavingPods, type RoomOf } from './placedPods.ts'
import type { RelocationProblem } from './relocationProblem.ts'

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

/**
 * Returns a function that makes the claims of a try as they would be created, with names from the number `first` on. Undefined if strict `minValues`
 * leave one of them without sizes.
 */
export function claimMaker({ problem: { context, isTaken } }: RelocationProblem) {
  const nameOf = sameNames(claimNames(context, isTaken))
  const formOf = claimForms(context)
  return (plan: Plan, moving: readonly LeavingPods[], first: number): readonly CreateClaim[] | undefined => {
    const drafted = plan.bins.map((bin, at) => {
      const pods = podsIn(bin, plan, moving.filter(isOfPods)).map(refOf)
      return draftClaim(bin, formOf(bin), nameOf(bin.narrowedTemplate.template.pool.name, first + at), { pods, buffers: [] }, context)
    })
    const claims = drafted.flatMap((each) => ('action' in each ? [each.action] : []))
    return claims.length === drafted.length ? claims : undefined
  }
}

/** Remembers names, so that a try that is undone and made again has the same names. */
function sameNames(nameOf: ReturnType<typeof claimNames>): ReturnType<typeof claimNames> {
  const known = new Map<string, NodeClaimName>()
  return (pool, index) => {
    const name = known.get(`${index} ${pool}`) ?? nameOf(pool, index)
    known.set(`${index} ${pool}`, name)
    return name
  }
}

/** The pods in the bin. Pods of a class take the places of their class in the order in which these were found. */
function podsIn(bin: Bin, { log }: Plan, moving: readonly LeavingPods[]): readonly Pod[] {
  const pods = Map.groupBy(moving, ({ podClass }) => podClass)
  const next = new Map<PodClass, number>()
  const found: Pod[] = []
  for (const { host, podClass, count } of log) {
    const from = next.get(podClass) ?? 0
    next.set(podClass, from + count)
    if (host !== bin) continue
    const own = (pods.get(podClass) ?? []).flatMap(({ share }) => share.pods)
    for (const pod of own.slice(from, from + count)) found.push(pod)
  }
  return found
}

/** What leaves with machines: pods, and room of buffers. `queue`: each class once, the largest pods first. */
export type Departing = {
  readonly moving: readonly LeavingPods[]
  readonly queue: readonly QueueEntry[]
  /** True if all of the machines are existing nodes of the problem, and some machine could take each of their pods. */
  readonly isWhole: boolean
}

/** Returns a function that finds what leaves with machines. The answer for a single machine is remembered. */
export function departingFrom(
  { existingNodeOf, classOf, sharesOf }: RelocationProblem,
  roomOf: RoomOf,
): (machines: readonly StateNode[]) => Departing {
  const known = new Map<StateNode, Departing>()
  const look = (machines: readonly StateNode[]): Departing => {
    const shares = machines.flatMap(sharesOf)
    const pods = machines.flatMap((machine) =>
      sharesOf(machine).flatMap((share): readonly LeavingPods[] => {
        const podClass = classOf(share.likeness)
        return podClass === undefined ? [] : [{ podClass, share, host: existingNodeOf(machine) }]
      }),
    )
    const moving = [...pods, ...machines.flatMap(roomOf)]
    const arePlaces = machines.every((machine) => existingNodeOf(machine) !== undefined)
    return { moving, queue: queueOf(moving), isWhole: arePlaces && pods.length === shares.length }
  }
  return (machines) => {
    const [machine, ...others] = machines
    if (machine === undefined || others.length > 0) return look(machines)
    const departing = known.get(machine) ?? look(machines)
    known.set(machine, departing)
    return departing
  }
}

/** Each class once, the largest pods first. */
function queueOf(moving: readonly LeavingPods[]): readonly QueueEntry[] {
  const counts = new Map<PodClass, number>()
  for (const { podClass, share } of moving) counts.set(podClass, (counts.get(podClass) ?? 0) + share.pods.length)
  return [...counts].map(([podClass, count]) => ({ podClass, count })).sort((first, second) => bySize(first.podClass, second.podClass))
}
