import type { HostPort, Pod } from '../../../../model/pod.ts'
import type { Requirements } from '../../../../model/requirements.ts'
import type { Resources } from '../../../../model/resources.ts'
import type { Amounts } from '../quantities/amounts.ts'
import type { Labelled, TopologyGroup } from '../topology/topologyGroup.ts'
import type { Constraint } from './constraint.ts'
import type { PodList } from './podReplicas.ts'

/** Pods that no rule can tell apart: what is true of one is true of all. */
export type PodClass = Labelled &
  PodList & {
    readonly id: number
    /** One of them. */
    readonly pod: Pod
    readonly requests: Resources
    /** What a pod takes of a machine that has none of its volumes yet. Equal ones are one. */
    readonly amounts: Amounts
    /** Volume claims it shares with other pods, and where among the amounts they count. */
    readonly shared: readonly { readonly claim: string; readonly axis: number }[]
    readonly hostPorts: readonly HostPort[]
    /** First what the pods would like best, last what they cannot do without. */
    readonly relaxedPods: readonly RelaxedPod[]
    /** Groups that count these pods. */
    readonly counted: readonly TopologyGroup[]
    /** Anti-affinity groups of others that must not be where these pods are. */
    readonly repelledBy: readonly TopologyGroup[]
  }

/** Whether the selector of the group selects these pods. */
export function isCounted({ counted }: Pick<PodClass, 'counted'>, group: TopologyGroup): boolean {
  return counted.includes(group)
}

/** The wishes of a class after some relaxation. */
export type RelaxedPod = {
  /** Distinct among all relaxed pods of all classes. */
  readonly id: number
  readonly constraint: Constraint
  /** Alternatives the pods themselves demand of a node's labels: the domains they count among. */
  readonly required: readonly Requirements[]
  readonly spread: readonly TopologyGroup[]
  readonly affinity: readonly TopologyGroup[]
  readonly antiAffinity: readonly TopologyGroup[]
  /** Of the anti-affinity groups, those the pods demand and do not merely prefer: they keep others away. */
  readonly owned: readonly TopologyGroup[]
  /** How many wishes were given up before. */
  readonly gaveUp: number
}

/** True when rules about neighbours concern the pods at all. */
export function hasNeighbourRules(podClass: PodClass, relaxedPod: RelaxedPod): boolean {
  return (
    relaxedPod.spread.length > 0 || relaxedPod.affinity.length > 0 || relaxedPod.antiAffinity.length > 0 || podClass.repelledBy.length > 0
  )
}
