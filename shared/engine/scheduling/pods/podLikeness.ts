import { isSame, isSameFlat } from '../../../base/isSame.ts'
import { namespaceOf } from '../../../model/ids.ts'
import type { NodeSelectorTerm, Pod } from '../../../model/pod.ts'

/** Cheap, and tells nearly all forms apart: each pod is compared with those of the same text. */
export function formText(pod: Pod): string {
  const { labels, nodeSelector, preferredNodeTerms, tolerations, topologySpread, podAffinity, podAntiAffinity } = pod
  let text: string = namespaceOf(pod)
  for (const key in labels) text += ` ${labels[key]}`
  for (const key in nodeSelector) text += ` ${key}=${nodeSelector[key]}`
  for (const term of pod.requiredNodeTerms ?? []) text += termText(term)
  for (const { term } of preferredNodeTerms) text += termText(term)
  for (const { key, value } of tolerations) text += ` ${key}=${value}`
  for (const { topologyKey, selector } of topologySpread) {
    text += ` ${topologyKey}`
    for (const key in selector?.matchLabels) text += `=${selector.matchLabels[key]}`
  }
  return `${text} ${podAffinity.required.length} ${podAntiAffinity.required.length}`
}

function termText({ matchExpressions }: NodeSelectorTerm): string {
  let text = ''
  for (const { key, values } of matchExpressions) text += ` ${key}=${values[0]}`
  return text
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
