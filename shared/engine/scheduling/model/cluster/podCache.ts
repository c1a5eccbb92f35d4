/** The pods of the cluster by their part in a plan: waiting, running on a node, or neither. */
import { byKey } from '../../../../base/lists.ts'
import { isSame, isSameFlat } from '../../../../base/values.ts'
import type { NodeName, Uid } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { Namespace } from '../../../../model/workloads.ts'
import { claimKeys, isDaemonPod, isTerminal } from '../../../pod/podPredicates.ts'
import type { MachineIndex } from '../../snapshot/machineIndex.ts'
import { createNewestPods } from '../../snapshot/otherObjects.ts'
import type { PodReplicas } from '../pods/podReplicas.ts'
import { createNominatedPods, createWaitingPods, type NominatedPods, type Recounted } from '../pods/waitingPods.ts'
import type { Work } from '../quantities/work.ts'
import { createInverseAntiAffinity, type InverseAntiAffinity } from '../topology/inverseAntiAffinity.ts'
import { createLabelCounts, type LabelCounts } from '../topology/labelCounts.ts'

export interface PodCache {
  /** Pods without a node that a new machine could help. */
  waiting(): readonly PodReplicas[]
  readonly running: RunningPods
  add(pod: Pod): void
  remove(pod: Pod): void
  /** The nominated pods that count in another way from now on. Pass them to `count`. */
  readonly recount: NominatedPods['recount']
  count(recounted: readonly Recounted[]): void
  /** What has changed for rules about neighbours. */
  readonly neighbourChanges: NeighbourChanges
  /** Counts the pods of the node as running, since the node has appeared. */
  nodeCame(name: string): void
  /** Stops counting the pods of the node as running, since the node has gone. */
  nodeWent(name: string): void
  newestOf(daemonSet: Uid): Pod | undefined
  /** The work done so far. */
  done(): Pick<Work, 'pods' | 'characters'>
}

export function createPodCache(machines: MachineIndex, namespaces: () => readonly Namespace[]): PodCache {
  const waiting = createWaitingPods()
  const daemonPods = createNewestPods()
  const running = createRunningPods(machines, namespaces)
  const nominated = createNominatedPods()
  const neighbourChanges = createNeighbourChanges()
  let added = 0

  function put(pod: Pod): void {
    if (isDaemonPod(pod)) daemonPods.add(pod)
    waiting.add(pod)
    if (pod.nodeName === undefined || isTerminal(pod)) return
    machines.bind(pod, pod.nodeName)
    if (machines.nodes.has(pod.nodeName)) running.add(pod, pod.nodeName)
  }

  function take(pod: Pod): void {
    if (isDaemonPod(pod)) daemonPods.remove(pod)
    waiting.remove(pod)
    if (pod.nodeName === undefined || isTerminal(pod)) return
    machines.unbind(pod, pod.nodeName)
    if (machines.nodes.has(pod.nodeName)) running.remove(pod, pod.nodeName)
  }

  function everyOn(name: string, visit: (pod: Pod, node: NodeName) => void): void {
    const node = machines.nodes.get(name)
    if (node !== undefined) for (const pod of machines.podsOn(node.name)) visit(pod, node.name)
  }

  return {
    waiting: waiting.values,
    running,
    neighbourChanges,
    add(pod) {
      added++
      if (!nominated.add(pod)) put(pod)
    },
    remove(pod) {
      const counted = nominated.forget(pod)
      if (counted === undefined) return
      if (counted !== pod) neighbourChanges.note(counted, undefined)
      take(counted)
    },
    recount: nominated.recount,
    count(recounted) {
      for (const { before, after } of recounted) {
        neighbourChanges.note(before, after)
        if (before !== undefined) take(before)
        put(after)
      }
    },
    nodeCame: (name) => everyOn(name, running.add),
    nodeWent: (name) => everyOn(name, running.remove),
    newestOf: daemonPods.of,
    done: () => ({ pods: added, characters: waiting.read.characters }),
  }
}

/** What has changed for rules about neighbours: nothing, the counts of pods, or the rules and volumes of running pods as well. */
export type NeighbourChange = 'none' | 'counts' | 'rules'

interface NeighbourChanges {
  /** Notes what a pod was and is. Undefined: there was none, or there is none any longer. */
  note(before: Pod | undefined, after: Pod | undefined): void
  /** The largest change since the last call. */
  take(): NeighbourChange
}

