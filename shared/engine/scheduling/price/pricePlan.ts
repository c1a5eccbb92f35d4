/** The cheapest of several plans. Which pods can be placed follows the rules; where they go is a question of money. */
import { placeInOrder, placeOnTargets, type QueueEntry } from '../firstFit/firstFit.ts'
import type { Plan, Start } from '../plan.ts'
import type { PodClass } from '../pods/podClass.ts'
import type { Group } from '../topology/group.ts'
import { assignDomains } from './assignDomains.ts'
import { costOf, isBetter } from './cost.ts'
import { pack } from './pack.ts'
import { countsOf, restorePoint } from './restorePoint.ts'
import { keepsSkew } from './skew.ts'

/**
 * Compares Karpenter's order of first fit with machines packed for their price, and keeps the cheaper plan. What is there is filled first
 * either way, since it costs nothing.
 */
export function placeByPrice(plan: Plan, queue: readonly QueueEntry[], groups: readonly Group[]): void {
  const restore = restorePoint(plan, groups)
  placeOnTargets(plan, queue)
  if (isDone(plan)) return
  const isAsAssigned = placePacked(plan, queue, groups)
  const packed = isAsAssigned || keepsSkew(plan, groups) ? costOf(plan) : undefined
  const keepPacked = savePlan(plan, groups)
  restore()
  placeInOrder(plan, queue)
  if (packed !== undefined && !isBetter(costOf(plan), packed)) keepPacked()
}

function isDone({ left }: Plan): boolean {
  for (const count of left.values()) if (count > 0) return false
  return true
}

/**
 * Heavier pools take all they can before lighter ones are asked. True when every pod went to the domain chosen for it, so that the order
 * of choosing shows that all rules can be kept.
 */
function placePacked(plan: Plan, queue: readonly QueueEntry[], groups: readonly Group[]): boolean {
  let isAsAssigned = true
  const tiers = tiersOf(plan.starts)
  for (const [index, starts] of tiers.entries()) {
    const open = starts.filter(({ combination }) => !combination.template.hasMinValues)
    if (open.length === 0 || isDone(plan)) continue
    const counts = countsOf(groups)
    const items = assignDomains(plan, open, tiers.slice(index).flat())
    counts()
    isAsAssigned = pack(plan, open, items) && isAsAssigned
  }
  plan.version++
  placeInOrder(plan, queue)
  return isAsAssigned
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

/** Keeps a finished plan so that it can be put back. */
function savePlan(plan: Plan, groups: readonly Group[]): () => void {
  const bins = [...plan.bins]
  const log = [...plan.log]
  const left: readonly (readonly [PodClass, number])[] = [...plan.left]
  const restore = restorePoint(plan, groups)
  return () => {
    restore()
    plan.bins.splice(0, plan.bins.length, ...bins)
    plan.log.splice(0, plan.log.length, ...log)
    for (const [podClass, count] of left) plan.left.set(podClass, count)
  }
}
