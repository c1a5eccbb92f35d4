/** Required anti-affinity of running pods. It keeps other pods away from their domains. */

import { canonicalJson } from '../../../../base/json.ts'
import { byKey } from '../../../../base/lists.ts'
import { ownValue } from '../../../../base/values.ts'
import { type NodeName, namespaceOf } from '../../../../model/ids.ts'
import type { Labels } from '../../../../model/labels.ts'
import type { Pod, PodAffinityTerm } from '../../../../model/pod.ts'
import { has, type Requirement } from '../../../../model/requirements.ts'
import type { Taint } from '../../../../model/taint.ts'
import type { Namespace } from '../../../../model/workloads.ts'
import { type AskedLabels, addTerm as addAskedOf, createBySelector, type GrowingLabels } from './bySelector.ts'
import { type Asking, isInScope, type Labelled, type NodeFilter, scopeOf, type TermScope } from './topologyGroup.ts'

/** One anti-affinity term, and the pods that have it. */
export type InverseAntiAffinityTerm = {
  readonly text: string
  /** One of the pods that have it. The term takes its namespace and label values from the pod. */
  readonly pod: Pod
  readonly term: PodAffinityTerm
  readonly scope: TermScope
  /** The node of each pod that has the term and is not being deleted. A node is listed once for each pod. */
  readonly nodes: NodeName[]
  /** The number of pods that have it, including pods that are being deleted. */
  pods: number
}

export interface InverseAntiAffinity {
  add(pod: Pod, node: NodeName): void
  remove(pod: Pod, node: NodeName): void
  /**
   * The terms that select pods with any of these labels, sorted by text. Terms that only `moving` pods have are left out: those do not count as
   * running.
   */
  of(labelled: readonly Labelled[], moving: readonly string[], work: Asking): readonly InverseAntiAffinityTerm[]
  /** The labels that any of the terms selects by. */
  asked(): AskedLabels
  /** Reports whether some term selects namespaces by their labels. */
  asksNamespaces(): boolean
}

export function createInverseAntiAffinity(namespaces: () => readonly Namespace[]): InverseAntiAffinity {
  const known = new Map<string, InverseAntiAffinityTerm>()
  const bySelector = createBySelector<InverseAntiAffinityTerm>()
  let asked: AskedLabels | undefined

  function addTerm(pod: Pod, term: PodAffinityTerm, node: NodeName): void {
    const text = textOf(pod, term)
    const same = known.get(text)
    const inverse = same ?? { text, pod, term, scope: scopeOf(term, pod, namespaces()), nodes: [], pods: 0 }
    if (same === undefined) {
      known.set(text, inverse)
      asked = undefined
      bySelector.add(inverse.scope.selector, inverse)
    }
    inverse.pods++
    if (pod.deletedAt === undefined) inverse.nodes.push(node)
  }

  function removeTerm(pod: Pod, term: PodAffinityTerm, node: NodeName): void {
    const inverse = known.get(textOf(pod, term))
    if (inverse === undefined) return
    inverse.pods--
    const at = pod.deletedAt === undefined ? inverse.nodes.indexOf(node) : -1
    if (at >= 0) inverse.nodes.splice(at, 1)
    if (inverse.pods > 0) return
    known.delete(inverse.text)
    asked = undefined
    bySelector.remove(inverse.scope.selector, inverse)
  }

  return {
    add(pod, node) {
      for (const term of pod.podAntiAffinity.required) addTerm(pod, term, node)
    },
    remove(pod, node) {
      for (const term of pod.podAntiAffinity.required) removeTerm(pod, term, node)
    },
    of(labelled, moving, work) {
      const found = new Set<InverseAntiAffinityTerm>()
      if (known.size === 0) return []
      for (const each of labelled) {
        const candidates = bySelector.candidates(each.labels)
        work.scopes += candidates.length
        for (const inverse of candidates) if (isInScope(inverse.scope, each)) found.add(inverse)
      }
      const goes = ({ text, pods }: InverseAntiAffinityTerm): boolean => moving.filter((each) => each === text).length === pods
      const staying = moving.length === 0 ? [...found] : [...found].filter((inverse) => !goes(inverse))
      return staying.sort(byKey(({ text }) => text))
    },
    asked() {
      if (asked !== undefined) return asked
      const all: GrowingLabels = new Map()
      for (const { term } of known.values()) addAskedOf(all, term)
      asked = all
      return all
    },
    asksNamespaces: () => [...known.values()].some(({ term }) => term.namespaceSelector !== undefined),
  }
}

/** The texts that identify the required anti-affinity terms of the pod. */
export function inverseAntiAffinityTexts(pod: Pod): readonly string[] {
  return pod.podAntiAffinity.required.map((term) => textOf(pod, term))
}

/** Everything that a term means for its pod, as text. */
function textOf(pod: Pod, term: PodAffinityTerm): string {
  const { topologyKey, selector, namespaces, namespaceSelector, matchLabelKeys, mismatchLabelKeys } = term
  let text = `${namespaceOf(pod)} ${topologyKey} ${namespaces.join()}`
  for (const key in selector?.matchLabels) text += ` ${key}=${ownValue(selector.matchLabels, key)}`
  if (selector === undefined) text += ' nobody'
  else if (selector.matchExpressions.length > 0) text += ` ${canonicalJson(selector.matchExpressions)}`
  if (namespaceSelector !== undefined) text += ` in ${canonicalJson(namespaceSelector)}`
  for (const key of matchLabelKeys) text += ` same ${key}=${ownValue(pod.labels, key) ?? ''}${Object.hasOwn(pod.labels, key) ? '' : '!'}`
  for (const key of mismatchLabelKeys)
    text += ` other ${key}=${ownValue(pod.labels, key) ?? ''}${Object.hasOwn(pod.labels, key) ? '' : '!'}`
  return text
}

/** A machine or bin that may take pods, as topology rules see it. */
export type TopologyHost = {
  /** Its host name, also its domain for rules about single hosts. */
  readonly name: string
  /** The value of a label. Undefined if the host has none or it is not decided. */
  domainOf(key: string): string | undefined
  /** The values that the label may still take. One value if it is decided, none if the machine will not have the label. */
  domainsOf(key: string): readonly string[]
  /** Reports whether the host passes the filter whatever machine it becomes. */
  passes(filter: NodeFilter): boolean
  /** Called with the change of its number of pods. Undefined unless rules of pods concern the daemons that come with its first pod. */
  readonly countDaemons?: ((pods: number) => void) | undefined
}

/** Reports whether a rule with this filter counts the pods on the host. */
export function isLookedAt(host: TopologyHost, filter: NodeFilter | undefined): boolean {
  return filter === undefined || host.passes(filter)
}

/** Reports whether some machine that the host may become passes the filter. */
export function mayPass(host: TopologyHost, filter: NodeFilter | undefined): boolean {
  if (filter === undefined || host.passes(filter)) return true
  if (filter.required === undefined) return false
  const mayMeet = ([key, wish]: readonly [string, Requirement]): boolean => host.domainsOf(key).some((value) => has(wish, value))
  return filter.required.some((each) => [...each].every(mayMeet)) && host.passes({ ...filter, required: undefined })
}

/** Machines that differ in nothing but their names are of one kind. */
export type MachineKind = {
  /** The labels of one machine of the kind. */
  readonly labels: Labels
  readonly taints: readonly Taint[]
  /** A cache of answers, by the id of the constraint, for constraints that select no host name. */
  readonly accepted: Map<number, boolean>
}
