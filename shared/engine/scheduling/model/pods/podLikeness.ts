import { isSame, isSameFlat } from '../../../../base/isSame.ts'
import { ownValue } from '../../../../base/ownValue.ts'
import { namespaceOf } from '../../../../model/ids.ts'
import type {
  HostPort,
  LabelSelector,
  NodeSelectorTerm,
  Pod,
  PodAffinityTerm,
  PreferredNodeTerm,
  TopologySpreadConstraint,
} from '../../../../model/pod.ts'
import type { RequirementSpec } from '../../../../model/requirement.ts'
import type { Toleration } from '../../../../model/taint.ts'

/** A text that tells forms apart. A pod is compared with all pods of its text, so thousands of different pods must not share one. */
export function formText(pod: Pod): string {
  let text: string = namespaceOf(pod)
  for (const key in pod.labels) text += ` ${key}=${ownValue(pod.labels, key)}`
  return text + askText(pod)
}

/** The part of that text about what pods ask, without their own labels. Pods that ask the same have the same text. */
export function askText(pod: Pod): string {
  const { nodeSelector, requiredNodeTerms, preferredNodeTerms, tolerations, topologySpread, podAffinity, podAntiAffinity, hostPorts } = pod
  const own = membersText(' ', nodeSelector)
  const ofNodes = `${listText(requiredNodeTerms ?? NONE, requiredText)}${listText(preferredNodeTerms, preferredText)}${listText(tolerations, tolerationText)}`
  const ofPods = `${listText(topologySpread, spreadText)}${affinityText(podAffinity)}${affinityText(podAntiAffinity)}`
  return `${own}${ofNodes}${ofPods}${listText(hostPorts, portText)}`
}

/** A counter, since an iterator makes objects even for the empty lists that most pods have. */
function listText<Each>(list: readonly Each[], textOf: (each: Each) => string): string {
  let text = ''
  for (let at = 0; at < list.length; at++) {
    const each = list[at]
    if (each !== undefined) text += textOf(each)
  }
  return text
}

const requiredText = ({ matchExpressions }: NodeSelectorTerm): string => ` or${expressionsText(matchExpressions)}`
const preferredText = ({ term }: PreferredNodeTerm): string => ` like${expressionsText(term.matchExpressions)}`
const tolerationText = ({ key, value }: Toleration): string => ` ${key}:${value}`
const spreadText = ({ topologyKey, selector }: TopologySpreadConstraint): string => ` ${topologyKey}${selectorText(selector)}`
const portText = ({ port }: HostPort): string => ` ${port}`

/** The requests as text, equal for equal requests. Nearly all pods request only CPU and memory, so these are written without names. */
export function requestsText({ requests }: Pick<Pod, 'requests'>): string {
  let text = `${requests['cpu']} ${requests['memory']}`
  let others: string[] | undefined
  for (const name in requests) {
    if (name === 'cpu' || name === 'memory') continue
    others ??= []
    others.push(name)
  }
  for (const name of others?.sort() ?? NONE) text += ` ${name}=${ownValue(requests, name)}`
  return text
}

const NONE: readonly never[] = []

function affinityText({ required, preferred }: Pod['podAffinity']): string {
  return ` ${required.length}/${preferred.length}${listText(required, termText)}${listText(preferred, weightedText)}`
}

const weightedText = ({ term }: Pod['podAffinity']['preferred'][number]): string => termText(term)

function termText({ topologyKey, selector, namespaces }: PodAffinityTerm): string {
  return ` ${topologyKey}${selectorText(selector)}${namespaces.length === 0 ? '' : ` in ${namespaces.join()}`}`
}

function selectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return ''
  return membersText(',', selector.matchLabels) + expressionsText(selector.matchExpressions)
}

/** Returns the keys in one order: members may have been added in any order. */
export function sortedKeys(members: object): readonly string[] {
  const keys = Object.keys(members)
  return keys.length < 2 ? keys : keys.sort()
}

function membersText(separator: string, members: Readonly<Record<string, string>>): string {
  const keys = sortedKeys(members)
  let text = ''
  for (let at = 0; at < keys.length; at++) text += `${separator}${keys[at]}=${ownValue(members, keys[at] ?? '')}`
  return text
}

function expressionsText(expressions: readonly RequirementSpec[]): string {
  return listText(expressions, expressionText)
}

const expressionText = ({ key, values }: RequirementSpec): string => ` ${key}=${values.join()}`

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
