/** Instance types with the prices and further resources that NodeOverlays state: users may know these better than the catalog. */
import { inOrder, type Order } from '../../base/lists.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { NodeClassName } from '../../model/ids.ts'
import type { InstanceType, Offering } from '../../model/instanceType.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodeOverlay, NodePool } from '../../model/nodePool.ts'
import { meets } from '../../model/requirementConflict.ts'
import { validateRequirement } from '../../model/requirementSpecs.ts'
import { admitsAbsence, type Requirement, type Requirements, requirementsFrom, requirementsFromLabels } from '../../model/requirements.ts'
import { negativeAmounts } from '../../model/resources.ts'
import { microUsdPerHour, usdPerHour } from '../../model/units.ts'
import { createDraft, type TypeDraft } from './typeDraft.ts'

/** Returns the instance types of a pool, or of the NodeClass if the pool is unknown. */
export type TypesOf = (pool: string | undefined, nodeClass: NodeClassName) => readonly InstanceType[]

type Sources = Pick<ClusterSnapshot, 'instanceTypes'> & { readonly objects: Pick<ClusterSnapshot['objects'], 'nodePool' | 'nodeOverlay'> }

/**
 * Applies the overlays, heavier ones first. Of equal weights the later name comes first, and an overlay that conflicts with it is not applied at all.
 */
export function overlaidTypes(sources: Sources): TypesOf {
  const plain = (nodeClass: NodeClassName): readonly InstanceType[] => sources.instanceTypes.get(nodeClass) ?? []
  if (sources.objects.nodeOverlay.length === 0) return (_, nodeClass) => plain(nodeClass)
  const { drafts } = applyAll(sources)
  const made = new Map<string, readonly InstanceType[]>(drafts.map(({ name, types }) => [name, types.map((draft) => draft.result())]))
  return (pool, nodeClass) => made.get(pool ?? '') ?? plain(nodeClass)
}

export type OverlayRejection = { readonly reason: 'RuntimeValidation' | 'Conflict'; readonly message: string }

/** The overlays that are not applied, by name, and why. */
export function rejectedOverlays(sources: Sources): ReadonlyMap<string, OverlayRejection> {
  return sources.objects.nodeOverlay.length === 0 ? new Map() : applyAll(sources).rejected
}

function applyAll({ objects, instanceTypes }: Sources) {
  const drafts = objects.nodePool.map((pool) => ({
    name: pool.name,
    labels: poolLabels(pool),
    types: (instanceTypes.get(pool.template.nodeClassRef.name) ?? []).map(createDraft),
  }))
  const rejected = new Map<string, OverlayRejection>()
  for (const overlay of [...objects.nodeOverlay].sort(byOverlayOrder)) {
    const invalid = overlay.unknownValues?.join('; ') ?? whyInvalid(overlay)
    if (invalid !== undefined) rejected.set(overlay.name, { reason: 'RuntimeValidation', message: invalid })
    else if (!applyOverlay(overlay, drafts))
      rejected.set(overlay.name, {
        reason: 'Conflict',
        message:
          'another nodeoverlay of the same weight sets the price or the capacity of the same offerings; give one of them a larger weight',
      })
  }
  return { drafts, rejected }
}

const byOverlayOrder: Order<NodeOverlay> = inOrder<NodeOverlay>(
  (first, second) => weightOf(second) - weightOf(first),
  (first, second) => (first.name < second.name ? 1 : -1),
)

type PoolDraft = { readonly labels: PoolLabels; readonly types: readonly TypeDraft[] }

/** Applies the overlay everywhere or nowhere. False if it conflicts with an applied overlay of the same weight. */
function applyOverlay(overlay: NodeOverlay, pools: readonly PoolDraft[]): boolean {
  const wanted = requirementsFrom(overlay.requirements)
  const weight = weightOf(overlay)
  const { price, priceAdjustment, capacity = {} } = overlay
  const change = price ?? priceAdjustment
  const matches = pools.flatMap(({ labels, types }) =>
    types.flatMap((draft) => {
      const offerings = matchedOfferings(draft, labels, wanted)
      return offerings.length === 0 ? [] : [{ draft, offerings }]
    }),
  )
  const conflicts = matches.some(
    ({ draft, offerings }) =>
      (change !== undefined && draft.hasPriceOf(weight, offerings)) || draft.hasCapacityOf(weight, Object.keys(capacity)),
  )
  if (conflicts) return false
  for (const { draft, offerings } of matches) {
    if (change !== undefined) draft.setPrice(weight, offerings, (before) => changedPrice(before, overlay))
    draft.setCapacity(weight, capacity)
  }
  return true
}

/** The resources that a machine has by itself. Overlays must not set them. */
const MEASURED: readonly string[] = ['cpu', 'memory', 'ephemeral-storage', 'pods']

