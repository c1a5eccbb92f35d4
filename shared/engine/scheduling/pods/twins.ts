/** Pods that say the same of themselves, as copies of one template do: planning looks at one of them for all. */
import { isSame, isSameFlat } from '../../../base/isSame.ts'
import type { Pod } from '../../../model/pod.ts'
import { createPodFinder, type PodFinder } from './podFinder.ts'
import { areOfOneForm, formText } from './podForms.ts'
import { byAge } from './queueOrder.ts'

export type Twins = {
  /** Speaks for all of them: they differ in name, uid, times and what is said of their state only. */
  readonly pod: Pod
  /** The oldest first; never empty. */
  readonly pods: readonly Pod[]
}

/** Finds what is kept about the twins of a pod. They mostly come one after another. */
export function twinFinder<Entry extends { readonly pod: Pod }>(make: (first: Pod) => Entry): PodFinder<Entry> {
  const finder = createPodFinder({ textOf, isAlike: areTwins, make })
  let last: Entry | undefined
  return {
    of(pod) {
      if (last === undefined || !areTwins(last.pod, pod)) last = finder.of(pod)
      return last
    },
    forget(entry) {
      finder.forget(entry)
      last = undefined
    },
  }
}

/** The same pods, twins together. */
export function twinsOf(pods: readonly Pod[]): readonly Twins[] {
  const all: { readonly pod: Pod; readonly pods: Pod[] }[] = []
  const finder = twinFinder((pod) => {
    const made = { pod, pods: [] as Pod[] }
    all.push(made)
    return made
  })
  for (const pod of pods) finder.of(pod).pods.push(pod)
  for (const each of all) each.pods.sort(byAge)
  return all
}

function textOf(pod: Pod): string {
  return `${pod.requests['cpu']} ${pod.requests['memory']} ${formText(pod)}`
}

/** The owner counts: what speaks for it speaks for its pods. */
function areTwins(first: Pod, second: Pod): boolean {
  return (
    isSameFlat(first.requests, second.requests) &&
    first.owner?.uid === second.owner?.uid &&
    areOfOneForm(first, second) &&
    isSame(first.volumes, second.volumes) &&
    isSame(first.resourceClaims, second.resourceClaims)
  )
}
