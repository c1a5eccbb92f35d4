/** Pods without a node: pods that wait for one, and pods that kube-scheduler is about to bind. */
import type { ClusterSnapshot } from '../../../../model/clusterSnapshot.ts'
import type { NodeName, Uid } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { EpochMs } from '../../../../model/units.ts'
import type { Workload } from '../../../../model/workloads.ts'
import type { StateNode } from '../../../cluster/stateNode.ts'
import { holdsNomination, isActive } from '../../../pod/podPredicates.ts'
import { createSortedList, type SortedList } from '../../snapshot/otherObjects.ts'
import { byAge, type PodReplicas, type Reading, replicaFinder } from './podReplicas.ts'
import { isFree } from './podsToPlace.ts'

/** Pods without a place that a new node could help. */
export interface WaitingPods {
  add(pod: Pod): void
  remove(pod: Pod): void
  /** The pods to plan. Valid until the next change. */
  values(): readonly PodReplicas[]
  /** The characters read so far to find pods with the same spec. */
  readonly read: Readonly<Reading>
}

/** Waiting pods of one owner: the number that the scheduler refused, and the pods it has not looked at yet. */
type Siblings = { refused: number; readonly unseen: Set<Pod> }

/** Replicas without a place: `count` of them, of which the pods in `list` are to be planned. */
type FreeReplicas = { readonly pod: Pod; readonly list: SortedList<Pod>; readonly siblings: Siblings; count: number }

/**
 * Holds pods that the scheduler refused, and pods whose owner has a pod that it refused. The scheduler refuses pods one after another, some ten to a
 * hundred a second. In a workload with a thousand replicas it refuses the last one long after the first, and all of them should share one plan. A pod
 * that fits on an existing node is planned onto that node, so nothing is bought for a pod that the scheduler would have placed.
 */
export function createWaitingPods(): WaitingPods {
  const all = new Set<FreeReplicas>()
  const byOwner = new Map<Uid, Siblings>()
  const read: Reading = { characters: 0 }
  const replicas = replicaFinder((pod): FreeReplicas => {
    const made = { pod, list: createSortedList<Pod>(byAge), siblings: siblingsOf(pod), count: 0 }
    all.add(made)
    return made
  }, read)

  function siblingsOf({ owner }: Pod): Siblings {
    const known = owner === undefined ? undefined : byOwner.get(owner.uid)
    const siblings = known ?? { refused: 0, unseen: new Set() }
    if (owner !== undefined) byOwner.set(owner.uid, siblings)
    return siblings
  }

  function tidy(own: FreeReplicas): void {
    const { owner } = own.pod
    if (own.count > 0) return
    all.delete(own)
    replicas.forget(own)
    if (owner !== undefined && own.siblings.refused === 0 && own.siblings.unseen.size === 0) byOwner.delete(owner.uid)
  }

  return {
    read,
    values: () => [...all].filter(({ list }) => list.size() > 0).map(({ pod, list }) => ({ pod, count: list.size(), pods: list.values })),
    add(pod) {
      if (!isFree(pod)) return
      const own = replicas.of(pod)
      const { siblings, list } = own
      own.count++
      if (pod.unschedulableSince !== undefined) {
        list.add(pod)
        if (siblings.refused++ === 0) for (const other of siblings.unseen) replicas.of(other).list.add(other)
      } else if (pod.owner !== undefined) {
        siblings.unseen.add(pod)
        if (siblings.refused > 0) list.add(pod)
      }
    },
    remove(pod) {
      if (!isFree(pod)) return
      const own = replicas.of(pod)
      const { siblings, list } = own
      own.count--
      if (pod.unschedulableSince !== undefined) {
        list.remove(pod)
        if (--siblings.refused === 0) for (const other of siblings.unseen) replicas.of(other).list.remove(other)
      } else if (siblings.unseen.delete(pod) && siblings.refused > 0) list.remove(pod)
      tidy(own)
    },
  }
}

/** A pod as it counts from now on: `after`, and no longer as `before`. */
export type Recounted = { readonly before: Pod | undefined; readonly after: Pod }

/** Pods that kube-scheduler is about to bind to a node. While that can come about, they count as pods of the node. */
export interface NominatedPods {
  /** Takes the pod if it has a nominated node. False: it is counted by its other fields. */
  add(pod: Pod): boolean
  /** Forgets the pod. Returns it as it counts until now: another pod counts as it is. Undefined if it does not count yet. */
  forget(pod: Pod): Pod | undefined
  /** The pods that count in another way from now on. `machineOf`: the machine of a node that exists. */
  recount(now: EpochMs, machineOf: (node: NodeName) => StateNode | undefined): readonly Recounted[]
}

/** Reports whether the scheduler is about to bind the pod. */
function isNominated({ nominatedNodeName, nodeName }: Pod): boolean {
  return nominatedNodeName !== undefined && nodeName === undefined
}

export function createNominatedPods(): NominatedPods {
  /** Each pod, and the form in which it counts. Undefined until the first recount. */
  const counted = new Map<Pod, Pod | undefined>()
  return {
    add(pod) {
      if (!isNominated(pod) || !isActive(pod)) return false
      counted.set(pod, undefined)
      return true
    },
    forget(pod) {
      const known = counted.has(pod) ? counted.get(pod) : pod
      counted.delete(pod)
      return known
    },
    recount(now, machineOf) {
      const changed: Recounted[] = []
      for (const [pod, before] of counted) {
        const { nominatedNodeName: node, ...others } = pod
        if (node === undefined) continue
        const isAwaited = isToCome(pod, machineOf(node), now)
        if (before !== undefined && (before.nodeName !== undefined) === isAwaited) continue
        const after: Pod = isAwaited ? { ...pod, nodeName: node } : others
        counted.set(pod, after)
        changed.push({ before, after })
      }
      return changed
    },
  }
}

/** Reports whether the pod may still come to the machine. A machine that ends takes no pod, and the scheduler looks for another one. */
function isToCome(pod: Pod, machine: StateNode | undefined, now: EpochMs): boolean {
  return machine !== undefined && !machine.isDeleting && holdsNomination(pod, machine.pods, now)
}

export type WorkloadSources = Pick<ClusterSnapshot['objects'], 'deployment' | 'statefulSet' | 'replicaSet' | 'replicationController'>

/** The workloads of every kind that owns or scales pods. */
export function workloadsOf({ deployment, statefulSet, replicaSet, replicationController }: WorkloadSources): readonly Workload[] {
  return [...deployment, ...statefulSet, ...replicaSet, ...replicationController]
}
