/** Instance types with the prices and further resources that NodeOverlays state: users may know these better than the catalog. */
import { inOrder, type Order } from '../../base/order.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { NodeClassName } from '../../model/ids.ts'
import type { InstanceType } from '../../model/instanceType.ts'
import { negativeAmounts } from '../../model/negativeAmounts.ts'
import type { NodeOverlay } from '../../model/nodeOverlay.ts'
import { requirementsFrom } from '../../model/requirements.ts'
import { validateRequirement } from '../../model/requirementValidation.ts'
import { matchedOfferings, type PoolLabels, poolLabels } from './matchedOfferings.ts'
import { boundExceeded, changedPrice, isPriceChange } from './priceChange.ts'
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
    const invalid = whyInvalid(overlay)
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
