/** Pods that differ in size alone share everything else that placement reads: it is worked out once for all of them. */
import { isSame, isSameFlat } from '../../../base/isSame.ts'
import { isOfOneNamespace, namespaceOf } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import type { Candidate } from './candidate.ts'
import { createPodFinder } from './podFinder.ts'

/** Finds the form of a candidate, or makes it. Those with volumes have forms of their own. */
export function podForms<Form>(make: (first: Candidate) => Form): (candidate: Candidate) => Form {
  const finder = createPodFinder({ textOf: formText, isAlike: areOfOneForm, make: (pod): Entry<Form> => ({ pod, form: undefined }) })
  return (candidate) => {
    if (candidate.pod.volumes.length > 0) return make(candidate)
    const entry = finder.of(candidate.pod)
    entry.form ??= make(candidate)
    return entry.form
  }
}

type Entry<Form> = { readonly pod: Pod; form: Form | undefined }

/** Cheap, and tells nearly all forms apart. */
export function formText(pod: Pod): string {
  const { labels, nodeSelector, requiredNodeTerms, topologySpread, podAffinity, podAntiAffinity } = pod
  let text: string = namespaceOf(pod)
  for (const key in labels) text += ` ${labels[key]}`
  for (const key in nodeSelector) text += ` ${key}=${nodeSelector[key]}`
  for (const { matchExpressions } of requiredNodeTerms ?? []) {
    for (const { key, values } of matchExpressions) text += ` ${key}=${values[0]}`
  }
  for (const { topologyKey, selector } of topologySpread) {
    text += ` ${topologyKey}`
    for (const key in selector?.matchLabels) text += `=${selector.matchLabels[key]}`
  }
  return `${text} ${podAffinity.required.length} ${podAntiAffinity.required.length}`
}

/** True when two pods say the same of themselves and of where they want to run, sizes and volumes apart. */
export function areOfOneForm(first: Pod, second: Pod): boolean {
  return isSameFlat(first.labels, second.labels) && isOfOneNamespace(first, second) && asksTheSame(first, second)
}

/** True when two pods say the same of where they want to run, sizes and labels apart. */
export function asksTheSame(first: Pod, second: Pod): boolean {
  return (
    isSameFlat(first.nodeSelector, second.nodeSelector) &&
    isSame(first.requiredNodeTerms, second.requiredNodeTerms) &&
    isSame(first.preferredNodeTerms, second.preferredNodeTerms) &&
    isSame(first.tolerations, second.tolerations) &&
    isSame(first.topologySpread, second.topologySpread) &&
    isSame(first.podAffinity, second.podAffinity) &&
    isSame(first.podAntiAffinity, second.podAntiAffinity) &&
    isSame(first.hostPorts, second.hostPorts)
  )
}