function createNeighbourChanges(): NeighbourChanges {
  let largest: NeighbourChange = 'none'
  return {
    note(before, after) {
      if (largest === 'rules') return
      const change = changeOf(running(before), running(after))
      if (change !== 'none') largest = change
    },
    take() {
      const taken = largest
      largest = 'none'
      return taken
    },
  }
}

function running(pod: Pod | undefined): Pod | undefined {
  return pod === undefined || pod.nodeName === undefined || isTerminal(pod) ? undefined : pod
}

function changeOf(before: Pod | undefined, after: Pod | undefined): NeighbourChange {
  if (before === after || (before !== undefined && after !== undefined && isSameNeighbour(before, after))) return 'none'
  return isPlain(before) && isPlain(after) ? 'counts' : 'rules'
}

/** Reports whether rules about neighbours and about shared volumes see no difference. */
function isSameNeighbour(first: Pod, second: Pod): boolean {
  return (
    first.nodeName === second.nodeName &&
    (first.deletedAt === undefined) === (second.deletedAt === undefined) &&
    isSameFlat(first.labels, second.labels) &&
    isSame(first.podAntiAffinity.required, second.podAntiAffinity.required) &&
    isSame(first.volumes, second.volumes)
  )
}

/** True for a pod that has no rules for others: it is only counted. */
function isPlain(pod: Pod | undefined): boolean {
  return pod === undefined || (pod.podAntiAffinity.required.length === 0 && pod.volumes.length === 0)
}

/** Counts of the pods that run on nodes, and their anti-affinity terms. */
interface RunningPods {
  add(pod: Pod, node: NodeName): void
  remove(pod: Pod, node: NodeName): void
  namespacesChanged(): void
  /** Says that the machine of the node is of another kind than before. */
  kindChanged(node: NodeName): void
  labelCounts(): LabelCounts
  inverseAntiAffinity(): InverseAntiAffinity
  /** The number of running pods that mount the volume claim. */
  mountsOf(claim: string): number
  /** The first running pod by name that mounts the volume claim. */
  userOf(claim: string): Pod | undefined
}

function createRunningPods(machines: MachineIndex, namespaces: () => readonly Namespace[]): RunningPods {
  const mounts = new Map<string, Set<Pod>>()
  let inverseAntiAffinity = createInverseAntiAffinity(namespaces)
  // Undefined until asked for: a decision about pods without affinity or spread rules does not need the counts.
  let counts: LabelCounts | undefined

  function every(visit: (pod: Pod, node: NodeName) => void): void {
    for (const { name } of machines.nodes.values()) for (const pod of machines.podsOn(name)) visit(pod, name)
  }

  function mount(pod: Pod): void {
    for (const claim of claimKeys(pod)) mounts.set(claim, (mounts.get(claim) ?? new Set()).add(pod))
  }

  function unmount(pod: Pod): void {
    for (const claim of claimKeys(pod)) {
      const users = mounts.get(claim)
      users?.delete(pod)
      if (users?.size === 0) mounts.delete(claim)
    }
  }

  return {
    add(pod, node) {
      if (pod.podAntiAffinity.required.length > 0) inverseAntiAffinity.add(pod, node)
      if (pod.deletedAt === undefined) counts?.add(pod, node)
      if (pod.volumes.length > 0) mount(pod)
    },
    remove(pod, node) {
      if (pod.podAntiAffinity.required.length > 0) inverseAntiAffinity.remove(pod, node)
      if (pod.deletedAt === undefined) counts?.remove(pod, node)
      if (pod.volumes.length > 0) unmount(pod)
    },
    namespacesChanged() {
      if (!inverseAntiAffinity.asksNamespaces()) return
      const made = createInverseAntiAffinity(namespaces)
      every((pod, node) => made.add(pod, node))
      inverseAntiAffinity = made
    },
    kindChanged(node) {
      if (counts !== undefined) for (const pod of machines.podsOn(node)) counts.kindChanged(pod)
    },
    labelCounts() {
      if (counts !== undefined) return counts
      const made = createLabelCounts()
      every((pod, node) => {
        if (pod.deletedAt === undefined) made.add(pod, node)
      })
      counts = made
      return made
    },
    inverseAntiAffinity: () => inverseAntiAffinity,
    mountsOf: (claim) => mounts.get(claim)?.size ?? 0,
    userOf: (claim) => [...(mounts.get(claim) ?? [])].sort(byKey(({ key }) => key))[0],
  }
}
