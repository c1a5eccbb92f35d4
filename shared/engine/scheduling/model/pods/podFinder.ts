import type { Pod } from '../../../../model/pod.ts'
import type { Work } from '../quantities/work.ts'

/** Keeps one entry for all pods that are alike, and finds it by any of them. */
export interface PodFinder<Entry> {
  /** Returns the entry of the pod. Makes it if the pod is the first of its kind. */
  of(pod: Pod): Entry
  forget(entry: Entry): void
}

export type PodLikeness<Entry> = {
  /** A cheap text that differs for nearly all pods that are not alike. */
  readonly textOf: (pod: Pod) => string
  readonly isAlike: (first: Pod, second: Pod) => boolean
  readonly make: (first: Pod) => Entry
}

/** Counts the characters read. */
export type Reading = Pick<Work, 'characters'>

export function createPodFinder<Entry extends { readonly pod: Pod }>(
  { textOf, isAlike, make }: PodLikeness<Entry>,
  work: Reading,
): PodFinder<Entry> {
  const known = new Map<string, Entry[]>()
  return {
    of(pod) {
      const text = textOf(pod)
      work.characters += text.length
      const entries = known.get(text) ?? []
      const found = entries.find((each) => isAlike(each.pod, pod))
      if (found !== undefined) return found
      const made = make(pod)
      entries.push(made)
      known.set(text, entries)
      return made
    },
    forget(entry) {
      const text = textOf(entry.pod)
      const left = (known.get(text) ?? []).filter((each) => each !== entry)
      if (left.length === 0) known.delete(text)
      else known.set(text, left)
    },
  }
}
