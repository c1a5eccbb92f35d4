import { isSame, isSameFlat } from '../../../base/isSame.ts'
import { namespaceOf } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'

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
