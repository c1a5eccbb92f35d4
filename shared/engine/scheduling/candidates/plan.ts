/** A plan in the making: the state that all ways of placing pods share. Hot code: a plan is a buffer of its caller. */

import { leastOf } from '../../../base/lists.ts'
import { formatTaint, type Taint, type Toleration, tolerates, untolerated } from '../../../model/taint.ts'
import { type Limits, limitsOf, type UsageByPool } from '../model/catalog/limits.ts'
import type { NarrowedTemplate } from '../model/catalog/narrowedTemplate.ts'
import { pricedPlaces } from '../model/catalog/sizePrices.ts'
import type { Reservations } from '../model/cluster/cluster.ts'
import type { FreeCapacity } from '../model/cluster/freeCapacity.ts'
import type { NewDaemons } from '../model/neighbours/comingDaemons.ts'
import { type Bin, cheapestOf } from '../model/nodes/bin.ts'
import type { ExistingNode, ExistingNodeMark } from '../model/nodes/existingNode.ts'
import type { Constraint, PodClass, RelaxedPod } from '../model/pods/constraint.ts'
import { demandOf, type PodDemand } from '../model/quantities/amounts.ts'
import { createByLabel } from '../model/quantities/byLabel.ts'
import type { Budget, Work } from '../model/quantities/work.ts'

export type Plan = {
  readonly existingNodes: readonly ExistingNode[]
  /** What the existing nodes had free before the plan began. */
  readonly room: FreeCapacity
  /** The existing nodes that the plan has put pods on, with their state before. */
  readonly touched: Map<ExistingNode, ExistingNodeMark>
  /** The pools that claims may be opened of, in order. */
  readonly poolOptions: readonly NodePoolOption[]
  /** The pool options above that may take a constraint. */
  readonly poolOptionsFor: PoolOptionsFor
  /** The same for all pools of the decision, also while `poolOptions` holds only some of them. */
  readonly everyPoolOptionFor: PoolOptionsFor
  readonly axes: number
  /** True if claims must meet `minValues` (policy `Strict`). */
  readonly isStrict: boolean
  readonly commitment: Commitment
  /** True: pods that have to leave their node give up preferences before a claim is opened for them, as kube-scheduler does. */
  readonly nodesFirst: boolean
  /** Counts the DaemonSet pods of a new machine. Undefined if no rule reaches a DaemonSet pod on another machine. */
  readonly newDaemons: NewDaemons | undefined
  readonly work: Work
  readonly budget: Budget
  /** Reservations held by claims that may still become one of several sizes. Undefined if each claim already uses one reservation or none. */
  readonly held: Held | undefined
  /** Classes with pods that wait for a later decision, and the reason. */
  readonly postponed: Map<PodClass, Postponement>
  /** Classes of which a pod had its turn among all pools and found no place. */
  readonly refused: Set<PodClass>
  readonly bins: Bin[]
  /** The placements, in the order of the decisions. */
  readonly log: Placement[]
  /** Pods of each class that have no place yet. */
  readonly left: Map<PodClass, number>
  /**
   * Grows with each change that may give any refused pod a place. Changes of neighbour counts do not count: they concern only pods with rules that
   * look at them.
   */
  version: number
}

/** When a machine that may still be in several domains is held to one domain. */
export type Commitment =
  /** Only when a rule leaves one domain, as in Karpenter. */
  | 'late'
  /** As soon as a group counts pods by the domain. So the counts of the plan are what will be. */
  | 'early'

export type Postponement = 'SCHEDULING.RESERVATION' | 'SCHEDULING.DEADLINE'

export type Held = { readonly left: Reservations; readonly of: Map<Bin, ReadonlySet<string>> }

/** A NodePool that claims may be opened of. The limits belong to the plan and shrink as it grows. */
export type NodePoolOption = {
  readonly narrowedTemplate: NarrowedTemplate
  readonly limits: Limits
  /**
   * Every claim of the option uses this reservation. Its `limits` are the number of machines that it pays for, and they are part of the limits above.
   */
  readonly reservation?: { readonly id: string; readonly limits: Limits }
}

/** The pool options that refuse the constraint neither for a label alone nor for a taint, in their order. */
export type PoolOptionsFor = (constraint: Constraint) => readonly NodePoolOption[]

export type Placement = {
  readonly host: ExistingNode | Bin
  readonly podClass: PodClass
  readonly relaxedPod: RelaxedPod
  readonly count: number
  /** What a new claim could become when the pod was counted there. Later pods narrow it, and other rules may then count the pod. */
  readonly countedAs?: NarrowedTemplate
  /** True if an earlier decision nominated this place for the pod. */
  readonly isNominated?: true
}

export function poolOptionsOf(narrowedTemplates: readonly NarrowedTemplate[], usage: UsageByPool): readonly NodePoolOption[] {
  return narrowedTemplates.map((narrowedTemplate) => {
    const { pool } = narrowedTemplate.template
    return { narrowedTemplate, limits: limitsOf(pool, usage.of(pool.name)) }
  })
}

/** The cost of a plan. Fields are compared in their order, and lower is better. */
export type PlanCost = {
  readonly unplaced: number
  /** Claims of which no size has a known price. */
  readonly unpriced: number
  readonly microUsdPerHour: number
  readonly claims: number
}

export function costOf({ bins, left }: Plan): PlanCost {
  let unpriced = 0
  let microUsdPerHour = 0
  for (const bin of bins) {
    const price = cheapestOf(bin)?.offering.price
    if (price === undefined) unpriced++
    else microUsdPerHour += price
  }
  const unplaced = [...left.values()].reduce((sum, count) => sum + count, 0)
  return { unplaced, unpriced, microUsdPerHour, claims: bins.length }
}

