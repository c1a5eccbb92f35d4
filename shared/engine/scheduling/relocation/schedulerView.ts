import { remembered } from '../../../base/remembered.ts'
import { allocatableOf, type StateNode } from '../../cluster/stateNode.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import type { Amounts, Axes } from '../model/quantities/amounts.ts'
import type { Work } from '../model/quantities/work.ts'

/** What kube-scheduler knows of nodes when it chooses among them. */
export type SchedulerView = {
  /** What the node has for all its pods. */
  readonly wholeOf: (node: ExistingNode) => Amounts
  /** The axes by which the scheduler scores nodes: CPU and memory. */
  readonly scored: readonly number[]
  readonly work: Pick<Work, 'existingNodes' | 'domains'>
}

export function schedulerView(machines: readonly StateNode[], axes: Axes, work: Work): SchedulerView {
  const byName = new Map<string, StateNode>(machines.map((machine) => [machine.name, machine]))
  return {
    scored: ['cpu', 'memory'].map((name) => axes.names.indexOf(name)).filter((axis) => axis >= 0),
    work,
    wholeOf: remembered((node) => {
      const machine = byName.get(node.label)
      return machine === undefined ? node.freeOn(axes) : axes.freeOf(allocatableOf(machine), undefined)
    }),
  }
}

/** The mean share of the scored resources that stays free, as the scheduler's plugin LeastAllocated has it. `taken`: what one more pod takes. */
export function freeShare(free: Amounts, taken: Amounts | undefined, whole: Amounts, { scored }: Pick<SchedulerView, 'scored'>): number {
  let sum = 0
  for (const axis of scored) {
    const has = whole[axis] ?? 0
    if (has > 0) sum += Math.max(0, ((free[axis] ?? 0) - (taken?.[axis] ?? 0)) / has)
  }
  return sum / Math.max(1, scored.length)
}

/**
 * How far the used shares of CPU and memory are apart: their standard deviation, at most 0.5. Since Kubernetes 1.36, the scheduler's plugin
 * BalancedAllocation compares it with and without the pod, and counts the difference by half (https://github.com/kubernetes/kubernetes/pull/135573, read
 * 2026-11-29). `taken`: what one more pod takes.
 */
export function imbalance(free: Amounts, taken: Amounts | undefined, whole: Amounts, { scored }: Pick<SchedulerView, 'scored'>): number {
  let [least, most] = [1, 0]
  for (const axis of scored) {
    const has = whole[axis] ?? 0
    if (has <= 0) continue
    const share = Math.min(1, Math.max(0, ((free[axis] ?? 0) - (taken?.[axis] ?? 0)) / has))
    least = Math.min(least, share)
    most = Math.max(most, share)
  }
  return Math.max(0, most - least) / 2
}
