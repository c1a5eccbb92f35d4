/** Instance types as users know them better than the catalog: prices and further resources that NodeOverlays state. */
import { inOrder, type Order } from '../../base/order.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { NodeClassName } from '../../model/ids.ts'
import type { InstanceType } from '../../model/instanceType.ts'
import type { NodeOverlay } from '../../model/nodeOverlay.ts'
import { requirementsFrom } from '../../model/requirements.ts'
import { validateRequirement } from '../../model/requirementValidation.ts'
import { matchedOfferings, type PoolLabels, poolLabels } from './matchedOfferings.ts'
import { changedPrice, isPriceChange } from './priceChange.ts'
import { createDraft, type TypeDraft } from './typeDraft.ts'

/** The instance types of a pool; of a class when the pool is not known. */
export type TypesOf = (pool: string | undefined, nodeClass: NodeClassName) => readonly InstanceType[]

type Sources = Pick<ClusterSnapshot, 'instanceTypes'> & { readonly objects: Pick<ClusterSnapshot['objects'], 'nodePool' | 'nodeOverlay'> }

/** Heavier overlays win; of equal weights the later name comes first, and who then contradicts it is not applied at all. */
export function overlaidTypes({ objects, instanceTypes }: Sources): TypesOf {
  const plain = (nodeClass: NodeClassName): readonly InstanceType[] => instanceTypes.get(nodeClass) ?? []
  const overlays = (objects.nodeOverlay ?? []).filter(isValid).sort(byOverlayOrder)
  if (overlays.length === 0) return (_, nodeClass) => plain(nodeClass)
  const drafts = objects.nodePool.map((pool) => ({
    name: pool.name,
    labels: poolLabels(pool),
    types: plain(pool.template.nodeClassRef.name).map(createDraft),
  }))
  for (const overlay of overlays) applyOverlay(overlay, drafts)
  const made = new Map<string, readonly InstanceType[]>(drafts.map(({ name, types }) => [name, types.map((draft) => draft.result())]))
  return (pool, nodeClass) => made.get(pool ?? '') ?? plain(nodeClass)
}

const byOverlayOrder: Order<NodeOverlay> = inOrder<NodeOverlay>(
  (first, second) => weightOf(second) - weightOf(first),
  (first, second) => (first.name < second.name ? 1 : -1),
)

type PoolDraft = { readonly labels: PoolLabels; readonly types: readonly TypeDraft[] }

/** Everywhere or nowhere. */
function applyOverlay(overlay: NodeOverlay, pools: readonly PoolDraft[]): void {
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
  if (conflicts) return
  for (const { draft, offerings } of matches) {
    if (change !== undefined) draft.setPrice(weight, offerings, (before) => changedPrice(before, overlay))
    draft.setCapacity(weight, capacity)
  }
}

/** What a machine has by itself is not for overlays to say. */
const MEASURED: readonly string[] = ['cpu', 'memory', 'ephemeral-storage', 'pods']

function isValid({ requirements, price, priceAdjustment, capacity = {} }: NodeOverlay): boolean {
  if (price !== undefined && priceAdjustment !== undefined) return false
  if (!isPriceChange({ price, priceAdjustment })) return false
  return requirements.every((each) => validateRequirement(each).length === 0) && !MEASURED.some((name) => name in capacity)
}

function weightOf({ weight = 0 }: NodeOverlay): number {
  return weight
}
