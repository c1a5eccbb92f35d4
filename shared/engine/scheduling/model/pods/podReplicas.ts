/** Pods with the same spec, such as copies of one template. Planning looks at one of them for all. */
import { byText } from '../../../../base/lists.ts'
import { isSame, isSameFlat, ownValue } from '../../../../base/values.ts'
import { isOfOneNamespace, namespaceOf } from '../../../../model/ids.ts'
import type {
  HostPort,
  LabelSelector,
  NodeSelectorTerm,
  Pod,
  PodAffinityTerm,
  PreferredNodeTerm,
  TopologySpreadConstraint,
} from '../../../../model/pod.ts'
import type { RequirementSpec } from '../../../../model/requirements.ts'
import { amountOf } from '../../../../model/resources.ts'
import type { Toleration } from '../../../../model/taint.ts'
import type { Work } from '../quantities/work.ts'

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
    isSameOwner(first.owner, second.owner) &&
    isSameFlat(first.labels, second.labels) &&
    asksTheSame(first, second) &&
    isSame(first.volumes, second.volumes) &&
    isSame(first.resourceClaims, second.resourceClaims) &&
    first.schedulingGroup === second.schedulingGroup
  )
}

function isSameOwner(first: Pod['owner'], second: Pod['owner']): boolean {
  return first?.uid === second?.uid && first?.controls === second?.controls
}

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

/** Keeps one entry for all pods that are alike, and finds it by any of them. */
interface PodFinder<Entry> {
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

/** More CPU first, then more memory. */
export function bySize({ requests: first }: Pick<Pod, 'requests'>, { requests: second }: Pick<Pod, 'requests'>): number {
  return amountOf(second, 'cpu') - amountOf(first, 'cpu') || amountOf(second, 'memory') - amountOf(first, 'memory')
}

/** Older pods first, then by uid. */
export function byAge(first: Pick<Pod, 'createdAt' | 'uid'>, second: Pick<Pod, 'createdAt' | 'uid'>): number {
  return first.createdAt - second.createdAt || byText(first.uid, second.uid)
}
