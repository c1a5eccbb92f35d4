/** Pods with the same spec, such as copies of one template. Planning looks at one of them for all. */
import { isSame, isSameFlat } from '../../../../base/isSame.ts'
import { isOfOneNamespace, namespaceOf } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import { createPodFinder, type PodFinder, type Reading } from './podFinder.ts'
import { asksTheSame, formText, requestsText } from './podLikeness.ts'
import { byAge } from './queueOrder.ts'

export type PodReplicas = PodList & {
  /** One pod that stands for all. The pods differ only in name, uid, times and status. */
  readonly pod: Pod
}

/** Pods that are listed and sorted only when asked for. A plan mostly needs their number alone. Never empty. */
export type PodList = {
  readonly count: number
  /** In queue order. */
  readonly pods: () => readonly Pod[]
}

/** Finds the entry that is kept for the replicas of a pod. Replicas mostly come one after another, so the last entry is tried first. */
export function replicaFinder<Entry extends { readonly pod: Pod }>(make: (first: Pod) => Entry, work: Reading): PodFinder<Entry> {
  const finder = createPodFinder({ textOf, isAlike: areReplicas, make }, work)
  let last: Entry | undefined
  let home = ''
  return {
    of(pod) {
      if (last !== undefined && pod.key.startsWith(home) && sayTheSame(last.pod, pod)) return last
      last = finder.of(pod)
      home = `${namespaceOf(pod)}/`
      return last
    },
    forget(entry) {
      finder.forget(entry)
      last = undefined
    },
  }
}

/** The same pods, with replicas put together. */
export function replicasOf(pods: readonly Pod[], work: Reading): readonly PodReplicas[] {
  const all: { readonly pod: Pod; readonly own: Pod[] }[] = []
  const finder = replicaFinder((pod) => {
    const own: Pod[] = []
    const made = { pod, own }
    all.push(made)
    return made
  }, work)
  for (const pod of pods) finder.of(pod).own.push(pod)
  return all.map(({ pod, own }) => ({ pod, count: own.length, pods: () => own.sort(byAge) }))
}

/** Holds owner and volumes as well: thousands of copies that differ in these must not be compared with each other. */
function textOf(pod: Pod): string {
  let text = `${requestsText(pod)} ${pod.owner?.uid} ${formText(pod)}`
  for (const volume of pod.volumes) if ('claimName' in volume) text += ` ${volume.claimName}`
  return text
}

/** Reports whether the pods differ only in name, uid, times, annotations and status. */
export function areReplicas(first: Pod, second: Pod): boolean {
  return isOfOneNamespace(first, second) && sayTheSame(first, second)
}

/** Compares the owner as well: siblings and the default spread of a pod depend on it. */
function sayTheSame(first: Pod, second: Pod): boolean {
  return (
    isSameFlat(first.requests, second.requests) &&
    first.priority === second.priority &&
    first.owner?.uid === second.owner?.uid &&
    isSameFlat(first.labels, second.labels) &&
    asksTheSame(first, second) &&
    isSame(first.volumes, second.volumes) &&
    isSame(first.resourceClaims, second.resourceClaims) &&
    first.schedulingGroup === second.schedulingGroup
  )
}
