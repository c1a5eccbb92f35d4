import { defined } from '../../base/values.ts'
import type { Pod, PodAffinity, PodAffinityTerm, PreferredNodeTerm, TopologySpreadConstraint } from '../../model/pod.ts'
import { NO_ITEMS, type Trail } from '../codec.ts'
import { NO_LABELS } from '../objects/shared.ts'
import { labelSelector, labels } from './meta.ts'
import { integer, items, type KubeObject, type KubeRead, listOf, maybe, need, object, oneOf, selectorTerm, text } from './read.ts'

export type PodConstraints = Pick<
  Pod,
  'nodeSelector' | 'requiredNodeTerms' | 'preferredNodeTerms' | 'topologySpread' | 'podAffinity' | 'podAntiAffinity'
>

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'
const NO_AFFINITY: PodAffinity = Object.freeze({ required: NO_ITEMS, preferred: NO_ITEMS })

/** Reads the rules and preferences for where the pod runs. */
export function podConstraintsOf(spec: KubeObject, trail: Trail): PodConstraints {
  return defined({
    nodeSelector: maybe(spec, 'nodeSelector', labels, trail) ?? NO_LABELS,
    topologySpread: items(spec, 'topologySpreadConstraints', spread, trail),
    ...(maybe(spec, 'affinity', affinity, trail) ?? NO_AFFINITIES),
  })
}

type Affinities = Pick<PodConstraints, 'requiredNodeTerms' | 'preferredNodeTerms' | 'podAffinity' | 'podAntiAffinity'>

const NO_AFFINITIES: Affinities = { preferredNodeTerms: NO_ITEMS, podAffinity: NO_AFFINITY, podAntiAffinity: NO_AFFINITY }

const affinity: KubeRead<Affinities> = (json, trail) => {
  const source = object(json, trail)
  const node = maybe(source, 'nodeAffinity', object, trail) ?? {}
  return defined({
    requiredNodeTerms: maybe(node, REQUIRED, requiredTerms, trail),
    preferredNodeTerms: items(node, PREFERRED, preferredTerm, trail),
    podAffinity: maybe(source, 'podAffinity', podAffinity, trail) ?? NO_AFFINITY,
    podAntiAffinity: maybe(source, 'podAntiAffinity', podAffinity, trail) ?? NO_AFFINITY,
  })
}

export const requiredTerms: KubeRead<NonNullable<Pod['requiredNodeTerms']>> = (json, trail) =>
  need(object(json, trail), 'nodeSelectorTerms', listOf(selectorTerm), trail)

const preferredTerm: KubeRead<PreferredNodeTerm> = (json, trail) => {
  const source = object(json, trail)
  return { weight: need(source, 'weight', integer, trail), term: need(source, 'preference', selectorTerm, trail) }
}

const podAffinity: KubeRead<PodAffinity> = (json, trail) => {
  const source = object(json, trail)
  return { required: items(source, REQUIRED, affinityTerm, trail), preferred: items(source, PREFERRED, weightedTerm, trail) }
}

const weightedTerm: KubeRead<PodAffinity['preferred'][number]> = (json, trail) => {
  const source = object(json, trail)
  return { weight: need(source, 'weight', integer, trail), term: need(source, 'podAffinityTerm', affinityTerm, trail) }
}

const affinityTerm: KubeRead<PodAffinityTerm> = (json, trail) => {
  const source = object(json, trail)
  return defined({
    topologyKey: need(source, 'topologyKey', text, trail),
    selector: maybe(source, 'labelSelector', labelSelector, trail),
    namespaces: items(source, 'namespaces', text, trail),
    namespaceSelector: maybe(source, 'namespaceSelector', labelSelector, trail),
    matchLabelKeys: items(source, 'matchLabelKeys', text, trail),
    mismatchLabelKeys: items(source, 'mismatchLabelKeys', text, trail),
  })
}

const policy = oneOf('Honor', 'Ignore')

const spread: KubeRead<TopologySpreadConstraint> = (json, trail) => {
  const source = object(json, trail)
  return defined({
    maxSkew: need(source, 'maxSkew', integer, trail),
    topologyKey: need(source, 'topologyKey', text, trail),
    whenUnsatisfiable: need(source, 'whenUnsatisfiable', oneOf('DoNotSchedule', 'ScheduleAnyway'), trail),
    selector: maybe(source, 'labelSelector', labelSelector, trail),
    minDomains: maybe(source, 'minDomains', integer, trail),
    nodeAffinityPolicy: maybe(source, 'nodeAffinityPolicy', policy, trail) ?? 'Honor',
    nodeTaintsPolicy: maybe(source, 'nodeTaintsPolicy', policy, trail) ?? 'Ignore',
    matchLabelKeys: items(source, 'matchLabelKeys', text, trail),
  })
}
