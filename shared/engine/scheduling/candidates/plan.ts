/** A plan in the making: what places pods share. Hot code: plans are buffers of whoever makes them. */

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
  /** Where among the existing nodes something was free before the plan began. */
  readonly room: FreeCapacity
  /** Existing nodes that the plan has put pods on, as they were before. */
  readonly touched: Map<ExistingNode, ExistingNodeMark>
  /** The pools that claims may be opened of, in order. */
  readonly poolOptions: readonly NodePoolOption[]
  /** Those of them that may take a constraint. */
  readonly poolOptionsFor: PoolOptionsFor
  /** The same of all pools, whichever claims are opened of now. */
  readonly everyPoolOptionFor: PoolOptionsFor
  readonly axes: number
  /** Claims keep to minValues strictly. */
  readonly isStrict: boolean
  readonly commitment: Commitment
  /** Undefined: no rule reaches a daemon on another machine. */
  readonly newDaemons: NewDaemons | undefined
  readonly work: Work
  readonly budget: Budget
  /** Reservations held by claims that may still become one of several sizes. Absent: each claim has settled on one or none. */
  readonly held: Held | undefined
  /** Classes of which some pods wait for a later decision, and why. */
  readonly postponed: Map<PodClass, Postponement>
  readonly bins: Bin[]
  /** Who went where, in the order it was decided. */
  readonly log: Placement[]
  /** Pods of each class that have no place yet. */
  readonly left: Map<PodClass, number>
  /** Changes with everything that may let in any pod that was refused before. Counts of neighbours concern those alone that look at them. */
  version: number
}

/** When a machine that may still be in one of several domains is held to one. */
export type Commitment =
  /** Only when a rule leaves one: Karpenter's way. */
  | 'late'
  /** As soon as anything counts by it: what is planned is then what will be. */
  | 'early'

export type Postponement = 'SCHEDULING.RESERVATION' | 'SCHEDULING.DEADLINE'

export type Held = { readonly left: Reservations; readonly of: Map<Bin, ReadonlySet<string>> }

/** The limits are the plan's own and shrink as it grows. */
export type NodePoolOption = {
  readonly narrowedTemplate: NarrowedTemplate
  readonly limits: Limits
  /** Every claim of it uses this reservation, which pays for so many machines. Its limits are part of the others. */
  readonly reservation?: { readonly id: string; readonly limits: Limits }
}

/** The pool options that do not refuse the constraint for a label alone, in their order. */
export type PoolOptionsFor = (constraint: Constraint) => readonly NodePoolOption[]

export type Placement = {
  readonly host: ExistingNode | Bin
  readonly podClass: PodClass
  readonly relaxedPod: RelaxedPod
  readonly count: number
  /** It keeps an earlier decision's promise to a pod. */
  readonly isNominated?: true
}

export function poolOptionsOf(narrowedTemplates: readonly NarrowedTemplate[], usage: UsageByPool): readonly NodePoolOption[] {
  return narrowedTemplates.map((narrowedTemplate) => {
    const { pool } = narrowedTemplate.template
    return { narrowedTemplate, limits: limitsOf(pool, usage.of(pool.name)) }
  })
}
