/** Karpenter's command for a set of candidates: none, a deletion, or a replacement by one cheaper machine. */
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import type { InstanceType } from '../../../shared/model/instanceType.ts'
import { type Outcome, outcomesOf } from '../../checker/outcomes.ts'
import { type PlacedClaim, placementOfOracle } from '../../checker/placement.ts'
import { firstFitOracle } from '../firstFitOracle.ts'
import type { OracleAnswer } from '../oracleAnswer.ts'
import type { Candidate } from './candidate.ts'

export type Command = {
  readonly candidates: readonly Candidate[]
  /** The pods by the staying nodes that they move to. */
  readonly targets: OracleAnswer['targets']
  readonly replacement?: Replacement
  /** The price of the candidates minus the cheapest price of the replacement. */
  readonly saving: number
}

/** A claim and the sizes that it may become, each with all its offerings. The cheapest size comes first. */
export type Replacement = { readonly claim: PlacedClaim; readonly sizes: readonly Size[] }
type Size = { readonly type: InstanceType; readonly outcomes: readonly Outcome[] }

const LEAST_SPOT_SIZES = 15

export function commandFor(snapshot: ClusterSnapshot, candidates: readonly Candidate[]): Command | undefined {
  const without = asDeleting(snapshot, candidates)
  const answer = firstFitOracle(without)
  const moved = new Set<string>(candidates.flatMap(({ pods }) => pods.map(({ key }) => key)))
  if ([...answer.unplaced.keys()].some((key) => moved.has(key)) || answer.claims.length > 1) return undefined
  const price = candidates.reduce((sum, each) => sum + each.price, 0)
  const base = { candidates, targets: answer.targets }
  const [claim] = placementOfOracle(without, answer).claims
  if (claim === undefined) return { ...base, saving: price }
  const replacement = cheaper(snapshot, claim, candidates, price)
  return replacement === undefined ? undefined : { ...base, replacement, saving: price - priceOf(cheapestOutcome(replacement)) }
}

/** The machine that the replacement becomes: the cheapest offering of the cheapest size. */
export function cheapestOutcome({ sizes: [first] }: Replacement): Outcome {
  const [least] = [...(first?.outcomes ?? [])].sort((one, other) => priceOf(one) - priceOf(other))
  if (least === undefined) throw new Error('a replacement without sizes')
  return least
}

function asDeleting(snapshot: ClusterSnapshot, candidates: readonly Candidate[]): ClusterSnapshot {
  const names = new Set<string>(candidates.map(({ claim }) => claim.name))
  const nodeClaim = snapshot.objects.nodeClaim.map((claim) =>
    names.has(claim.name) ? { ...claim, meta: { ...claim.meta, deletedAt: snapshot.takenAt } } : claim,
  )
  return { ...snapshot, objects: { ...snapshot.objects, nodeClaim } }
}

function cheaper(snapshot: ClusterSnapshot, claim: PlacedClaim, candidates: readonly Candidate[], price: number): Replacement | undefined {
  const isSpotOnly = candidates.every(({ isSpot }) => isSpot)
  const all = sizesOf(snapshot, claim)
  const spot = onlySpot(all)
  if (isSpotOnly && spot.length > 0) {
    const left = withMinValues(claim, below(spot, price))
    if (left.length === 0) return undefined
    if (candidates.length > 1) return { claim, sizes: left }
    if (left.length < LEAST_SPOT_SIZES) return undefined
    return { claim, sizes: left.slice(0, Math.max(LEAST_SPOT_SIZES, enough(claim, left))) }
  }
  const left = withMinValues(claim, below(all, price))
  if (left.length === 0) return undefined
  const toSpot = onlySpot(left)
  const isMixed = toSpot.length > 0 && left.some(({ outcomes }) => outcomes.some(({ offering }) => offering.capacityType === 'on-demand'))
  return { claim, sizes: isMixed ? toSpot : left }
}

/** Removes sizes of the candidates: replacing three machines by one of their own size is the same as deleting two. Undefined if no size is left. */
export function withoutSameSize({ replacement, ...command }: Command): Command | undefined {
  if (replacement === undefined) return command
  const names = new Set(replacement.sizes.map(({ type }): string => type.name))
  const most = Math.min(Number.POSITIVE_INFINITY, ...command.candidates.filter(({ size }) => names.has(size)).map(({ price }) => price))
  const sizes = withMinValues(replacement.claim, below(replacement.sizes, most))
  return sizes.length === 0 ? undefined : { ...command, replacement: { ...replacement, sizes } }
}

/** The available sizes, the cheapest first. */
function sizesOf(snapshot: ClusterSnapshot, { spec, labels }: PlacedClaim): readonly Size[] {
  const outcomes = outcomesOf(snapshot, spec, labels).filter(({ isForSale }) => isForSale)
  const sizes = [...Map.groupBy(outcomes, ({ type }) => type)].map(([type, own]): Size => ({ type, outcomes: own }))
  return byPrice(sizes)
}

function byPrice(sizes: readonly Size[]): readonly Size[] {
  const least = ({ outcomes }: Size): number => Math.min(...outcomes.map(priceOf))
  return [...sizes].sort((first, second) => least(first) - least(second) || (first.type.name < second.type.name ? -1 : 1))
}

function onlySpot(sizes: readonly Size[]): readonly Size[] {
  const own = sizes.map(({ type, outcomes }) => ({ type, outcomes: outcomes.filter(({ offering }) => offering.capacityType === 'spot') }))
  return byPrice(own.filter(({ outcomes }) => outcomes.length > 0))
}

function below(sizes: readonly Size[], price: number): readonly Size[] {
  return sizes.filter((size) => worstPrice(size) < price)
}

/** The highest price among the offerings of the capacity type that a launch prefers. */
function worstPrice({ outcomes }: Size): number {
  for (const capacityType of ['reserved', 'spot', 'on-demand']) {
    const own = outcomes.filter(({ offering }) => offering.capacityType === capacityType)
    if (own.length > 0) return Math.max(...own.map(priceOf))
  }
  return Number.POSITIVE_INFINITY
}

function priceOf({ offering: { price } }: Outcome): number {
  return price ?? Number.POSITIVE_INFINITY
}

/** The sizes, or none if they do not meet minValues of the pool. */
function withMinValues(claim: PlacedClaim, sizes: readonly Size[]): readonly Size[] {
  return enough(claim, sizes) > sizes.length ? [] : sizes
}

/** The number of first sizes that meet minValues. Infinity if even all of them do not. */
function enough({ spec }: PlacedClaim, sizes: readonly Size[]): number {
  const asked = spec.requirements.flatMap(({ key, minValues }) => (minValues === undefined ? [] : [{ key, minValues }]))
  for (let count = 0; count <= sizes.length; count++) {
    const types = sizes.slice(0, count).map(({ type }) => type)
    const isMet = asked.every(({ key, minValues }) => valuesOf(key, types).size >= minValues)
    if (isMet) return count
  }
  return Number.POSITIVE_INFINITY
}

function valuesOf(key: string, types: readonly InstanceType[]): ReadonlySet<string> {
  return new Set(types.flatMap((type) => type.requirements.filter((each) => each.key === key).flatMap(({ values }) => values)))
}
