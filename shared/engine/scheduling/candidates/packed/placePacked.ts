/** Packs machines for waiting pods, pool after pool in the order of their weights. First fit places the pods that are left over. */

import type { PodClass, QueueEntry } from '../../model/pods/constraint.ts'
import { asBefore, isSpent, spentOn } from '../../model/quantities/work.ts'
import type { TopologyGroup } from '../../model/topology/topologyGroup.ts'
import { placeInOrder } from '../firstFit/firstFit.ts'
import { couldOpen } from '../firstFit/open.ts'
import { type NodePoolOption, type Plan, withPoolOptions } from '../plan.ts'
import { countsOf } from '../restorePoint.ts'
import { assignDomains, type Takers, takersAmong } from './assignDomains.ts'
import { leastPrice } from './choices.ts'
import { type Item, joinedWith } from './items.ts'
import { pack } from './pack.ts'

export type Packed = {
  /** True if every pod went to the domain chosen for it. The order of choosing then shows that all rules about domains can be kept. */
  readonly isAsAssigned: boolean
  /** True if pods with spreads over wider domains than a machine were left to first fit. */
  readonly isSpreadLeft: boolean
}

/** Heavier pools take all the pods that they can before lighter pools are asked. */
export function placePacked(plan: Plan, queue: readonly QueueEntry[], groups: readonly TopologyGroup[]): Packed {
  let isAsAssigned = true
  const begun = spentOn(plan.work)
  const tiers = tiersOf(plan.poolOptions)
  const takersOf = takersAmong(plan)
  const tierOf = new Map(tiers.flatMap((poolOptions, tier) => poolOptions.map((poolOption) => [poolOption, tier] as const)))
  const classesOf = classesByTier(plan, takersOf, tierOf)
  for (const [index, poolOptions] of tiers.entries()) {
    if (!isDone(plan) && !isSpent(plan)) {
      const counts = countsOf(groups, plan.work)
      const own = new Map((classesOf.get(index) ?? []).map((podClass) => [podClass, plan.left.get(podClass) ?? 0]))
      const left = withoutThoseOf({ ...plan, left: own }, tiers.slice(0, index).flat())
      const items = assignDomains({ ...plan, left }, poolOptions, (poolOption) => (tierOf.get(poolOption) ?? 0) >= index, takersOf)
      counts()
      if (items.length > 0) isAsAssigned = pack(plan, poolOptions, items).every((left) => left === 0) && isAsAssigned
    }
    if (index + 1 < tiers.length) fillWithMinValues(plan, poolOptions, queue)
  }
  return { isAsAssigned, isSpreadLeft: placeRest(plan, queue, begun) }
}

/**
 * Chooses the domains among all pools at once, and looks ahead. Each pod then goes to the heaviest pool that has its domains. Spreads of the same
 * pods may need machines of heavier and of lighter pools in turn.
 */
export function placePackedTogether(plan: Plan, queue: readonly QueueEntry[], groups: readonly TopologyGroup[]): Packed {
  const begun = spentOn(plan.work)
  const counts = countsOf(groups, plan.work)
  let waiting = assignDomains(plan, plan.poolOptions, () => true, takersAmong(plan), true)
  counts()
  for (const poolOptions of tiersOf(plan.poolOptions)) {
    if (isSpent(plan)) break
    const isOfTier = ({ wish, podClass }: Item): boolean =>
      poolOptions.some(({ narrowedTemplate }) => {
        const joined = joinedWith(narrowedTemplate, wish)
        return joined !== undefined && leastPrice(joined, podClass.amounts) !== undefined
      })
    const own = waiting.filter(isOfTier).map((item, id) => ({ ...item, id }))
    const left = own.length === 0 ? [] : pack(plan, poolOptions, own)
    const isOver = ({ id }: Item): boolean => (left[id] ?? 0) > 0
    waiting = [...waiting.filter((item) => !isOfTier(item)), ...own.filter(isOver).map((item) => ({ ...item, count: left[item.id] ?? 0 }))]
  }
  return { isAsAssigned: waiting.length === 0, isSpreadLeft: placeRest(plan, queue, begun) }
}

