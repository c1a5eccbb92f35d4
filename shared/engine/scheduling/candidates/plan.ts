/** A plan in the making: the state that all ways of placing pods share. Hot code: a plan is a buffer of its caller. */

import { type Limits, limitsOf, type UsageByPool } from '../model/catalog/limits.ts'
import type { NarrowedTemplate } from '../model/catalog/narrowedTemplate.ts'
import type { FreeCapacity } from '../model/cluster/freeCapacity.ts'
import type { Reservations } from '../model/cluster/reservations.ts'
import type { NewDaemons } from '../model/neighbours/comingDaemons.ts'
import type { Bin } from '../model/nodes/bin.ts'
import type { ExistingNode, ExistingNodeMark } from '../model/nodes/existingNode.ts'
import type { Constraint } from '../model/pods/constraint.ts'
import type { PodClass, RelaxedPod } from '../model/pods/podClass.ts'
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
