/** The pods of the cluster by their part in a plan: waiting, running on a node, or neither. */
import type { NodeName, Uid } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { Namespace } from '../../../../model/workloads.ts'
import { isDaemonPod, isTerminal } from '../../../pod/podPredicates.ts'
import type { MachineIndex } from '../../snapshot/machineIndex.ts'
import { createNewestPods } from '../../snapshot/newestPods.ts'
import { createNominatedPods, type NominatedPods, type Recounted } from '../pods/nominatedPods.ts'
import type { PodReplicas } from '../pods/podReplicas.ts'
import { createWaitingPods } from '../pods/waitingPods.ts'
import type { Work } from '../quantities/work.ts'
import { createNeighbourChanges, type NeighbourChanges } from './neighbourChanges.ts'
import { createRunningPods, type RunningPods } from './runningPods.ts'

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
