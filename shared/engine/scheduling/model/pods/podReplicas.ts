/** Pods that say the same of themselves, as copies of one template do: planning looks at one of them for all. */
import { isSame, isSameFlat } from '../../../../base/isSame.ts'
import { isOfOneNamespace, namespaceOf } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import { createPodFinder, type PodFinder, type Reading } from './podFinder.ts'
import { asksTheSame, formText, requestsText } from './podLikeness.ts'
import { byAge } from './queueOrder.ts'

export type PodReplicas = PodList & {
  /** Speaks for all of them: they differ in name, uid, times and what is said of their state only. */
  readonly pod: Pod
}

/** Pods that are put in order only when somebody asks who they are: a plan can do with their number. Never empty. */
export type PodList = {
  readonly count: number
  /** In queue order. */
  readonly pods: () => readonly Pod[]
}

/** Finds what is kept about the replicas of a pod. They mostly come one after another. */
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

/** The same pods, replicas together. */
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

/** Copies of one template may have owners and volumes of their own: by the thousand they must not be compared with each other. */
function textOf(pod: Pod): string {
  let text = `${requestsText(pod)} ${pod.owner?.uid} ${formText(pod)}`
  for (const volume of pod.volumes) if ('claimName' in volume) text += ` ${volume.claimName}`
  return text
}

function areReplicas(first: Pod, second: Pod): boolean {
  return isOfOneNamespace(first, second) && sayTheSame(first, second)
}

/** The owner counts: what speaks for it speaks for its pods. */
function sayTheSame(first: Pod, second: Pod): boolean {
  return (
    isSameFlat(first.requests, second.requests) &&
    first.owner?.uid === second.owner?.uid &&
    isSameFlat(first.labels, second.labels) &&
    asksTheSame(first, second) &&
    isSame(first.volumes, second.volumes) &&
    isSame(first.resourceClaims, second.resourceClaims)
  )
}
