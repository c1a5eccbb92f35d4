/** Machines packed for what waits, pool after pool as their weights have it, and what is left over placed pod by pod. */

import type { PodClass } from '../../model/pods/podClass.ts'
import type { QueueEntry } from '../../model/pods/queue.ts'
import { isSpent } from '../../model/quantities/work.ts'
import type { TopologyGroup } from '../../model/topology/topologyGroup.ts'
import { placeInOrder } from '../firstFit/firstFit.ts'
import { couldOpen } from '../firstFit/open.ts'
import type { Plan, Start } from '../plan.ts'
import { countsOf } from '../restorePoint.ts'
import { withStarts } from '../startsFor.ts'
import { assignDomains, type Takers, takersAmong } from './assignDomains.ts'
import { pack } from './pack.ts'

/**
 * Heavier pools take all they can before lighter ones are asked. True when every pod went to the domain chosen for it, so that the order of
 * choosing shows that all rules about domains can be kept.
 */
export function placePacked(plan: Plan, queue: readonly QueueEntry[], groups: readonly TopologyGroup[]): boolean {
  let isAsAssigned = true
  const tiers = tiersOf(plan.starts)
  const takersOf = takersAmong(plan.startsFor)
  const tierOf = new Map(tiers.flatMap((starts, tier) => starts.map((start) => [start, tier] as const)))
  const classesOf = classesByTier(plan, takersOf, tierOf)
  for (const [index, starts] of tiers.entries()) {
    if (!isDone(plan) && !isSpent(plan)) {
      const counts = countsOf(groups, plan.work)
      const own = new Map((classesOf.get(index) ?? []).map((podClass) => [podClass, plan.left.get(podClass) ?? 0]))
      const left = withoutThoseOf({ ...plan, left: own }, tiers.slice(0, index).flat())
      const items = assignDomains({ ...plan, left }, starts, (start) => (tierOf.get(start) ?? 0) >= index, takersOf)
      counts()
      if (items.length > 0) isAsAssigned = pack(plan, starts, items) && isAsAssigned
    }
    if (index + 1 < tiers.length) fillCareful(plan, starts, queue)
  }
  plan.version++
  placeInOrder(plan, queue)
  return isAsAssigned
}

/** Classes that some pool of a tier takes, in one way or another. */
function classesByTier(
  { left, work }: Plan,
  takersOf: Takers,
  tierOf: ReadonlyMap<Start, number>,
): ReadonlyMap<number, readonly PodClass[]> {
  const found = new Map<number, PodClass[]>()
  for (const podClass of left.keys()) {
    const { amounts, variants } = podClass
    work.wishes += variants.length
    const tiers = new Set(variants.flatMap(({ constraint }) => takersOf(amounts, constraint).map((start) => tierOf.get(start) ?? 0)))
    for (const tier of tiers) {
      const own = found.get(tier)
      if (own === undefined) found.set(tier, [podClass])
      else own.push(podClass)
    }
  }
  return found
}

/** Pools that ask for least numbers of values: what cannot be packed for it may still be placed pod by pod. */
function isCareful({ combination }: Start): boolean {
  return combination.template.hasMinValues
}

/** Before lighter pools are asked, pods that give nothing up go to the careful ones. */
function fillCareful(plan: Plan, starts: readonly Start[], queue: readonly QueueEntry[]): void {
  const careful = starts.filter(isCareful)
  if (careful.length === 0 || isDone(plan)) return
  const plain = queue.filter(({ podClass }) => podClass.variants.length === 1)
  placeInOrder(withStarts(plan, careful), plain)
  plan.version++
}

/** Without pods that may give something up and that a heavier careful pool could take: which comes first is decided pod by pod. */
function withoutThoseOf(plan: Plan, heavier: readonly Start[]): Plan['left'] {
  const careful = heavier.filter(isCareful)
  if (careful.length === 0) return plan.left
  const taking = withStarts(plan, careful)
  const isWaiting = ({ variants }: PodClass): boolean => variants.length > 1
  const could = (podClass: PodClass): boolean => podClass.variants.some((variant) => couldOpen(taking, podClass, variant, []))
  return new Map([...plan.left].filter(([podClass]) => !(isWaiting(podClass) && could(podClass))))
}

/** Pools of one weight: among them the price decides. */
function tiersOf(starts: readonly Start[]): readonly (readonly Start[])[] {
  const tiers: Start[][] = []
  for (const start of starts) {
    const last = tiers.at(-1)
    if (last?.[0]?.combination.template.weight === start.combination.template.weight) last.push(start)
    else tiers.push([start])
  }
  return tiers
}

export function isDone({ left }: Plan): boolean {
  for (const count of left.values()) if (count > 0) return false
  return true
}
