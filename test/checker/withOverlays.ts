/** The effect of NodeOverlays on a size and an offering, by the rules as documented. Nothing is cached. */
import { ownValue } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { InstanceType, Offering } from '../../shared/model/instanceType.ts'
import type { NodeOverlay, NodePool } from '../../shared/model/nodePool.ts'
import { addPrices, microUsdPerHour, usdPerHour } from '../../shared/model/units.ts'
import { meetsExpression, nameOf } from './kubernetesRules.ts'

/** The size and the offering with the overlays of a pool applied: price, capacity and overhead. */
export function withOverlays(
  snapshot: ClusterSnapshot,
  poolName: string | undefined,
  type: InstanceType,
  offering: Offering,
): { readonly type: InstanceType; readonly offering: Offering } {
  const isPlain = offering.capacity === undefined && offering.overhead === undefined
  if (isPlain && snapshot.objects.nodeOverlay.length === 0) return { type, offering }
  const pool = snapshot.objects.nodePool.find((each) => each.name === poolName)
  const overlays = pool === undefined ? [] : accepted(snapshot)
  const pricing = overlays.find((each) => hasPrice(each) && pool !== undefined && meets(each, pool, type, offering))
  const more = overlays.filter((each) => pool !== undefined && type.offerings.some((any) => meets(each, pool, type, any)))
  const added = Object.assign({}, ...more.map(({ capacity }) => capacity).reverse())
  const { price: _, diskPrice: __, ...rest } = offering
  const priced = pricing === undefined ? partsOf(offering) : priceAfter(pricing, offering)
  return {
    type: {
      ...type,
      capacity: { ...type.capacity, ...added, ...offering.capacity },
      overhead: { ...type.overhead, ...offering.overhead },
    },
    offering: { ...rest, ...priced },
  }
}

/** The overlays, the heaviest first, then the last name first. An overlay that contradicts an earlier one of the same weight is left out. */
function accepted({ objects, instanceTypes }: ClusterSnapshot): readonly NodeOverlay[] {
  const ordered = [...objects.nodeOverlay].sort(
    (first, second) => (second.weight ?? 0) - (first.weight ?? 0) || (first.name < second.name ? 1 : -1),
  )
  const kept: NodeOverlay[] = []
  for (const overlay of ordered) {
    if (!isWithinReason(overlay)) continue
    if (['cpu', 'memory', 'pods', 'ephemeral-storage'].some((name) => Object.hasOwn(overlay.capacity ?? {}, name))) continue
    const equals = kept.filter((each) => (each.weight ?? 0) === (overlay.weight ?? 0))
    const clashes = objects.nodePool.some((pool) =>
      (instanceTypes.get(pool.template.nodeClassRef.name) ?? []).some((type) =>
        equals.some((each) => contradicts(each, overlay, pool, type)),
      ),
    )
    if (!clashes) kept.push(overlay)
  }
  return kept
}

/** Reports whether the price is at most 1,000,000 dollars and the adjustment at most 1,000,000 dollars or 100,000 %. Beyond, overlays are refused. */
function isWithinReason({ price = '0', priceAdjustment = '+0' }: NodeOverlay): boolean {
  const by = Math.abs(Number.parseFloat(priceAdjustment))
  return Number(price) <= 1_000_000 && by <= (priceAdjustment.endsWith('%') ? 100_000 : 1_000_000)
}

function contradicts(first: NodeOverlay, second: NodeOverlay, pool: NodePool, type: InstanceType): boolean {
  const of = (overlay: NodeOverlay): readonly Offering[] => type.offerings.filter((each) => meets(overlay, pool, type, each))
  const shared = of(first).filter((each) => of(second).includes(each))
  const sized = Object.keys(first.capacity ?? {}).some((name) => Object.hasOwn(second.capacity ?? {}, name))
  return (hasPrice(first) && hasPrice(second) && shared.length > 0) || (sized && of(first).length > 0 && of(second).length > 0)
}

function meets({ requirements }: NodeOverlay, { name, template }: NodePool, type: InstanceType, offering: Offering): boolean {
  const labels: { readonly [key: string]: string } = { ...template.labels, 'karpenter.sh/nodepool': name }
  return requirements.every((each) => {
    const key = nameOf(each.key)
    const stated = (offering.requirements.find((own) => own.key === key) ?? type.requirements.find((own) => own.key === key))?.values
    const values = [stated, ownValue(labels, key) === undefined ? undefined : [ownValue(labels, key)]].filter((list) => list !== undefined)
    return values.length === 0
      ? meetsExpression(each, undefined)
      : values.every((list) => (list.length === 0 ? meetsExpression(each, undefined) : list.some((value) => meetsExpression(each, value))))
  })
}

function hasPrice({ price, priceAdjustment }: NodeOverlay): boolean {
  return price !== undefined || priceAdjustment !== undefined
}

type Priced = Pick<Offering, 'price' | 'diskPrice'>

function partsOf({ price, diskPrice }: Priced): Priced {
  if (price === undefined) return {}
  return diskPrice === undefined ? { price } : { price, diskPrice }
}

/** A stated price is the whole bill. An adjustment is one of the machine, which the disk comes on top of. */
function priceAfter({ price, priceAdjustment = '+0' }: NodeOverlay, before: Priced): Priced {
  if (price !== undefined) return { price: usdPerHour(Number.parseFloat(price)) }
  if (before.price === undefined) return {}
  const by = Number.parseFloat(priceAdjustment)
  const disk = before.diskPrice ?? 0
  const machine = (before.price - disk) / 1e6
  const after = usdPerHour(Math.max(0, priceAdjustment.endsWith('%') ? machine * (1 + by / 100) : machine + by))
  return partsOf({ ...before, price: addPrices(after, microUsdPerHour(disk)) })
}
