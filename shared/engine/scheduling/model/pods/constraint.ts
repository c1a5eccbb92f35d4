import { canonicalJson } from '../../../../base/json.ts'
import type { NodePoolName, ObjectKey } from '../../../../model/ids.ts'
import { LABEL } from '../../../../model/labels.ts'
import type { HostPort, Pod } from '../../../../model/pod.ts'
import type { ProblemCode } from '../../../../model/problem.ts'
import { intersectAll, type Requirements } from '../../../../model/requirements.ts'
import type { Resources } from '../../../../model/resources.ts'
import type { Toleration } from '../../../../model/taint.ts'
import type { EpochMs } from '../../../../model/units.ts'
import type { Amounts } from '../quantities/amounts.ts'
import type { Labelled, TopologyGroup } from '../topology/topologyGroup.ts'
import type { PodList } from './podReplicas.ts'

/** Where a pod may run, apart from its size and its affinity rules. Equal constraints share an id. */
export type Constraint = {
  readonly id: number
  readonly tolerations: readonly Toleration[]
  /** The node labels that the pod and its volumes ask for. Any of these alternatives must be met. */
  readonly alternatives: readonly Requirements[]
  /** The host ports that it takes. Daemons of the machine may hold them already. */
  readonly hostPorts: readonly HostPort[]
  /** DaemonSets whose pods it must not share a machine with. */
  readonly apartFrom: readonly ObjectKey[]
  /** NodePools that make no claim for the pods, since the API server refuses it. Pods may run on nodes of these. */
  readonly refusals: readonly PoolRefusal[]
  /** True if it selects by host name. It may then tell machines apart that differ in nothing but their names. */
  readonly asksName: boolean
  /** Each alternative as a constraint of its own. Empty if there is only one. */
  readonly ways: readonly Constraint[]
}

/** Why a NodePool makes no claim for pods: of `until`, the claim is tried again then. */
export type PoolRefusal = {
  readonly pool: NodePoolName
  readonly code: Extract<ProblemCode, 'SCHEDULING.CLAIM_INVALID' | 'SCHEDULING.CLAIM_REFUSED' | 'SCHEDULING.MIN_VALUES'>
  readonly message: string
  readonly until?: EpochMs
}

export type ConstraintParts = {
  readonly tolerations: readonly Toleration[]
  /** The alternatives of the pod itself, each with the preferred labels that are not given up yet. */
  readonly wanted: readonly Requirements[]
  /** The alternatives of its volumes. */
  readonly places: readonly Requirements[]
  readonly hostPorts: readonly HostPort[]
  readonly apartFrom: readonly ObjectKey[]
}

/** Makes constraints. Equal ones get the same id for as long as this object lives. */
export interface Constraints {
  of(parts: ConstraintParts): Constraint
  /** The same constraint, without claims of these NodePools. */
  refusedBy(constraint: Constraint, refusals: readonly PoolRefusal[]): Constraint
  readonly count: number
}

export function createConstraints(): Constraints {
  const known = new Map<string, Constraint>()
  function make(parts: Omit<Constraint, 'id' | 'asksName' | 'ways'>): Constraint {
    const { tolerations, alternatives, hostPorts, apartFrom, refusals } = parts
    const more = refusals.length === 0 ? [] : [refusals]
    const text = canonicalJson([tolerations, alternatives.map((each) => [...each.values()]), hostPorts, apartFrom, ...more])
    const same = known.get(text)
    if (same !== undefined) return same
    const ways = alternatives.length > 1 ? alternatives.map((each) => make({ ...parts, alternatives: [each] })) : []
    const asksName = alternatives.some((each) => each.has(LABEL.hostname))
    const made = { id: known.size, tolerations, alternatives, hostPorts, apartFrom, refusals, asksName, ways }
    known.set(text, made)
    return made
  }
  return {
    of({ wanted, places, ...parts }) {
      const alternatives = wanted.flatMap((own) => places.map((place) => intersectAll(own, place)))
      return make({ ...parts, alternatives, refusals: NO_REFUSALS })
    },
    refusedBy: (constraint, refusals) => (refusals.length === 0 ? constraint : make({ ...constraint, refusals })),
    get count() {
      return known.size
    },
  }
}

const NO_REFUSALS: readonly PoolRefusal[] = []

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

/** Consecutive pods of one class: one pod or more. `from`: the place of the first relaxed pod that they ask for, 0 by default. */
export type QueueEntry = { readonly podClass: PodClass; readonly count: number; readonly from?: number }
