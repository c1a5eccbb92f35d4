/**
 * Learns from nodes that have less room than the catalog promises. A pod that needs the missing room would otherwise get one new node after another:
 * each comes up, does not take the pod, and is removed as empty.
 */
import { canonicalJson } from '../../base/json.ts'
import { byText, inOrder, largestOf, leastOf } from '../../base/lists.ts'
import { stableNumber } from '../../base/stableHash.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { isTrue } from '../../model/condition.ts'
import { nodeClassHash, nodeClassStateHash } from '../../model/driftHash.ts'
import type { NodeClassName } from '../../model/ids.ts'
import { allocatableOfType, type InstanceType, type Offering } from '../../model/instanceType.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import { DRIFTED, type NodeClaim } from '../../model/nodeClaim.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import { timesRefused } from '../../model/refusalGrowth.ts'
import { add, amountOf, type Resources } from '../../model/resources.ts'
import type { ShortSize } from '../../model/sizeReport.ts'
import { formatTimestamp } from '../../model/time.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import { typeNamed } from './usableOfferings.ts'

const KIB = 1024
/**
 * The resources of which nodes may have less. Kubelets round amounts, so that a difference up to `rounding` is none. Other differences are rounded up
 * in steps: nodes of one size differ a little, and a change of a size makes the plans of all its pools anew.
 */
const STEPS: readonly { readonly resource: string; readonly step: number; readonly rounding: number }[] = [
  { resource: 'cpu', step: 10, rounding: 0 },
  { resource: 'memory', step: 16 * KIB ** 2, rounding: 64 * KIB },
  { resource: 'ephemeral-storage', step: KIB ** 3, rounding: 64 * KIB },
]

/** Older nodes teach nothing: what was learned from them is remembered. Longer than any node takes to come up. Most claims of a cluster are older. */
const YOUNG = durationMs(3_600_000)

type Sources = {
  readonly takenAt: EpochMs
  readonly claims: readonly NodeClaim[]
  readonly nodeOf: (claim: NodeClaim) => Node | undefined
  readonly classes: readonly NodeClass[]
  readonly instanceTypes: ClusterSnapshot['instanceTypes']
}

/** What is known of the classes now. */
type Current = ReadonlyMap<NodeClassName, { readonly hash: string; readonly madeFrom: string }>

/** The sizes whose newest node is short. What is known of a size counts until a newer node says otherwise, or its class changes. */
export function shortSizes(known: readonly ShortSize[], sources: Sources): readonly ShortSize[] {
  const { classes } = sources
  const current: Current = new Map(
    classes.map((each) => [each.name, { hash: nodeClassHash(each), madeFrom: nodeClassStateHash(each) }] as const),
  )
  const newest = new Map<string, ShortSize>()
  const valid = known.filter(({ nodeClass, madeFrom }) => current.get(nodeClass)?.madeFrom === madeFrom)
  for (const each of [...valid, ...seenNow(current, sources)]) {
    const before = newest.get(idOf(each.nodeClass, each.size))
    if (before === undefined || before.createdAt <= each.createdAt) newest.set(idOf(each.nodeClass, each.size), each)
  }
  return [...newest.values()].filter(({ short }) => Object.keys(short).length > 0).sort(byName)
}

/** What the newest node of each size lacks, also where it lacks nothing. */
function seenNow(current: Current, sources: Sources): readonly ShortSize[] {
  return newestClaims(current, sources).flatMap(([nodeClass, size, claim]): readonly ShortSize[] => {
    const type = typeNamed(sources.instanceTypes.get(nodeClass), size)
    const node = sources.nodeOf(claim)
    const { madeFrom } = current.get(nodeClass) ?? {}
    if (type === undefined || node === undefined || madeFrom === undefined) return []
    return [{ nodeClass, size: type.name, madeFrom, short: shortOf(type, node.allocatable), createdAt: claim.meta.createdAt }]
  })
}

type Newest = readonly [nodeClass: NodeClassName, size: string, claim: NodeClaim]

/** The newest claim of each class and size that tells of new nodes. */
function newestClaims(current: Current, { claims, nodeOf, takenAt }: Sources): readonly Newest[] {
  const newest = new Map([...current.keys()].map((name) => [name, new Map<string, NodeClaim>()] as const))
  for (const claim of claims) {
    if (later(claim.meta.createdAt, YOUNG) < takenAt) continue
    const ofClass = newest.get(claim.spec.nodeClassRef.name)
    const size = claim.meta.labels[LABEL.instanceType]
    if (ofClass === undefined || size === undefined) continue
    const before = ofClass.get(size)
    if (before !== undefined && before.meta.createdAt >= claim.meta.createdAt) continue
    if (isOfNow(claim, current) && hasReported(nodeOf(claim))) ofClass.set(size, claim)
  }
  return [...newest].flatMap(([nodeClass, bySize]) => [...bySize].map(([size, claim]): Newest => [nodeClass, size, claim]))
}

/** Reports whether the node of the claim tells of new nodes: it is made from what its class says now. */
function isOfNow({ spec, meta, status }: NodeClaim, current: Current): boolean {
  const { hash } = current.get(spec.nodeClassRef.name) ?? {}
  return hash !== undefined && meta.annotations[ANNOTATION.nodeClassHash] === hash && !isTrue(status.conditions, DRIFTED)
}

const byName = inOrder<ShortSize>(
  (first, second) => byText(first.nodeClass, second.nodeClass),
  (first, second) => byText(first.size, second.size),
)

function idOf(nodeClass: NodeClassName, size: string): string {
  return `${nodeClass} ${size}`
}

