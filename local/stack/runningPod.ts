/** Pods that no kubelet has, because what they stand for runs beside the cluster. */
import type { Result } from '../../shared/base/result.ts'
import type { KubeClient, Refusal } from '../cluster/client/kubeClient.ts'
import { type Manifest, objectPath } from '../manifests.ts'

/** `schedulingGates` of such a pod. */
export const NEVER_SCHEDULED = [{ name: 'local.joiner.dev/runs-beside-the-cluster' }]

type Container = { readonly name: string; readonly image?: string }
type Running = Manifest & { readonly spec: { readonly containers: readonly Container[] } }

/** Writes the status that a kubelet would write of a pod that runs. */
export function showRunning(client: KubeClient, pod: Running, signal: AbortSignal): Promise<Result<unknown, Refusal>> {
  const now = new Date().toISOString()
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    type,
    status: 'True',
    reason: 'RunsBesideTheCluster',
    lastTransitionTime: now,
  }))
  const contentType = 'application/merge-patch+json'
  const body = { status: { phase: 'Running', startTime: now, conditions, containerStatuses: runningContainers(pod.spec.containers, now) } }
  return client.send({ method: 'PATCH', path: `${objectPath(pod)}/status`, body, contentType, signal })
}

/** The statuses of containers that run since then, as a kubelet writes them. */
export function runningContainers(containers: readonly Container[], startedAt: string): readonly object[] {
  return containers.map(({ name, image = '' }) => ({
    name,
    image,
    imageID: '',
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt } },
  }))
}