function whyInvalid({ requirements, price, priceAdjustment, capacity = {} }: NodeOverlay): string | undefined {
  if (price !== undefined && priceAdjustment !== undefined) return 'spec has a price and a priceAdjustment; keep one'
  if (!isPriceChange({ price, priceAdjustment })) return `spec: ${price ?? priceAdjustment} is neither a price nor a price adjustment`
  const bound = boundExceeded({ price, priceAdjustment })
  if (bound !== undefined) {
    const field = price === undefined ? 'priceAdjustment' : 'price'
    return `spec.${field}: ${shown(price ?? priceAdjustment)} is more than a price can be; write at most ${bound}`
  }
  const measured = MEASURED.find((name) => Object.hasOwn(capacity, name))
  if (measured !== undefined) return `spec.capacity: ${measured} is what the machine has; an overlay adds other resources`
  return negativeAmounts(capacity, 'spec.capacity')[0] ?? requirements.flatMap(validateRequirement)[0]?.message
}

/** Shortens a number for a message. A number in an object may have very many digits. */
function shown(text = ''): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}...` : text
}

const MOST_SHOWN = 40

function weightOf({ weight = 0 }: NodeOverlay): number {
  return weight
}

/** The labels by which overlays may select a pool. */
type PoolLabels = Requirements

function poolLabels({ name, template }: NodePool): PoolLabels {
  return requirementsFromLabels({ ...template.labels, [LABEL.nodePool]: name })
}

/** The positions of the size's offerings that have every wanted label. A label that no offering decides comes from the size and the pool. */
function matchedOfferings({ type, requirements }: TypeDraft, labels: PoolLabels, wanted: Requirements): readonly number[] {
  const offered = new Set(type.offerings.flatMap((each) => each.requirements.map(({ key }) => key)))
  for (const [key, wish] of wanted) {
    const own = offered.has(key) ? undefined : requirements.get(key)
    if (!isMet(wish, [own, labels.get(key)], offered.has(key))) return NONE
  }
  const open = [...wanted.values()].filter(({ key }) => offered.has(key))
  return type.offerings.flatMap((each, index) => {
    const fits = open.every((wish) =>
      isMet(
        wish,
        each.requirements.filter(({ key }) => key === wish.key),
        false,
      ),
    )
    return fits ? [index] : []
  })
}

function isMet(wish: Requirement, known: readonly (Requirement | undefined)[], isDecidedLater: boolean): boolean {
  const stated = known.filter((each) => each !== undefined)
  if (stated.length === 0) return isDecidedLater || admitsAbsence(wish)
  return stated.every((each) => meets(each, wish))
}

const NONE: readonly number[] = []

type PriceChange = { readonly price?: string | undefined; readonly priceAdjustment?: string | undefined }

const PRICE = /^\d+(\.\d+)?$/
const ADJUSTMENT = /^[+-](\d*\.?\d+)%?$/

/** The largest price, in USD an hour. It is far more than any machine costs, and small enough to add up the prices of a plan without rounding. */
const MOST_USD = 1_000_000
/** The largest adjustment, in percent: a thousand times the price. The adjusted price stays below the same bound. */
const MOST_PERCENT = 100_000

/** Reports whether price and adjustment have the right form. An absent value is right. */
export function isPriceChange({ price, priceAdjustment }: PriceChange): boolean {
  return (price === undefined || PRICE.test(price)) && (priceAdjustment === undefined || ADJUSTMENT.test(priceAdjustment))
}

/** The bound that the price or the adjustment exceeds: `$1000000/h` or `100000%`. Undefined if neither exceeds its bound. */
function boundExceeded({ price = '0', priceAdjustment = '+0' }: PriceChange): string | undefined {
  if (Number(price) > MOST_USD) return `$${MOST_USD}/h`
  const by = Math.abs(Number.parseFloat(priceAdjustment))
  if (priceAdjustment.endsWith('%')) return by > MOST_PERCENT ? `${MOST_PERCENT}%` : undefined
  return by > MOST_USD ? `$${MOST_USD}/h` : undefined
}

type Priced = Pick<Offering, 'price' | 'diskPrice'>

/**
 * The price after a change that is within bounds. A price replaces the whole, so that the disk is not apart any more. An adjustment changes the price
 * of the machine, never below 0, and the disk is added as before: the price that upstream adjusts has no disk. An unknown price stays unknown if it
 * is only adjusted.
 */
export function changedPrice(before: Priced, { price, priceAdjustment }: NodeOverlay): Priced {
  if (price !== undefined) return { price: usdPerHour(Number(price)) }
  if (priceAdjustment === undefined || before.price === undefined) return before
  const { diskPrice = 0 } = before
  const machine = before.price - diskPrice
  const isShare = priceAdjustment.endsWith('%')
  const by = Number(isShare ? priceAdjustment.slice(0, -1) : priceAdjustment)
  const changed = Math.max(0, Math.round(isShare ? machine * (1 + by / 100) : machine + by * 1_000_000))
  return { ...before, price: microUsdPerHour(changed + diskPrice) }
}
