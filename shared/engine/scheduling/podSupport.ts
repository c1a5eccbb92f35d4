/** What this version does not place is refused by name: a constraint that is ignored would be a pod that never runs. */
import { canonicalJson } from '../../base/canonicalJson.ts'
import type { DecisionSettings } from '../../model/clusterSnapshot.ts'
import { selects } from '../../model/labelSelector.ts'
import { LABEL } from '../../model/labels.ts'
import type { Pod, PodAffinityTerm } from '../../model/pod.ts'
import type { ProblemCode } from '../../model/problem.ts'
import { operatorOf } from '../../model/requirements.ts'
import { validateRequirement } from '../../model/requirementValidation.ts'
import type { Namespace } from '../../model/workloads.ts'
import { isTerminal } from '../pod/podPredicates.ts'
import { constraintsOf } from './podGroups.ts'

export type Refusal = {
  readonly code: ProblemCode
  readonly message: string /** Nobody is told: the user asked for it. */
  readonly silent?: true
}

/** Why the pod is not looked at; undefined when it is. */
export function refusalOf(pod: Pod, settings: DecisionSettings, repels: (pod: Pod) => Pod | undefined): Refusal | undefined {
  return optOut(pod) ?? invalid(pod) ?? unsupported(pod, settings) ?? repelled(pod, repels)
}

/** A question asked of every pending pod: which placed pod's required anti-affinity keeps it away from somewhere? */
export function repellers(pods: readonly Pod[], namespaces: readonly Namespace[]): (pod: Pod) => Pod | undefined {
  const placed = pods.filter((pod) => pod.nodeName !== undefined && !isTerminal(pod) && pod.podAntiAffinity.required.length > 0)
  const terms = new Map<string, { readonly owner: Pod; readonly term: PodAffinityTerm }>()
  for (const owner of placed) {
    for (const term of owner.podAntiAffinity.required) {
      const key = canonicalJson([namespaceOf(owner), term])
      const known = terms.get(key)
      if (known === undefined || owner.key < known.owner.key) terms.set(key, { owner, term })
    }
  }
  const list = [...terms.entries()].sort(([first], [second]) => (first < second ? -1 : 1)).map(([, entry]) => entry)
  const labelsByNamespace = new Map(namespaces.map((each) => [each.name, each.labels]))
  return (pod) => list.find(({ owner, term }) => isMeant(pod, owner, term, labelsByNamespace.get(namespaceOf(pod))))?.owner
}

function isMeant(pod: Pod, owner: Pod, term: PodAffinityTerm, namespaceLabels: Namespace['labels'] | undefined): boolean {
  const namespace = namespaceOf(pod)
  const isOwn = term.namespaces.length === 0 && term.namespaceSelector === undefined && namespace === namespaceOf(owner)
  // A namespace whose labels are not known may be meant.
  const isSelected =
    term.namespaceSelector !== undefined && (namespaceLabels === undefined || selects(term.namespaceSelector, namespaceLabels))
  return (isOwn || isSelected || term.namespaces.includes(namespace)) && selects(term.selector, pod.labels)
}

function optOut(pod: Pod): Refusal | undefined {
  const { alternatives } = constraintsOf(pod)
  const isOut = alternatives.some((requirements) => {
    const pool = requirements.get(LABEL.nodePool)
    return pool !== undefined && operatorOf(pool) === 'DoesNotExist'
  })
  return isOut ? { code: 'POD.OPT_OUT', message: `it asks for a node without the label ${LABEL.nodePool}`, silent: true } : undefined
}

function invalid(pod: Pod): Refusal | undefined {
  const selectors = Object.entries(pod.nodeSelector).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] }))
  const expressions = (pod.requiredNodeTerms ?? []).flatMap((term) => term.matchExpressions)
  const problems = [...selectors, ...expressions].flatMap(validateRequirement)
  return problems.length === 0 ? undefined : { code: 'POD.INVALID', message: problems.map((each) => each.message).join('; ') }
}

function unsupported(pod: Pod, { preferencePolicy }: DecisionSettings): Refusal | undefined {
  const respects = preferencePolicy === 'Respect'
  const spread = pod.topologySpread.filter((each) => respects || each.whenUnsatisfiable === 'DoNotSchedule')
  const preferred = respects ? pod.podAffinity.preferred.length + pod.podAntiAffinity.preferred.length : 0
  const affinity = pod.podAffinity.required.length + pod.podAntiAffinity.required.length + preferred
  if (spread.length > 0) return refuse('POD.UNSUPPORTED_SPREAD', 'topology spread constraints')
  if (affinity > 0) return refuse('POD.UNSUPPORTED_AFFINITY', 'pod affinity and anti-affinity')
  if (pod.volumes.length > 0) return refuse('POD.UNSUPPORTED_VOLUME', 'volumes that bind a pod to a place')
  if (pod.hostPorts.length > 0) return refuse('POD.UNSUPPORTED_PORT', 'host ports')
  if (respects && pod.preferredNodeTerms.length > 0) return refuse('POD.UNSUPPORTED_PREFERENCE', 'preferred node affinity')
  if (pod.resourceClaims.length > 0) return refuse('POD.UNSUPPORTED_RESOURCE_CLAIM', 'resource claims')
  const fields = (pod.requiredNodeTerms ?? []).some((term) => term.matchFields.length > 0)
  return fields ? refuse('POD.UNSUPPORTED_MATCH_FIELDS', 'node affinity with matchFields') : undefined
}

function repelled(pod: Pod, repels: (pod: Pod) => Pod | undefined): Refusal | undefined {
  const other = repels(pod)
  if (other === undefined) return undefined
  return { code: 'POD.UNSUPPORTED_AFFINITY', message: `the required anti-affinity of pod ${other.key} is not handled yet` }
}

function refuse(code: ProblemCode, what: string): Refusal {
  return { code, message: `${what} are not handled yet` }
}

function namespaceOf(pod: Pod): string {
  return pod.key.slice(0, pod.key.indexOf('/'))
}
