import { err, ok } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { NO_LIST } from '../../kubeclient/collections.ts'
import { faultOf, isObjectMissing, isSuccess, messageOf } from '../../kubeclient/status.ts'
import { POD_ANNOTATION } from '../../model/labels.ts'
import { problem } from '../../model/problem.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { mergePatch } from './claimCalls.ts'
import type { KubeObjects } from './kubeObjects.ts'
import { podPath, RESOURCE } from './kubePaths.ts'
import { budgetOf, isEvictionBlocked, problemOrForbidden } from './kubeStatus.ts'

type PodCalls = Pick<ClusterApi, 'listPodsOn' | 'listPodsNominatedFor' | 'getSchedulerMessage' | 'evict' | 'setDeletionCost' | 'deletePod'>

/** The pause after a refused eviction if the API server gives none. `EvictionBackOff` makes it longer with each refusal. */
const EVICTION_RETRY_MS = 100

export function createPodCalls(objects: KubeObjects): PodCalls {
  return {
    // Nodes are drained and deleted based on this list, so a pod that cannot be parsed must be in it.
    listPodsOn: (node, signal, asOf) =>
      objects.list({ kind: 'pod', path: RESOURCE.pod.path, fieldSelector: `spec.nodeName=${node}`, asOf, outlines: podOutlines }, signal),
    // A node is deleted based on this list as well.
    listPodsNominatedFor: (node, signal) =>
      objects.list(
        { kind: 'pod', path: RESOURCE.pod.path, fieldSelector: `status.nominatedNodeName=${node}`, outlines: podOutlines },
        signal,
      ),
    // The app may list pods and not get them. So the one pod is listed by its name.
    async getSchedulerMessage(pod, signal) {
      const [namespace = '', name = ''] = pod.key.split('/')
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`
      const answer = await objects.call({ method: 'GET', path, query: { fieldSelector: `metadata.name=${name}` } }, signal)
      if (!isSuccess(answer)) throw faultOf(answer, 'list', path)
      const items = memberOf(answer.json, 'items')
      if (!Array.isArray(items)) throw faultOf({ status: answer.status, json: NO_LIST }, 'list', path)
      return schedulerMessageOf(items.find((item) => memberOf(memberOf(item, 'metadata'), 'uid') === pod.uid))
    },
    async evict(pod, signal) {
      const object = `pod/${pod.key}`
      const [namespace = '', name = ''] = pod.key.split('/')
      const body = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { namespace, name },
        deleteOptions: { preconditions: { uid: pod.uid } },
      }
      const answer = await objects.call({ method: 'POST', path: `${podPath(pod.key)}/eviction`, body, answers: isEvictionBlocked }, signal)
      if (isSuccess(answer)) return ok('evicted')
      // 409: the pod with this uid is gone and another has its name
      if (answer.status === 404 || answer.status === 409) return ok('gone')
      if (!isEvictionBlocked(answer)) throw faultOf(answer, 'evict', object)
      const retryAfterMs = answer.retryAfterMs || EVICTION_RETRY_MS
      const budget = budgetOf(answer)
      const fields = defined({ status: answer.status, budget: budget === undefined ? undefined : `${namespace}/${budget}` })
      return err(problem('KUBE.EVICTION_BLOCKED', `evict ${object}: ${messageOf(answer)}`, defined({ object, retryAfterMs, fields })))
    },
    async setDeletionCost(pod, cost, signal) {
      const object = `pod/${pod.key}`
      const metadata = { uid: pod.uid, annotations: { [POD_ANNOTATION.deletionCost]: cost ?? null } }
      const answer = await objects.call(mergePatch(podPath(pod.key), { metadata }), signal)
      if (isSuccess(answer) || isObjectMissing(answer)) return ok(undefined)
      return err(problemOrForbidden(answer, 'patch', object))
    },
    async deletePod(pod, gracePeriodSeconds, signal) {
      await objects.remove({ path: podPath(pod.key), object: `pod/${pod.key}`, uid: pod.uid, gracePeriodSeconds }, signal)
    },
  }
}

function schedulerMessageOf(pod: unknown): string | undefined {
  const conditions = memberOf(memberOf(pod, 'status'), 'conditions')
  const scheduled = Array.isArray(conditions) ? conditions.find((each) => memberOf(each, 'type') === 'PodScheduled') : undefined
  if (memberOf(scheduled, 'reason') !== 'Unschedulable' || memberOf(memberOf(pod, 'spec'), 'nodeName')) return undefined
  const message = memberOf(scheduled, 'message')
  return typeof message === 'string' ? message : ''
}

/**
 * Reduced forms of a pod, with enough fields to wait for it and to delete it: its identity, owner, progress and grace period. The last form has only
 * the identity.
 */
function podOutlines(item: unknown): readonly unknown[] {
  const metadata = pick(memberOf(item, 'metadata'), ['namespace', 'name', 'uid'])
  const more = pick(memberOf(item, 'metadata'), ['annotations', 'deletionTimestamp', 'ownerReferences'])
  const spec = pick(memberOf(item, 'spec'), ['nodeName', 'terminationGracePeriodSeconds', 'priorityClassName'])
  const phase = pick(memberOf(item, 'status'), ['phase'])
  return [
    { metadata: { ...metadata, ...more }, spec: { ...spec, containers: [] }, status: phase },
    { metadata, spec: { containers: [] }, status: { phase: 'Running' } },
  ]
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function pick(value: unknown, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, memberOf(value, name)] as const).filter(([, found]) => found !== undefined))
}
