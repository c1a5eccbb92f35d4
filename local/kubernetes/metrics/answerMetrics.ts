import type { Reply } from '../http/reply.ts'
import { createReply, type ResourceCall } from '../http/resourceHandler.ts'
import { methodNotAllowed, notFound } from '../http/statusError.ts'
import { textAt } from '../object/json.ts'
import { type KubeObject, nameOf } from '../object/kubeObject.ts'
import { type Api, type Target, timestamp } from '../verbs/api.ts'
import { readFilter } from '../verbs/list.ts'
import { METRICS_API_VERSION } from './metricsResources.ts'
import { containersOf, nodeUsage } from './usage.ts'

/** The time over which a metrics server measures. */
const WINDOW = '30s'

/** Answers get and list of NodeMetrics and PodMetrics. */
export function answerMetrics(api: Api, call: ResourceCall): Reply {
  const { target, verb, query } = call
  const replies = createReply(api, call)
  if (verb === 'list') {
    const filter = readFilter(target.resource, query)
    const found = metricsOf(api, target)
    return replies.list(filter ? found.filter(filter) : found, {})
  }
  if (verb !== 'get') throw methodNotAllowed()
  const found = metricsOf(api, target).find((each) => nameOf(each) === target.name)
  if (!found) throw notFound(target.resource, target.name)
  return replies.one(found)
}

function metricsOf(api: Api, { resource, namespace }: Target): readonly KubeObject[] {
  const now = timestamp(api.now())
  const head = ({ metadata }: KubeObject) => {
    const { name = '', namespace: own, labels } = metadata
    const meta = {
      name,
      ...(own === undefined ? {} : { namespace: own }),
      creationTimestamp: now,
      ...(labels === undefined ? {} : { labels }),
    }
    return { apiVersion: METRICS_API_VERSION, kind: resource.kind, metadata: meta, timestamp: now, window: WINDOW }
  }
  if (resource.namespaced) {
    return api.store.list('pods', namespace).flatMap((pod) => {
      const containers = containersOf(pod)
      return containers.length === 0 ? [] : [{ ...head(pod), containers }]
    })
  }
  const pods = Map.groupBy(api.store.list('pods', ''), (pod) => textAt(pod, 'spec', 'nodeName'))
  return api.store.list('nodes', '').map((node) => ({ ...head(node), usage: nodeUsage(node, pods.get(nameOf(node)) ?? []) }))
}
