import { addAll } from '../../../base/lists.ts'
import type { Uid } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import { createPoolOptionsFor, type Placement, type Plan, poolOptionsOf } from '../candidates/plan.ts'
import { reservedPoolOptions } from '../candidates/reservations.ts'
import { reservationsLeft } from '../model/cluster/cluster.ts'
import { type DomainFilter, domainFilters, holdsAnyway, reachOf, record } from '../model/neighbours/domainFilters.ts'
import { type Bin, isBin } from '../model/nodes/bin.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import type { PlacementMode, PlacementProblem } from '../model/placementProblem.ts'
import type { PodClass } from '../model/pods/constraint.ts'
import { budgetFor, type Work } from '../model/quantities/work.ts'

const COMMITMENTS: { readonly [Mode in PlacementMode]: Plan['commitment'] } = { price: 'early', firstFit: 'late' }

/** A plan in which nothing is placed yet. */
export function newPlan({ cluster, context, placement, axes, pools, room, classes, newDaemons }: PlacementProblem, work: Work): Plan {
  const { minValuesPolicy, maxSteps } = context.settings
  const pods = classes.reduce((sum, { count }) => sum + count, 0)
  const all = poolOptionsOf(pools.narrowedTemplates, cluster.machines.usage)
  const reservations = reservationsLeft(pools.templates, cluster)
  const isFirstFit = placement !== 'price'
  const poolOptions = isFirstFit ? all : reservedPoolOptions(all, reservations)
  const poolOptionsFor = createPoolOptionsFor(poolOptions)
  return {
    existingNodes: room.existingNodes,
    room,
    touched: new Map(),
    poolOptions,
    poolOptionsFor,
    everyPoolOptionFor: poolOptionsFor,
    held: isFirstFit && reservations.size > 0 ? { left: reservations, of: new Map() } : undefined,
    newDaemons,
    work,
    budget: budgetFor(pods, maxSteps),
    postponed: new Map(),
    refused: new Set(),
    axes: axes.names.length + axes.drivers.length,
    isStrict: minValuesPolicy === 'Strict',
    commitment: COMMITMENTS[placement],
    nodesFirst: !isFirstFit,
    bins: [],
    log: [],
    left: new Map(classes.map((each) => [each, each.count])),
    version: 0,
  }
}

export type Assignment = {
  readonly onExistingNodes: readonly { readonly pod: Pod; readonly existingNode: ExistingNode }[]
  readonly inBins: ReadonlyMap<Bin, readonly Pod[]>
  /** Pods that found no place: the newest of their class. */
  readonly unplaced: ReadonlyMap<PodClass, readonly Pod[]>
}

/**
 * Turns counts back into pods: which pod of a class goes where. Pods of a class take its places in the order of the log. A nominated pod takes the
 * place that it is nominated for.
 */
export function assignPods({ log }: Plan, classes: readonly PodClass[], nominated: ReadonlyMap<Uid, ExistingNode>): Assignment {
  const isWaiting = (pod: Pod): boolean => !nominated.has(pod.uid)
  const waiting = new Map(classes.map((podClass) => [podClass, nominated.size === 0 ? podClass.pods() : podClass.pods().filter(isWaiting)]))
  const next = new Map<PodClass, number>()
  const onExistingNodes = [...nominatedPods(classes, nominated)]
  const inBins = new Map<Bin, Pod[]>()
  for (const { host, podClass, count, isNominated } of log) {
    if (isNominated === true) continue
    const start = next.get(podClass) ?? 0
    next.set(podClass, start + count)
    const pods = (waiting.get(podClass) ?? []).slice(start, start + count)
    if (isBin(host)) {
      const present = inBins.get(host)
      if (present === undefined) inBins.set(host, pods)
      else addAll(present, pods)
    } else for (const pod of pods) onExistingNodes.push({ pod, existingNode: host })
  }
  const unplaced = [...waiting].map(([podClass, pods]) => [podClass, pods.slice(next.get(podClass) ?? 0)] as const)
  return { onExistingNodes, inBins, unplaced: new Map(unplaced.filter(([, pods]) => pods.length > 0)) }
}

function* nominatedPods(
  classes: readonly PodClass[],
  nominated: ReadonlyMap<Uid, ExistingNode>,
): Iterable<Assignment['onExistingNodes'][number]> {
  if (nominated.size === 0) return
  for (const { pods } of classes) {
    for (const pod of pods()) {
      const existingNode = nominated.get(pod.uid)
      if (existingNode !== undefined) yield { pod, existingNode }
    }
  }
}

/** The required rules: those that remain when all preferences are given up. */
export function demandsOf({ podClass, relaxedPod }: Pick<Placement, 'podClass' | 'relaxedPod'>): readonly DomainFilter[] {
  return domainFilters(podClass, podClass.relaxedPods.at(-1) ?? relaxedPod)
}

/**
 * Binds as many pods of the placement as the scheduler can bind now, at most `count`: a pod is bound only if its required rules hold with the pods
 * that were bound before. Returns their number.
 */
export function bind(placement: Placement, count: number, work: Work): number {
  const { host, podClass, relaxedPod } = placement
  const rules = demandsOf(placement)
  work.domains += reachOf(rules)
  if (rules.length === 0) {
    record(host, podClass, relaxedPod, count)
    return count
  }
  let bound = 0
  let now = rules
  while (bound < count && brokenBy(placement, now) === undefined) {
    record(host, podClass, relaxedPod)
    bound++
    // A pod that is bound changes what the rules allow.
    if (bound < count) now = demandsOf(placement)
  }
  work.domains += bound * reachOf(rules)
  return bound
}

/** The first rule that does not let one more pod of the placement come now. */
export function brokenBy({ host }: Pick<Placement, 'host'>, rules: readonly DomainFilter[]): DomainFilter | undefined {
  return rules.find((rule) => {
    const domain = rule.group.isHost ? host.name : host.domainOf(rule.group.key)
    return domain === undefined ? !holdsAnyway(rule, host) : !rule.allows(domain)
  })
}
