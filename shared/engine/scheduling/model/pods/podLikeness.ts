import { isSame, isSameFlat } from '../../../../base/isSame.ts'
import { namespaceOf } from '../../../../model/ids.ts'
import type { LabelSelector, Pod, PodAffinityTerm } from '../../../../model/pod.ts'
import type { RequirementSpec } from '../../../../model/requirement.ts'

/** A text that tells forms apart. A pod is compared with all pods of its text, so thousands of different pods must not share one. */
export function formText(pod: Pod): string {
  let text: string = namespaceOf(pod)
  for (const key in pod.labels) text += ` ${key}=${pod.labels[key]}`
  return text + askText(pod)
}

/** The part of that text about what pods ask, without their own labels. Pods that ask the same have the same text. */
export function askText(pod: Pod): string {
  const { nodeSelector, requiredNodeTerms, preferredNodeTerms, tolerations, topologySpread, podAffinity, podAntiAffinity, hostPorts } = pod
  let text = ''
  for (const key of inOrder(nodeSelector)) text += ` ${key}=${nodeSelector[key]}`
  for (const term of requiredNodeTerms ?? []) text += ` or${expressionsText(term.matchExpressions)}`
  for (const { term } of preferredNodeTerms) text += ` like${expressionsText(term.matchExpressions)}`
  for (const { key, value } of tolerations) text += ` ${key}:${value}`
  for (const { topologyKey, selector } of topologySpread) text += ` ${topologyKey}${selectorText(selector)}`
  for (const { port } of hostPorts) text += ` ${port}`
  return `${text}${affinityText(podAffinity)}${affinityText(podAntiAffinity)}`
}

/** The requests as text, equal for equal requests. Nearly all pods request only CPU and memory, so these are written without names. */
export function requestsText({ requests }: Pick<Pod, 'requests'>): string {
  let text = `${requests['cpu']} ${requests['memory']}`
  let others: string[] | undefined
  for (const name in requests) {
    if (name === 'cpu' || name === 'memory') continue
    others ??= []
    others.push(name)
  }
  for (const name of others?.sort() ?? NONE) text += ` ${name}=${requests[name]}`
  return text
}

const NONE: readonly string[] = []

function affinityText({ required, preferred }: Pod['podAffinity']): string {
  let text = ` ${required.length}/${preferred.length}`
  for (const term of required) text += termText(term)
  for (const { term } of preferred) text += termText(term)
  return text
}

function termText({ topologyKey, selector, namespaces }: PodAffinityTerm): string {
  return ` ${topologyKey}${selectorText(selector)}${namespaces.length === 0 ? '' : ` in ${namespaces.join()}`}`
}

function selectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return ''
  let text = ''
  for (const key of inOrder(selector.matchLabels)) text += `,${key}=${selector.matchLabels[key]}`
  return text + expressionsText(selector.matchExpressions)
}

/** Sorts the keys: members may have been added in any order. */
function inOrder(members: object): readonly string[] {
  const keys = Object.keys(members)
  return keys.length < 2 ? keys : keys.sort()
}

function expressionsText(expressions: readonly RequirementSpec[]): string {
  let text = ''
  for (const { key, values } of expressions) text += ` ${key}=${values.join()}`
  return text
}

/** Reports whether two pods ask the same of the place where they run. Requests and labels are not compared. */
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
