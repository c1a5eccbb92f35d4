/** The sizes and offerings of a NodeClass as sets of numbers. What a requirement leaves of them is worked out once. */
import { byText, type Order } from '../../../../base/lists.ts'
import { type ClaimAsk, claimAskOf, isInForce } from '../../../../model/claimRefusal.ts'
import { type DecisionContext } from '../../../../model/clusterSnapshot.ts'
import type { InstanceType, Offering, QuotaShortage } from '../../../../model/instanceType.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../../../model/labels.ts'
import type { NodePool } from '../../../../model/nodePool.ts'
import type { Pod } from '../../../../model/pod.ts'
import { meets } from '../../../../model/requirementConflict.ts'
import type { Requirement, Requirements } from '../../../../model/requirements.ts'
import type { DemotedSize } from '../../../../model/sizeReport.ts'
import type { UnavailableOffering } from '../../../../model/unavailableOffering.ts'
import { durationMs, type EpochMs, later } from '../../../../model/units.ts'
import { byAmounts } from '../../../offering/shortSizes.ts'
import { blockOf, byPreference, usableOfferings, type WeighedOffering, weighedOffering } from '../../../offering/usableOfferings.ts'
import type { PoolRefusal } from '../pods/constraint.ts'
import { type Bits, bitsOf } from '../quantities/amounts.ts'

export type Catalog = {
  /** Sorted by name. The position of a type is its number in type sets. A type is listed once for each set of amounts that its offerings bring. */
  readonly types: readonly CatalogType[]
  /** The offerings that can be bought now, preferred first. The position of an offering is its number in offering sets. */
  readonly offerings: readonly CatalogOffering[]
  /** The positions of each type's offerings, preferred first, indexed by the position of the type. */
  readonly offeringsOf: readonly (readonly number[])[]
  /** Counts the narrowed templates that were made of this catalog. It is changed in place. */
  readonly made: Made
  /** Why Azure is not asked for the offering now: a recent refusal, or the quota. Undefined if the offering can be asked for. */
  refusalOf(type: InstanceType, offering: Offering): UnavailableOffering | QuotaShortage | undefined
  /** Types that can meet the requirement: they share a value with it, or do not define the label. */
  typesFor(requirement: Requirement): Bits
  /** Offerings that can meet the requirement, by the same rule. */
  offeringsFor(requirement: Requirement): Bits
  /** Offerings whose labels are all known: each has a requirement here, or may be undefined. */
  offeringsDefinedBy(requirements: Requirements): Bits
  /** The offerings that can be bought now or soon, by their labels. */
  kinds(): readonly OfferingKind[]
}

export type Made = { narrowedTemplates: number }

export type CatalogType = { readonly index: number; readonly type: InstanceType; readonly requirements: Requirements }
export type CatalogOffering = { readonly type: number; readonly offering: WeighedOffering; readonly requirements: Requirements }

type Sale = {
  readonly unavailable: readonly UnavailableOffering[]
  readonly demoted?: readonly DemotedSize[]
  readonly takenAt: EpochMs
  /** What one more node costs beside its price, in micro-USD an hour. */
  readonly nodeCost?: number | undefined
}

/** What can be bought now, at the prices at which decisions weigh it. */
export function catalogOf(
  instanceTypes: readonly InstanceType[],
  { unavailable, demoted = [], takenAt: now, nodeCost }: Sale,
  made: Made,
): Catalog {
  const types = instanceTypes
    .flatMap(byAmounts)
    .sort((first, second) => byText(first.name, second.name))
    .map((type, index) => ({ index, type, requirements: byLabel(type.requirements) }))
  const labelsOfOffering = sharedByLabel()
  const offerings = types
    .flatMap(({ type, index }) =>
      usableOfferings(type, unavailable, now).map((offering) => ({
        type: index,
        offering: weighedOffering(type, offering, demoted, nodeCost),
        requirements: labelsOfOffering(offering.requirements),
      })),
    )
    .sort(byOffering)
  const offeringsOf = types.map((): number[] => [])
  for (const [index, { type }] of offerings.entries()) offeringsOf[type]?.push(index)
  const typeSets = new Map<string, Bits>()
  const offeringSets = new Map<string, Bits>()
  let kinds: readonly OfferingKind[] | undefined
  return {
    types,
    offerings,
    offeringsOf,
    made,
    refusalOf: (type, offering) => blockOf(type, offering, unavailable, now) ?? offering.shortOf,
    typesFor: (requirement) => memo(typeSets, requirement, () => setFor(types, requirement)),
    offeringsFor: (requirement) => memo(offeringSets, requirement, () => setFor(offerings, requirement)),
    offeringsDefinedBy: (requirements) =>
      bitsOf(offerings.length, (index) =>
        [...(offerings[index]?.requirements.keys() ?? [])].every((key) => UNDEFINED_ALLOWED_LABELS.has(key) || requirements.has(key)),
      ),
    kinds: () => {
      kinds ??= offeringKinds(types, unavailable, now, labelsOfOffering)
      return kinds
    },
  }
}

/** In the order of a launch. Equal offerings go by the name of their type. */
const byOffering: Order<CatalogOffering> = (first, second) => byPreference(first.offering, second.offering) || first.type - second.type

function byLabel(list: readonly Requirement[]): Requirements {
  return new Map(list.map((each) => [each.key, each]))
}

/** Sets of labels that are compared before their text is made: most offerings have one of a few sets. */
const RECENT_SETS = 16