/** Leaves the other pods to first fit. Returns true if some of them are spread over wider domains than a machine. */
function placeRest(plan: Plan, queue: readonly QueueEntry[], begun: number): boolean {
  plan.version++
  if (isDone(plan)) return false
  const isLeft = isSpreadLeft(plan)
  placeInOrder({ ...plan, budget: asBefore(plan, begun) }, queue)
  return isLeft
}

/** Reports whether pods without a place are spread over wider domains than a machine. */
export function isSpreadLeft({ left }: Plan): boolean {
  for (const [{ relaxedPods }, count] of left) {
    if (count > 0 && relaxedPods.at(-1)?.spread.some((group) => !group.isHost) === true) return true
  }
  return false
}

/** The classes of each tier: some pool of the tier takes a relaxed pod of the class. Once the budget is spent, first fit places the rest. */
function classesByTier(
  plan: Plan,
  takersOf: Takers,
  tierOf: ReadonlyMap<NodePoolOption, number>,
): ReadonlyMap<number, readonly PodClass[]> {
  const found = new Map<number, PodClass[]>()
  for (const podClass of plan.left.keys()) {
    if (isSpent(plan)) break
    const { amounts, relaxedPods } = podClass
    plan.work.wishes += relaxedPods.length
    const tiers = new Set(
      relaxedPods.flatMap(({ constraint }) => takersOf(amounts, constraint).map((poolOption) => tierOf.get(poolOption) ?? 0)),
    )
    for (const tier of tiers) {
      const own = found.get(tier)
      if (own === undefined) found.set(tier, [podClass])
      else own.push(podClass)
    }
  }
  return found
}

/** Reports whether the pool has `minValues`. Pods that cannot be packed for such a pool may still be placed one by one. */
function hasMinValues({ narrowedTemplate }: NodePoolOption): boolean {
  return narrowedTemplate.template.hasMinValues
}

/** Places pods without preferences in pools with `minValues`, before lighter pools are asked. */
function fillWithMinValues(plan: Plan, poolOptions: readonly NodePoolOption[], queue: readonly QueueEntry[]): void {
  const withMinValues = poolOptions.filter(hasMinValues)
  if (withMinValues.length === 0 || isDone(plan)) return
  const plain = queue.filter(({ podClass }) => podClass.relaxedPods.length === 1)
  placeInOrder(withPoolOptions(plan, withMinValues), plain)
  plan.version++
}

/**
 * The pods without a place, except pods with preferences that a heavier pool with `minValues` could take. First fit decides which comes first, the
 * preference or the pool.
 */
function withoutThoseOf(plan: Plan, heavier: readonly NodePoolOption[]): Plan['left'] {
  const withMinValues = heavier.filter(hasMinValues)
  if (withMinValues.length === 0) return plan.left
  const taking = withPoolOptions(plan, withMinValues)
  const isWaiting = ({ relaxedPods }: PodClass): boolean => relaxedPods.length > 1
  const could = (podClass: PodClass): boolean => podClass.relaxedPods.some((relaxedPod) => couldOpen(taking, podClass, relaxedPod, []))
  return new Map([...plan.left].filter(([podClass]) => !(isWaiting(podClass) && could(podClass))))
}

/** Pools of one weight are one tier. Within a tier the price decides. */
function tiersOf(poolOptions: readonly NodePoolOption[]): readonly (readonly NodePoolOption[])[] {
  const tiers: NodePoolOption[][] = []
  for (const poolOption of poolOptions) {
    const last = tiers.at(-1)
    if (last?.[0]?.narrowedTemplate.template.weight === poolOption.narrowedTemplate.template.weight) last.push(poolOption)
    else tiers.push([poolOption])
  }
  return tiers
}

export function isDone({ left }: Plan): boolean {
  for (const count of left.values()) if (count > 0) return false
  return true
}
