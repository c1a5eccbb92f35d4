/** Turns counts back into pods: which pod of a class goes where. */
import { addAll } from '../../../base/lists.ts'
import type { Uid } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import type { Plan } from '../candidates/plan.ts'
import { type Bin, isBin } from '../model/nodes/bin.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import type { PodClass } from '../model/pods/podClass.ts'

export type Assignment = {
  readonly onExistingNodes: readonly { readonly pod: Pod; readonly existingNode: ExistingNode }[]
  readonly inBins: ReadonlyMap<Bin, readonly Pod[]>
  /** Pods that found no place: the newest of their class. */
  readonly unplaced: ReadonlyMap<PodClass, readonly Pod[]>
}

/** Pods of a class take its places in the order of the log. A nominated pod takes the place that it is nominated for. */
export function assignPods({ log }: Plan, classes: readonly PodClass[], nominated: ReadonlyMap<Uid, ExistingNode>): Assignment {
  const isWaiting = (pod: Pod): boolean => !nominated.has(pod.uid)
  const waiting = new Map(classes.map((podClass) => [podClass, nominated.size === 0 ? podClass.pods() : podClass.pods().filter(isWaiting)]))
  const next = new Map<PodClass, number>()
  const onExistingNodes = [...nominatedPods(classes, nominated)]
  const inBins = new Map<Bin, Pod[]>()
  for (const { host, podClass, count, isNominated } of log) {
    if (isNominated === true) continue
    const start = next.get(podClass) ?? 0
    next.set(podClass, start + count)
    const pods = (waiting.get(podClass) ?? []).slice(start, start + count)
    if (isBin(host)) {
      const present = inBins.get(host)
      if (present === undefined) inBins.set(host, pods)
      else addAll(present, pods)
    } else for (const pod of pods) onExistingNodes.push({ pod, existingNode: host })
  }
  const unplaced = [...waiting].map(([podClass, pods]) => [podClass, pods.slice(next.get(podClass) ?? 0)] as const)
  return { onExistingNodes, inBins, unplaced: new Map(unplaced.filter(([, pods]) => pods.length > 0)) }
}

function* nominatedPods(
  classes: readonly PodClass[],
  nominated: ReadonlyMap<Uid, ExistingNode>,
): Iterable<Assignment['onExistingNodes'][number]> {
  if (nominated.size === 0) return
  for (const { pods } of classes) {
    for (const pod of pods()) {
      const existingNode = nominated.get(pod.uid)
      if (existingNode !== undefined) yield { pod, existingNode }
    }
  }
}
