import type { HostPort, Pod } from '../../../../model/pod.ts'
import type { Requirements } from '../../../../model/requirements.ts'
import type { Resources } from '../../../../model/resources.ts'
import type { Amounts } from '../quantities/amounts.ts'
import type { Labelled, TopologyGroup } from '../topology/topologyGroup.ts'
import type { Constraint } from './constraint.ts'
import type { PodList } from './podReplicas.ts'

/** Pods that no rule can tell apart. What is true of one is true of all. */
export type PodClass = Labelled &
  PodList & {
    readonly id: number
    /** One pod of the class. */
    readonly pod: Pod
    readonly requests: Resources
    /** What a pod takes of a machine that has mounted none of its volumes. Classes with equal amounts share one object. */
    readonly amounts: Amounts
    /** The volume claims that it shares with other pods, and their axis among the amounts. */
    readonly shared: readonly { readonly claim: string; readonly axis: number }[]
    readonly hostPorts: readonly HostPort[]
    /** True if the pods have to leave their node, and have preferences. */
    readonly isLeaving: boolean
    /** From all preferences to none: first what the pods like best, last what they require. */
    readonly relaxedPods: readonly RelaxedPod[]
    /** The groups that count these pods. */
    readonly counted: readonly TopologyGroup[]
    /** The groups of anti-affinity terms that select these pods. Their owners keep these pods away. */
    readonly repelledBy: readonly TopologyGroup[]
  }

/** Reports whether the selector of the group selects these pods. */
export function isCounted({ counted }: Pick<PodClass, 'counted'>, group: TopologyGroup): boolean {
  return counted.includes(group)
}

/** What the pods of a class ask for after some of their preferences are dropped. */
export type RelaxedPod = {
  /** Unique among all relaxed pods of all classes. */
  readonly id: number
  readonly constraint: Constraint
  /** The alternatives of node labels that the pods themselves require. They say which domains count for the pods. */
  readonly required: readonly Requirements[]
  /** The alternatives of node labels that the pods themselves ask for now. The constraint combines each of them with each place of the volumes. */
  readonly wanted: readonly Requirements[]
  readonly spread: readonly TopologyGroup[]
  readonly affinity: readonly TopologyGroup[]
  readonly antiAffinity: readonly TopologyGroup[]
  /** The anti-affinity groups that the pods require and do not merely prefer. These keep other pods away. */
  readonly owned: readonly TopologyGroup[]
  /** The number of preferences given up before. */
  readonly gaveUp: number
}

/** Reports whether spread, affinity or anti-affinity rules concern the pods at all. */
export function hasNeighbourRules(podClass: PodClass, relaxedPod: RelaxedPod): boolean {
  return (
    relaxedPod.spread.length > 0 || relaxedPod.affinity.length > 0 || relaxedPod.antiAffinity.length > 0 || podClass.repelledBy.length > 0
  )
}
