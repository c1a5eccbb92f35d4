/**
 * Pods that must share a machine. The first of them may go anywhere, the others only where it is: it has to go where there is room for all.
 */

import { placeInOrder } from '../candidates/firstFit/firstFit.ts'
import type { Plan } from '../candidates/plan.ts'
import { withPoolOptions } from '../candidates/poolOptionsFor.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import type { QueueEntry } from '../model/pods/queue.ts'
import { type Amounts, addTimes, fits } from '../model/quantities/amounts.ts'
import { MOST_COMPANY_MACHINES } from '../model/quantities/tuning.ts'
import { isSpent } from '../model/quantities/work.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'

/** Keeps the plan as it is, so that it can be put back. */
type Save = () => () => void

/** Places those of the classes that must share a machine with others, and these, where there is one for all of them. */
export function placeCompanies(plan: Plan, classes: Iterable<PodClass>, all: readonly PodClass[], save: Save): void {
  for (const members of companiesOf(classes, all)) {
    const leftOf = (podClass: PodClass): number => plan.left.get(podClass) ?? 0
    // Whoever needs nobody is needed once.
    const wanted = members.map((podClass) => ({
      podClass,
      count: Math.min(leftOf(podClass), needed(podClass).length > 0 ? Number.POSITIVE_INFINITY : 1),
    }))
    if (placeWhole(plan, wanted, save)) continue
    // Where there is no machine for all, there may be some for one of each.
    const oneOfEach = () => members.map((podClass) => ({ podClass, count: Math.min(leftOf(podClass), 1) }))
    while (!isSpent(plan) && placeWhole(plan, oneOfEach(), save)) plan.work.attempts++
  }
}

/** Companies that have somebody in common are one. */
function companiesOf(classes: Iterable<PodClass>, all: readonly PodClass[]): readonly (readonly PodClass[])[] {
  let found: (readonly PodClass[])[] = []
  for (const podClass of classes) {
    if (needed(podClass).length === 0) continue
    const own = companyOf(podClass, all)
    const joined = found.filter((each) => each.some((member) => own.has(member)))
    found = [...found.filter((each) => !joined.includes(each)), [...new Set([...joined.flat(), ...own])]]
  }
  return found
}

/** The class, whom it must be near, whom these must be near, and so on. */
function companyOf(podClass: PodClass, all: readonly PodClass[]): ReadonlySet<PodClass> {
  const members = new Set([podClass])
  for (const member of members) {
    const groups = needed(member)
    for (const other of all) if (groups.some((group) => other.counted.includes(group))) members.add(other)
  }
  return members
}

/** Who has to be on its machine and is nowhere yet: where somebody is, it goes there or nowhere. */
function needed({ relaxedPods }: PodClass): readonly TopologyGroup[] {
  return (relaxedPods.at(-1)?.affinity ?? []).filter(({ isHost, selected }) => isHost && selected.size === 0)
}

/** On a machine that is there, or else on a new one. False: the plan is as it was. */
function placeWhole(plan: Plan, wanted: readonly QueueEntry[], save: Save): boolean {
  const count = wanted.reduce((sum, each) => sum + each.count, 0)
  if (count === 0) return false
  const total: Amounts = new Float64Array(plan.axes)
  for (const { podClass, count: each } of wanted) addTimes(total, podClass.amounts, each)
  const back = save()
  const before = leftIn(plan)
  for (const place of placesFor(plan, total)) {
    placeInOrder(place, wanted)
    if (before - leftIn(plan) === count) return true
    back()
  }
  return false
}

/** The plan, with one machine or one pool alone. */
function placesFor(plan: Plan, total: Amounts): readonly Plan[] {
  const { existingNodes, poolOptions, room } = plan
  const there = existingNodes.filter(({ free }) => fits(total, free)).slice(0, MOST_COMPANY_MACHINES)
  const pools = poolOptions.filter(({ narrowedTemplate }) => fits(total, narrowedTemplate.largest)).slice(0, MOST_COMPANY_MACHINES)
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