/** A kubelet that starts has not reported all resources yet. */
function hasReported(node: Node | undefined): boolean {
  const { allocatable = {} } = node ?? {}
  return STEPS.every(({ resource }) => amountOf(allocatable, resource) > 0)
}

/** What the node lacks, rounded up. Empty if it has all that its size promises. */
function shortOf(type: InstanceType, allocatable: Resources): Resources {
  const promises = allocatableOfType(type)
  const lacking = STEPS.flatMap(({ resource, step, rounding }) => {
    const promised = amountOf(promises, resource)
    const lacks = promised - amountOf(allocatable, resource)
    return lacks > rounding && promised > 0 ? [[resource, Math.ceil(lacks / step) * step] as const] : []
  })
  return Object.fromEntries(lacking)
}

/** The sizes with what they lack added to their overhead. The same list where no size of the class is short. */
export function withShortSizes(
  instanceTypes: ClusterSnapshot['instanceTypes'],
  shorts: readonly ShortSize[],
): ClusterSnapshot['instanceTypes'] {
  if (shorts.length === 0) return instanceTypes
  const byClass = Map.groupBy(shorts, ({ nodeClass }) => nodeClass)
  return new Map([...instanceTypes].map(([name, types]) => [name, shortened(types, byClass.get(name) ?? [])] as const))
}

/**
 * Remembered by the list of the catalog, since plans are kept as long as they get the same list. Clusters of a region share the list of the catalog, and
 * each may have learned something else.
 */
const KEPT = new WeakMap<readonly InstanceType[], Map<string, readonly InstanceType[]>>()
/** The most lists that are remembered for one list of the catalog. */
const MOST_KEPT = 200

function shortened(types: readonly InstanceType[], shorts: readonly ShortSize[]): readonly InstanceType[] {
  if (shorts.length === 0) return types
  const id = JSON.stringify(shorts.map(({ size, short }) => [size, short]))
  const kept = KEPT.get(types) ?? new Map<string, readonly InstanceType[]>()
  KEPT.set(types, kept)
  const known = kept.get(id)
  if (known !== undefined) return known
  const bySize = new Map(shorts.map(({ size, short }) => [size, short]))
  const next = types.map((type) => {
    const short = bySize.get(type.name)
    return short === undefined ? type : { ...type, overhead: add(type.overhead, short) }
  })
  if (kept.size >= MOST_KEPT) kept.clear()
  kept.set(id, next)
  return next
}

/**
 * Splits a size whose offerings bring amounts of their own into one size for each set of amounts. The size with its own amounts comes first. Most
 * sizes are not split.
 */
export function byAmounts(type: InstanceType): readonly InstanceType[] {
  if (type.offerings.every(isPlain)) return [type]
  const groups = Map.groupBy(type.offerings, ({ capacity, overhead }) => canonicalJson([capacity ?? {}, overhead ?? {}]))
  return [...groups.values()]
    .sort((first, second) => Number(second.every(isPlain)) - Number(first.every(isPlain)))
    .map((offerings) => ({
      ...type,
      capacity: { ...type.capacity, ...offerings[0]?.capacity },
      overhead: { ...type.overhead, ...offerings[0]?.overhead },
      offerings,
    }))
}

/** The size as a machine of this zone and capacity type has it. Undefined if it is not sold so. */
export function soldAs(type: InstanceType, zone: string | undefined, capacityType: string | undefined): InstanceType | undefined {
  return byAmounts(type).find(({ offerings }) => offerings.some((each) => each.zone === zone && each.capacityType === capacityType))
}

function isPlain({ capacity, overhead }: Offering): boolean {
  return capacity === undefined && overhead === undefined
}

/** The most that a wait is longer than the block, as a share of the block. */
const SPREAD = 0.1
const NUMBERS = 2 ** 32

/**
 * The blocks as this asker waits for them. After the second refusal and each later one, the wait is a little longer than the block. Each asker has
 * its own wait, so that requests do not come all at once. A refusal of the first request blocks the offering again before the other requests. If the
 * first request gets a machine, the other requests follow soon. The time comes from a hash, so that it stays the same in each decision about the same
 * block. All zones have one time, so that an asker that asks tries them together. A launch does not wait: it has been decided on.
 */
export function waitsOf(asker: string, unavailable: readonly UnavailableOffering[]): readonly UnavailableOffering[] {
  if (unavailable.every(({ again }) => again === undefined)) return unavailable
  return unavailable.map((each) => {
    if (each.again === undefined) return each
    const share = stableNumber(`${asker} ${canonicalJson({ ...each.scope, zone: '' })} ${timesRefused(each)}`) / NUMBERS
    return { ...each, until: later(each.until, durationMs(Math.floor(SPREAD * share * (each.until - each.again.at)))) }
  })
}

/** When Azure is asked for a refused offering again, and how often it refused in a row. */
export type AskedAgain = { readonly at: EpochMs; readonly times: number }

/** Of several blocks the first end and the most refusals. Undefined if there is no block. */
export function askedAgain(blocks: readonly UnavailableOffering[]): AskedAgain | undefined {
  if (blocks.length === 0) return undefined
  return { at: epochMs(leastOf(blocks.map(({ until }) => until))), times: largestOf(blocks.map(timesRefused)) }
}

/** `; Azure refused 3 times in a row and is asked again from 2026-01-01T10:00:00Z`. Empty without a block. */
export function askedAgainText(asked: AskedAgain | undefined): string {
  if (asked === undefined) return ''
  const { at, times } = asked
  return `; Azure ${times === 1 ? '' : `refused ${times} times in a row and `}is asked again from ${formatTimestamp(at)}`
}
