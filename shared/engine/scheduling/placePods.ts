import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Pod } from '../../model/pod.ts'
import type { Toleration } from '../../model/taint.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import { type Axes, axesOf } from './amounts.ts'
import { daemonsOf } from './daemonOverhead.ts'
import { groundMaker } from './ground.ts'
import { usageByPool } from './limits.ts'
import { placeOnTargets, type TargetPlan } from './placeOnTargets.ts'
import { type BinPlan, planBins } from './planBins.ts'
import { groupPods, type PodGroup } from './podGroups.ts'
import { type Pools, poolsOf } from './pools.ts'
import { targetsOf } from './targets.ts'

/** Where pods go: to what is there, to new machines, or nowhere. */
export type Placing = {
  readonly axes: Axes
  readonly pools: Pools
  readonly onTargets: TargetPlan
  readonly plan: BinPlan
}

/** Tolerates every taint that only asks to be avoided. */
const SOFT: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' }

/**
 * Taints that only ask to be avoided are respected as long as that leaves no pod without a place; the pods it does leave are placed
 * once more without regard to them, as the scheduler would bind them.
 */
export function placePods(pods: readonly Pod[], machines: readonly StateNode[], snapshot: ClusterSnapshot): Placing {
  const strict = placeOnce(pods, machines, snapshot)
  if (strict.plan.left.size === 0 || !hasSoftTaints(snapshot)) return strict
  const left = new Set([...strict.plan.left.keys()].flatMap((group) => unplacedOf(strict, group)).map((pod) => pod.uid))
  const relaxed = pods.map((pod) => (left.has(pod.uid) ? { ...pod, tolerations: [...pod.tolerations, SOFT] } : pod))
  return placeOnce(relaxed, machines, snapshot)
}

/** The pods of the group that got no place: the newest of those that needed a new machine. */
export function unplacedOf({ onTargets, plan }: Placing, group: PodGroup): readonly Pod[] {
  const count = plan.left.get(group) ?? 0
  return count === 0 ? [] : (onTargets.left.get(group) ?? []).slice(-count)
}

function placeOnce(pods: readonly Pod[], machines: readonly StateNode[], snapshot: ClusterSnapshot): Placing {
  const { objects, settings } = snapshot
  const axes = axesOf(pods.map((pod) => pod.requests))
  const daemons = daemonsOf(objects.daemonSet, objects.pod)
  const onTargets = placeOnTargets(targetsOf({ snapshot, machines, daemons, axes }), groupPods(pods, axes), snapshot)
  const pools = poolsOf({ snapshot, daemons, axes })
  const newGround = groundMaker({
    templates: pools.templates,
    usage: usageByPool(snapshot, machines),
    axes: axes.names.length,
    isStrict: settings.minValuesPolicy === 'Strict',
  })
  const plan = planBins(newGround, new Map([...onTargets.left].map(([group, waiting]) => [group, waiting.length])))
  return { axes, pools, onTargets, plan }
}

function hasSoftTaints({ objects }: ClusterSnapshot): boolean {
  const taints = [...objects.nodePool.flatMap((pool) => pool.template.taints), ...objects.node.flatMap((node) => node.taints)]
  return taints.some((taint) => taint.effect === 'PreferNoSchedule')
}