export function isBetter(first: PlanCost, second: PlanCost): boolean {
  const difference =
    first.unplaced - second.unplaced ||
    first.unpriced - second.unpriced ||
    first.microUsdPerHour - second.microUsdPerHour ||
    first.claims - second.claims
  return difference < 0
}

/**
 * A lower bound of the cost of a plan without existing nodes, in micro-USD per hour. Each resource must at least be bought where a unit of it costs
 * least, and the bound is the largest of these sums.
 */
export function leastCost(poolOptions: readonly NodePoolOption[], axes: number, waiting: readonly PodDemand[]): number {
  return leastCostAt(unitCosts(poolOptions, axes), waiting)
}

/** The least price of one unit of each resource in any size of the pools, in micro-USD per hour. Infinite for a resource that no size has. */
export function unitCosts(poolOptions: readonly NodePoolOption[], axes: number): Float64Array {
  return Float64Array.from({ length: axes }, (_, axis) =>
    leastOf(poolOptions.map(({ narrowedTemplate }) => leastPerUnit(narrowedTemplate, axis))),
  )
}

/** The same as `leastCost`, at known prices of units. Zero if some resource that pods ask for has no price. */
export function leastCostAt(units: Float64Array, waiting: readonly PodDemand[]): number {
  const demand = demandOf(waiting, units.length)
  let least = 0
  for (let axis = 0; axis < units.length; axis++) {
    const asked = demand[axis] ?? 0
    if (asked > 0) least = Math.max(least, asked * (units[axis] ?? 0))
  }
  // Prices are whole numbers. A fraction below `ROUNDING` is due to rounding.
  return Number.isFinite(least) ? Math.ceil(least - ROUNDING) : 0
}

const ROUNDING = 0.01

function leastPerUnit(narrowedTemplate: NarrowedTemplate, axis: number): number {
  let least = Number.POSITIVE_INFINITY
  for (const place of pricedPlaces(narrowedTemplate)) {
    const free = narrowedTemplate.order[place]?.free[axis] ?? 0
    if (free > 0) least = Math.min(least, (narrowedTemplate.best[place]?.price ?? 0) / free)
  }
  return least
}

/** The same plan with these pools alone. What they refuse, other pools may take. */
export function withPoolOptions(plan: Plan, poolOptions: readonly NodePoolOption[]): Plan {
  return { ...plan, poolOptions, poolOptionsFor: createPoolOptionsFor(poolOptions), refused: new Set() }
}

/** Finds the pools that may take a constraint, by the labels and the taints that pools give their machines. */
export function createPoolOptionsFor(poolOptions: readonly NodePoolOption[]): PoolOptionsFor {
  const known = new Map<number, readonly NodePoolOption[]>()
  const byLabel = createByLabel(poolOptions, ({ narrowedTemplate }, key) => narrowedTemplate.template.requirements.get(key))
  const toleratedBy = createToleratedBy(poolOptions)
  function find(constraint: Constraint): readonly NodePoolOption[] {
    const [wanted, ...others] = constraint.alternatives
    const found = wanted === undefined || others.length > 0 ? poolOptions : byLabel(wanted)
    const tolerated = toleratedBy?.(constraint)
    if (tolerated === undefined && constraint.refusals.length === 0) return found
    return found.filter((poolOption) => (tolerated?.(poolOption) ?? true) && !refusesClaim(constraint, poolOption.narrowedTemplate))
  }
  return (constraint) => {
    const found = known.get(constraint.id) ?? find(constraint)
    known.set(constraint.id, found)
    return found
  }
}

/** Finds the pool options whose taints are all tolerated. Each toleration is compared once with each distinct taint. Undefined without taints. */
function createToleratedBy(
  poolOptions: readonly NodePoolOption[],
): ((constraint: Pick<Constraint, 'tolerations'>) => (poolOption: NodePoolOption) => boolean) | undefined {
  const taints = new Map<string, Taint>()
  const ownOf = new Map<NodePoolOption, readonly string[]>()
  for (const poolOption of poolOptions) {
    const own = poolOption.narrowedTemplate.template.pool.template.taints
    for (const taint of own) taints.set(formatTaint(taint), taint)
    ownOf.set(poolOption, own.map(formatTaint))
  }
  if (taints.size === 0) return undefined
  const known = new Map<string, readonly string[]>()
  const taintsOf = (toleration: Toleration): readonly string[] => {
    const text = JSON.stringify([toleration.operator, toleration.key, toleration.effect, toleration.value])
    const found = known.get(text) ?? [...taints].flatMap(([name, taint]) => (tolerates(toleration, taint) ? [name] : []))
    known.set(text, found)
    return found
  }
  return ({ tolerations }) => {
    const tolerated = new Set(tolerations.flatMap(taintsOf))
    return (poolOption) => ownOf.get(poolOption)?.every((name) => tolerated.has(name)) ?? true
  }
}

/** Reports whether the constraint tolerates all taints of the pool's machines. */
export function toleratesPool({ tolerations }: Pick<Constraint, 'tolerations'>, { template }: Pick<NarrowedTemplate, 'template'>): boolean {
  const { taints } = template.pool.template
  return taints.length === 0 || untolerated(taints, tolerations).length === 0
}

function refusesClaim({ refusals }: Constraint, { template }: NarrowedTemplate): boolean {
  return refusals.some(({ pool }) => pool === template.pool.name)
}
