/** The scheduler's default constraints: topology spread for pods that state none. Services and the owner of a pod say which pods are counted. */

import { canonicalJson } from '../../../../base/json.ts'
import { byKey } from '../../../../base/lists.ts'
import { ownValue } from '../../../../base/values.ts'
import type { ClusterSnapshot } from '../../../../model/clusterSnapshot.ts'
import { namespaceOf, objectKey } from '../../../../model/ids.ts'
import { selects } from '../../../../model/labelSelector.ts'
import type { Labels } from '../../../../model/labels.ts'
import type { LabelSelector, Pod } from '../../../../model/pod.ts'
import type { RequirementSpec } from '../../../../model/requirements.ts'
import type { Service, Workload } from '../../../../model/workloads.ts'
import type { PodReplicas } from './podReplicas.ts'
import { type WorkloadSources, workloadsOf } from './waitingPods.ts'

/** Returns the pods, with the default constraints added to pods that state none. A pod without service and owner selector stays as it is. */
export function withDefaultSpread(
  replicas: readonly PodReplicas[],
  objects: Pick<ClusterSnapshot['objects'], 'service'> & WorkloadSources,
  { defaultSpread = [] }: ClusterSnapshot['settings'],
): readonly PodReplicas[] {
  if (defaultSpread.length === 0 || replicas.length === 0) return replicas
  const selectorOf = selectors(objects.service, workloadsOf(objects))
  return replicas.map((each) => {
    const selector = each.pod.topologySpread.length > 0 ? undefined : selectorOf(each.pod)
    if (selector === undefined) return each
    const topologySpread = defaultSpread.map((constraint) => ({ ...constraint, selector, matchLabelKeys: [] }))
    return { ...each, pod: { ...each.pod, topologySpread } }
  })
}

function selectors(services: readonly Service[], workloads: readonly Workload[]): (pod: Pod) => LabelSelector | undefined {
  const byNamespace = Map.groupBy([...services].sort(byKey((each) => each.key)), namespaceOf)
  const owners = new Map(workloads.map((each) => [`${each.apiVersion} ${each.kind} ${each.key}`, each]))
  const known = new Map<string, LabelSelector | undefined>()
  return (pod) => {
    const namespace = namespaceOf(pod)
    const near = byNamespace.get(namespace) ?? []
    const owner = pod.owner
    const text = canonicalJson([namespace, owner?.uid ?? null, near.length === 0 ? null : pod.labels])
    if (known.has(text)) return known.get(text)
    const own = owner === undefined ? undefined : owners.get(`${owner.apiVersion} ${owner.kind} ${objectKey(namespace, owner.name)}`)
    const selector = selectorFrom(labelsOfServices(near, pod), own)
    known.set(text, selector)
    return selector
  }
}

/** The selectors of all services that select the pod, taken together. If several name one label, the last value counts. */
function labelsOfServices(services: readonly Service[], pod: Pod): Labels {
  const own = services.filter(
    ({ selector }) => selector !== undefined && selects({ matchLabels: selector, matchExpressions: [] }, pod.labels),
  )
  return Object.fromEntries(own.flatMap(({ selector = {} }) => Object.entries(selector)))
}

/**
 * Undefined if nothing is selected. The labels of a ReplicationController overrule those of services. The selector of a ReplicaSet or StatefulSet
 * must hold together with them.
 */
function selectorFrom(services: Labels, owner: Workload | undefined): LabelSelector | undefined {
  const kind = owner === undefined ? '' : `${owner.apiVersion} ${owner.kind}`
  if (kind === 'v1 ReplicationController')
    return nonEmpty({ matchLabels: { ...services, ...owner?.selector?.matchLabels }, matchExpressions: [] })
  const isSet = kind === 'apps/v1 ReplicaSet' || kind === 'apps/v1 StatefulSet'
  const { matchLabels = {}, matchExpressions = [] } = (isSet ? owner?.selector : undefined) ?? {}
  // A label that both name must have both values.
  const both = Object.entries(matchLabels).filter(([key, value]) => (ownValue(services, key) ?? value) !== value)
  const more = both.map(([key, value]): RequirementSpec => ({ key, operator: 'In', values: [value] }))
  return nonEmpty({ matchLabels: { ...matchLabels, ...services }, matchExpressions: [...matchExpressions, ...more] })
}

function nonEmpty(selector: LabelSelector): LabelSelector | undefined {
  return Object.keys(selector.matchLabels).length + selector.matchExpressions.length === 0 ? undefined : selector
}
