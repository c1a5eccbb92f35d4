import { err, ok } from '../../base/result.ts'
import { problem } from '../../model/problem.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import type { KubeObjects } from './kubeObjects.ts'
import { podPath, RESOURCE } from './kubePaths.ts'
import { faultOf, isEvictionBlocked, isSuccess, messageOf } from './kubeStatus.ts'

type PodCalls = Pick<ClusterApi, 'listPodsOn' | 'evict' | 'deletePod'>

/** A budget opens when another pod becomes ready: seconds, where the server does not say. */
const EVICTION_RETRY_MS = 5_000

export function createPodCalls(objects: KubeObjects): PodCalls {
  return {
    listPodsOn: (node, signal, asOf) =>
      objects.list({ kind: 'pod', path: RESOURCE.pod.path, fieldSelector: `spec.nodeName=${node}`, asOf }, signal),
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
      return err(problem('KUBE.EVICTION_BLOCKED', `evict ${object}: ${messageOf(answer)}`, { object, retryAfterMs }))
    },
    async deletePod(pod, gracePeriodSeconds, signal) {
      await objects.remove({ path: podPath(pod.key), object: `pod/${pod.key}`, uid: pod.uid, gracePeriodSeconds }, signal)
    },
  }
}