/** Returns one shared map for equal sets of labels: thousands of offerings have only a few different sets. */
function sharedByLabel(): (list: readonly Requirement[]) => Requirements {
  const known = new Map<string, Requirements>()
  const recent: { readonly list: readonly Requirement[]; readonly shared: Requirements }[] = []
  return (list) => {
    for (const each of recent) if (isSameSet(each.list, list)) return each.shared
    let text = ''
    for (const { key, complement, values } of list) text += ` ${key}${complement ? '!' : '='}${values.join()}`
    const shared = known.get(text) ?? byLabel(list)
    known.set(text, shared)
    if (recent.length < RECENT_SETS) recent.push({ list, shared })
    return shared
  }
}

/** Reports whether the sets have the same labels in the same order, each with one equal value. */
function isSameSet(one: readonly Requirement[], other: readonly Requirement[]): boolean {
  if (one.length !== other.length) return false
  for (let at = one.length - 1; at >= 0; at--) if (!isSameValue(one[at], other[at])) return false
  return true
}

function isSameValue(one: Requirement | undefined, other: Requirement | undefined): boolean {
  if (one === other) return true
  if (one?.values.length !== 1 || other?.values.length !== 1) return false
  return one.values[0] === other.values[0] && one.key === other.key && one.complement === other.complement
}

function setFor(members: readonly { readonly requirements: Requirements }[], requirement: Requirement): Bits {
  const answers = new Map<Requirements, boolean>()
  return bitsOf(members.length, (index) => {
    const requirements = members[index]?.requirements
    if (requirements === undefined) return true
    const known = answers.get(requirements)
    if (known !== undefined) return known
    const own = requirements.get(requirement.key)
    const answer = own === undefined || meets(own, requirement)
    answers.set(requirements, answer)
    return answer
  })
}

function memo(sets: Map<string, Bits>, requirement: Requirement, make: () => Bits): Bits {
  const { key, complement, values, gte, lte, mustExist } = requirement
  const text = JSON.stringify([key, complement, values, gte, lte, mustExist])
  const known = sets.get(text)
  if (known !== undefined) return known
  const made = make()
  sets.set(text, made)
  return made
}

/** Found while a decision is made, for this decision only. */
export type ForeseenRefusal = PoolRefusal & { readonly ask: ClaimAsk }

/** The NodePools that make no claim for a pod, since the API server refused such a claim lately, or would refuse it. */
export function claimRefusals(
  { claimRefusals: refusals = [], takenAt }: Pick<DecisionContext, 'claimRefusals' | 'takenAt'>,
  pools: readonly NodePool[],
  foreseen: readonly ForeseenRefusal[] = [],
): (pod: Pod) => readonly PoolRefusal[] {
  if (refusals.length + foreseen.length === 0) return () => NONE
  const byName = new Map(pools.map((pool) => [pool.name, pool]))
  const byAsk = new Map<ClaimAsk, PoolRefusal[]>()
  const add = (ask: ClaimAsk, refusal: PoolRefusal): void => void byAsk.set(ask, [...(byAsk.get(ask) ?? []), refusal])
  for (const { ask, ...refusal } of foreseen) add(ask, refusal)
  for (const refusal of refusals) {
    const { nodePool, ask, message, until } = refusal
    const pool = byName.get(nodePool)
    if (pool === undefined || !isInForce(refusal, pool, takenAt)) continue
    add(ask, {
      pool: nodePool,
      code: 'SCHEDULING.CLAIM_REFUSED',
      message: `the API server refused a nodeclaim for such pods: ${message}`,
      until,
    })
  }
  return byAsk.size === 0 ? () => NONE : (pod) => byAsk.get(claimAskOf(pod)) ?? NONE
}

const NONE: readonly PoolRefusal[] = []

/** The offerings with these labels. */
type OfferingKind = {
  readonly requirements: Requirements
  /** The types that are sold so. */
  readonly types: Bits
}

/**
 * Pods wait this long for a zone without a node that Azure refuses now. kube-scheduler knows only zones of nodes, and would bind the pods in other
 * zones, where they would stay. So a refusal that passes soon must not change where they go. A refusal that lasts longer must not keep them waiting.
 */
const SOON = durationMs(10 * 60_000)

/** The refusals that last. */
export function lastingRefusals(unavailable: readonly UnavailableOffering[], now: EpochMs): readonly UnavailableOffering[] {
  const soon = later(now, SOON)
  return unavailable.filter((each) => each.until > soon)
}

/**
 * The offerings that can be bought now or soon, in a form that is quick to search: thousands of offerings have a few different sets of labels. Not
 * those that are not sold, that have no quota, or whose refusal lasts.
 */
function offeringKinds(
  types: readonly { readonly index: number; readonly type: InstanceType }[],
  unavailable: readonly UnavailableOffering[],
  now: EpochMs,
  shared: (list: readonly Requirement[]) => Requirements,
): readonly OfferingKind[] {
  const lasting = lastingRefusals(unavailable, now)
  const sold = new Map<Requirements, Set<number>>()
  for (const { type, index } of types) {
    for (const { requirements } of usableOfferings(type, lasting, now)) {
      const labels = shared(requirements)
      const members = sold.get(labels) ?? new Set<number>()
      sold.set(labels, members)
      members.add(index)
    }
  }
  return [...sold].map(([requirements, members]) => ({ requirements, types: bitsOf(types.length, (index) => members.has(index)) }))
}
