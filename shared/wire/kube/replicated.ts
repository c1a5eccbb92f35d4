/** Readers of workloads, which create pods from a template, and of services, which select pods by their labels. */
import { defined } from '../../base/values.ts'
import type { LabelSelector, Pod } from '../../model/pod.ts'
import type { Service, Workload } from '../../model/workloads.ts'
import type { Trail } from '../codec.ts'
import { labelSelector, labels } from './meta.ts'
import { podOf } from './pod.ts'
import { integer, type KubeObject, type KubeRead, maybe, need, object } from './read.ts'
import { namespaced } from './workloads.ts'

export const deployment = workload('apps/v1', 'Deployment', labelSelector)
export const statefulSet = workload('apps/v1', 'StatefulSet', labelSelector)
export const replicaSet = workload('apps/v1', 'ReplicaSet', labelSelector)

/** The selector of a ReplicationController, which has labels only. It is older than label selectors. */
const plainSelector: KubeRead<LabelSelector> = (json, trail) => ({ matchLabels: labels(json, trail), matchExpressions: [] })

export const replicationController = workload('v1', 'ReplicationController', plainSelector)

export const service: KubeRead<Service> = (json, trail) => {
  const root = object(json, trail)
  const spec = maybe(root, 'spec', object, trail) ?? {}
  const selector = maybe(spec, 'selector', labels, trail)
  return defined({
    ...namespaced(need(root, 'metadata', object, trail), trail),
    // An empty selector selects no pods, like a missing selector.
    selector: selector === undefined || Object.keys(selector).length === 0 ? undefined : selector,
  })
}

function workload(apiVersion: string, kind: string, selector: KubeRead<LabelSelector>): KubeRead<Workload> {
  return (json, trail) => {
    const root = object(json, trail)
    const identity = namespaced(need(root, 'metadata', object, trail), trail)
    const spec = need(root, 'spec', object, trail)
    const template = maybe(spec, 'template', object, trail)
    return defined({
      ...identity,
      apiVersion,
      kind,
      replicas: maybe(spec, 'replicas', integer, trail) ?? 1,
      selector: maybe(spec, 'selector', selector, trail),
      pod: template === undefined ? undefined : { ...podOfTemplate(template, trail), ...identity },
    })
  }
}

/** Reads a template as a pod. A limit without a request counts as the request, as the API server defaults it for pods. */
export function podOfTemplate(template: KubeObject, trail: Trail): Omit<Pod, 'key' | 'uid'> {
  const metadata = maybe(template, 'metadata', object, trail) ?? {}
  return podOf({ metadata, spec: maybe(template, 'spec', object, trail) ?? {}, status: {}, isTemplate: true, trail })
}
