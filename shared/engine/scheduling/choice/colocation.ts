/**
 * Places pods that must share a machine. The first of them may go anywhere, and the others only to the same machine. So the first must go where there
 * is room for all.
 */

import { placeInOrder } from '../candidates/firstFit/firstFit.ts'
import type { Plan } from '../candidates/plan.ts'
import { withPoolOptions } from '../candidates/poolOptionsFor.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import type { QueueEntry } from '../model/pods/queue.ts'
import { type Amounts, demandOf, fits } from '../model/quantities/amounts.ts'
import { MOST_COLOCATION_MACHINES } from '../model/quantities/tuning.ts'
import { isSpent } from '../model/quantities/work.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'

/** Saves the plan. The function that it returns puts the saved plan back. */
type Save = () => () => void

/** Places the classes that must share a machine with other classes together with these, if one machine takes all of them. */
export function placeColocated(plan: Plan, classes: Iterable<PodClass>, all: readonly PodClass[], save: Save): void {
  for (const members of colocatedSetsOf(classes, all)) {
    const leftOf = (podClass: PodClass): number => plan.left.get(podClass) ?? 0
    // One pod is enough of a class that needs no other class.
    const wanted = members.map((podClass) => ({
      podClass,
      count: Math.min(leftOf(podClass), needed(podClass).length > 0 ? Number.POSITIVE_INFINITY : 1),
    }))
    if (placeWhole(plan, wanted, save)) continue
    // If no machine takes all pods, some machine may take one pod of each class.
    const oneOfEach = () => members.map((podClass) => ({ podClass, count: Math.min(leftOf(podClass), 1) }))
    while (!isSpent(plan) && placeWhole(plan, oneOfEach(), save)) plan.work.attempts++
  }
}

/** Sets that have a class in common are one. */
function colocatedSetsOf(classes: Iterable<PodClass>, all: readonly PodClass[]): readonly (readonly PodClass[])[] {
  let found: (readonly PodClass[])[] = []
  for (const podClass of classes) {
    if (needed(podClass).length === 0) continue
    const own = colocatedSetOf(podClass, all)
    const joined = found.filter((each) => each.some((member) => own.has(member)))
    found = [...found.filter((each) => !joined.includes(each)), [...new Set([...joined.flat(), ...own])]]
  }
  return found
}

/** The class, the classes that it must be near, the classes that these must be near, and so on. */
function colocatedSetOf(podClass: PodClass, all: readonly PodClass[]): ReadonlySet<PodClass> {
  const members = new Set([podClass])
  for (const member of members) {
    const groups = needed(member)
    for (const other of all) if (groups.some((group) => other.counted.includes(group))) members.add(other)
  }
  return members
}

/** The affinity groups among host names that select no pod yet. Once a selected pod is somewhere, the class goes there or nowhere. */
function needed({ relaxedPods }: PodClass): readonly TopologyGroup[] {
  return (relaxedPods.at(-1)?.affinity ?? []).filter(({ isHost, selected }) => isHost && selected.size === 0)
}

/** Places all wanted pods on an existing node, or else on a new machine. If it returns false, the plan is as it was. */
function placeWhole(plan: Plan, wanted: readonly QueueEntry[], save: Save): boolean {
  const count = wanted.reduce((sum, each) => sum + each.count, 0)
  if (count === 0) return false
  const total = demandOf(wanted, plan.axes)
  const back = save()
  const before = leftIn(plan)
  for (const place of placesFor(plan, total)) {
    placeInOrder(place, wanted)
    if (before - leftIn(plan) === count) return true
    back()
  }
  return false
}

/** The plan with one existing node alone, or with one pool alone. */
function placesFor(plan: Plan, total: Amounts): readonly Plan[] {
  const { existingNodes, poolOptions, room } = plan
  const there = existingNodes.filter(({ free }) => fits(total, free)).slice(0, MOST_COLOCATION_MACHINES)
  const pools = poolOptions.filter(({ narrowedTemplate }) => fits(total, narrowedTemplate.largest)).slice(0, MOST_COLOCATION_MACHINES)
  plan.work.existingNodes += existingNodes.length
  return [
    ...there.map((existingNode) => ({
      ...withPoolOptions(plan, []),
      existingNodes: [existingNode],
      room: { ...room, existingNodes: [existingNode], next: itself },
    })),
    ...pools.map((poolOption) => ({
      ...withPoolOptions(plan, [poolOption]),
      existingNodes: [],
      room: { ...room, existingNodes: [], next: itself },
    })),
  ]
}

function itself(_: Amounts, from: number): number {
  return from
}

function leftIn({ left }: Plan): number {
  let sum = 0
  for (const count of left.values()) sum += count
  return sum
}
