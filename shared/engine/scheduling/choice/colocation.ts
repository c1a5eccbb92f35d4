/**
 * Places pods that must share a machine. The first of them may go anywhere, and the others only to the same machine. So the first must go where there
 * is room for all.
 */
import { placeInOrder } from '../candidates/firstFit/firstFit.ts'
import { type Plan, withPoolOptions } from '../candidates/plan.ts'
import { type Restore } from '../candidates/restorePoint.ts'
import { type NarrowedTemplate, withValue } from '../model/catalog/narrowedTemplate.ts'
import { type DomainFilter, domainFilters, record } from '../model/neighbours/domainFilters.ts'
import { type Bin, cheapestOf, domainsIn, dropTooSmall, fitsAs, isBin, markOfBin } from '../model/nodes/bin.ts'
import type { PodClass, QueueEntry } from '../model/pods/constraint.ts'
import { type Amounts, demandOf, fits } from '../model/quantities/amounts.ts'
import { MOST_COLOCATION_MACHINES } from '../model/quantities/tuning.ts'
import { isSpent } from '../model/quantities/work.ts'
import { looksAtLabels, type TopologyGroup } from '../model/topology/topologyGroup.ts'
import { hasBindingOrder } from './bindingOrder.ts'
import { demandsOf } from './newPlan.ts'

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
  // A machine that the plan has opened may take some of the pods as well.
  const bins = plan.bins.map(markOfBin)
  plan.work.claims += bins.length
  for (const place of placesFor(plan, total)) {
    // No more pods than these: some of a class may be wanted alone.
    const left = new Map(wanted.map((each) => [each.podClass, each.count]))
    placeInOrder({ ...place, left }, wanted)
    if (wanted.every(({ podClass }) => left.get(podClass) === 0)) {
      for (const { podClass, count: placed } of wanted) plan.left.set(podClass, (plan.left.get(podClass) ?? 0) - placed)
      return true
    }
    back()
    for (const restore of bins) restore()
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

/**
 * A plan with late commitment leaves domains open that rules count by. Picks the cheapest domains, and checks whether the scheduler can carry out the
 * plan then. Returns true if the scheduler can carry out the plan. `toBase` puts the counts back to what they were before the plan. Afterwards the
 * counts are those of the settled plan.
 */
export function fixOpenDomains(plan: Plan, toBase: Restore): boolean {
  toBase()
  const asked = groupsAskedBy(plan)
  if ([...asked].some(looksAtLabels)) for (const bin of plan.bins) dropTooSmall(bin)
  const open = new Set<Bin>()
  for (const { host, podClass, relaxedPod, count, isNominated } of plan.log) {
    if (isNominated === true) continue
    if (isBin(host) && openKeys(host, asked).length > 0) open.add(host)
    else record(host, podClass, relaxedPod, count)
  }
  for (const bin of open) if (!settleBin(bin, asked)) return false
  return hasBindingOrder(plan, toBase)
}

/**
 * The rules that need to know the domains of pods: spread and affinity of placed pods. Anti-affinity counts a pod in every domain where it may come
 * to be, and rules of pods without a place need not be kept.
 */
function groupsAskedBy({ log }: Plan): ReadonlySet<TopologyGroup> {
  return new Set(log.flatMap(({ relaxedPod }) => [...relaxedPod.spread, ...relaxedPod.affinity]))
}

/** Labels that rules of its pods, or rules that count them, ask about and that are not decided. */
function openKeys(bin: Bin, asked: ReadonlySet<TopologyGroup>): readonly string[] {
  return openAmong(
    bin,
    bin.contents
      .flatMap(({ podClass, relaxedPod }) => [...relaxedPod.spread, ...relaxedPod.affinity, ...podClass.counted])
      .filter((group) => asked.has(group)),
  )
}

/** The same for rules that its pods require, and for affinity that counts them. Pods that only count in a spread can be bound after its own pods. */
function neededKeys(bin: Bin, asked: ReadonlySet<TopologyGroup>): readonly string[] {
  const isFollowed = (group: TopologyGroup): boolean => group.kind === 'affinity' && asked.has(group)
  return openAmong(
    bin,
    bin.contents.flatMap(({ podClass, relaxedPod }) => {
      const { spread, affinity } = podClass.relaxedPods.at(-1) ?? relaxedPod
      return [...spread, ...affinity, ...podClass.counted.filter(isFollowed)]
    }),
  )
}

function openAmong(bin: Bin, groups: readonly TopologyGroup[]): readonly string[] {
  const isOpen = ({ key, isHost }: TopologyGroup): boolean =>
    !isHost && bin.domainOf(key) === undefined && domainsIn(bin.narrowedTemplate, key).length > 0
  return [...new Set(groups.filter(isOpen).map(({ key }) => key))]
}

/**
 * Picks domains that meet the preferences of its pods, or else the domains that meet their requirements. Returns false if there are none, and one is
 * needed. Otherwise the label stays open then: `minValues` can keep a claim from being held to one domain.
 */
function settleBin(bin: Bin, asked: ReadonlySet<TopologyGroup>): boolean {
  const needed = neededKeys(bin, asked)
  for (const key of openKeys(bin, asked)) {
    const liked = bin.contents.flatMap(({ podClass, relaxedPod }) => domainFilters(podClass, relaxedPod))
    const settled = cheapestWith(bin, key, liked) ?? cheapestWith(bin, key, bin.contents.flatMap(demandsOf))
    if (settled === undefined && !needed.includes(key)) continue
    if (settled === undefined) return false
    bin.narrowedTemplate = settled
    bin.cursor = 0
  }
  for (const { podClass, relaxedPod, count } of bin.contents) record(bin, podClass, relaxedPod, count)
  return true
}

function cheapestWith(bin: Bin, key: string, rules: readonly DomainFilter[]): NarrowedTemplate | undefined {
  const ofKey = rules.filter(({ group }) => group.key === key)
  let best: { narrowedTemplate: NarrowedTemplate; price: number } | undefined
  for (const domain of domainsIn(bin.narrowedTemplate, key)) {
    const narrowedTemplate = ofKey.every((rule) => rule.allows(domain)) ? withValue(bin.narrowedTemplate, key, domain) : undefined
    if (narrowedTemplate === undefined || !fitsAs(bin, narrowedTemplate)) continue
    const price =
      cheapestOf({ narrowedTemplate, total: bin.total, ceiling: bin.ceiling, cursor: 0 })?.offering.price ?? Number.MAX_SAFE_INTEGER
    if (best === undefined || price < best.price) best = { narrowedTemplate, price }
  }
  return best?.narrowedTemplate
}
