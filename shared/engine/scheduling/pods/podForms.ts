/** Pods that differ in size alone share everything else that placement reads: it is worked out once for all of them. */
import { isSame } from '../../../base/isSame.ts'
import { namespaceOf } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import type { Candidate } from './candidate.ts'

/** What pods of one form share. */
export type PodForm = { readonly first: Candidate }

/** Finds the form of a pod, or makes it. Pods with volumes have forms of their own. */
export function podForms<Form extends PodForm>(make: (first: Candidate) => Form): (candidate: Candidate) => Form {
  const known = new Map<string, Form[]>()
  return (candidate) => {
    const { pod } = candidate
    if (pod.volumes.length > 0) return make(candidate)
    const text = textOf(pod)
    const alike = known.get(text) ?? []
    known.set(text, alike)
    const found = alike.find(({ first }) => isOfOneForm(first.pod, pod))
    if (found !== undefined) return found
    const made = make(candidate)
    alike.push(made)
    return made
  }
}

/** Cheap, and tells nearly all forms apart. */
function textOf(pod: Pod): string {
  const { labels, topologySpread, podAffinity, podAntiAffinity } = pod
  let text: string = namespaceOf(pod)
  for (const key in labels) text += ` ${labels[key]}`
  for (const { topologyKey, selector } of topologySpread) {
    text += ` ${topologyKey}`
    for (const key in selector?.matchLabels) text += `=${selector.matchLabels[key]}`
  }
  return `${text} ${podAffinity.required.length} ${podAntiAffinity.required.length}`
}

function isOfOneForm(first: Pod, second: Pod): boolean {
  return namespaceOf(first) === namespaceOf(second) && isSame(first.labels, second.labels) && asksTheSame(first, second)
}

/** True when two pods say the same of where they want to run, sizes and labels apart. */
export function asksTheSame(first: Pod, second: Pod): boolean {
  return (
    isSame(first.nodeSelector, second.nodeSelector) &&
    isSame(first.requiredNodeTerms, second.requiredNodeTerms) &&
    isSame(first.preferredNodeTerms, second.preferredNodeTerms) &&
    isSame(first.tolerations, second.tolerations) &&
    isSame(first.topologySpread, second.topologySpread) &&
    isSame(first.podAffinity, second.podAffinity) &&
    isSame(first.podAntiAffinity, second.podAntiAffinity) &&
    isSame(first.hostPorts, second.hostPorts)
  )
}
