/** The calls of a real API server that the cases need. One API server holds many cases at once. */
import type { KubeClient } from '../../local/cluster/client/kubeClient.ts'
import { rollOut } from './daemonSets.ts'
import { createKubeCalls } from './kubeCalls.ts'
import { CASE } from './manifests.ts'

export type SeenPod = {
  readonly metadata: {
    readonly name: string
    readonly labels?: { readonly [name: string]: string }
    readonly ownerReferences?: readonly unknown[]
  }
  readonly spec: { readonly nodeName?: string }
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly reason?: string; readonly message?: string }[] }
}
type SeenNode = { readonly spec: { readonly taints?: readonly { readonly key: string }[] } }

const PODS = '/api/v1/namespaces/default/pods'
const NODES = '/api/v1/nodes'
const DAEMON_SETS = '/apis/apps/v1/namespaces/default/daemonsets'
const NOT_READY = 'node.kubernetes.io/not-ready'

export interface RealCluster {
  createNodes(nodes: readonly object[]): Promise<void>
  createDaemonSets(sets: readonly object[]): Promise<void>
  createPods(pods: readonly object[]): Promise<void>
  /** Waits until the nodes accept pods and every pod of a DaemonSet is bound or cannot be bound. */
  settle(): Promise<void>
  /** Returns the pods that no DaemonSet made, after the scheduler has judged each pod. */
  judged(): Promise<readonly SeenPod[]>
  deletePods(names: readonly string[]): Promise<void>
  clear(): Promise<void>
}

export function isBound(pod: SeenPod): boolean {
  return pod.spec.nodeName !== undefined
}

export function createRealCluster(client: KubeClient, signal: AbortSignal): RealCluster {
  const calls = createKubeCalls(client, signal)
  const { call, list, create, remove, until } = calls
  const pods = (): Promise<readonly SeenPod[]> => list<SeenPod>(PODS)

  return {
    createNodes: (nodes) => create(NODES, nodes),
    createDaemonSets: (sets) => create(DAEMON_SETS, sets),
    createPods: (bodies) => create(PODS, bodies),
    async settle() {
      await until(async () => (await list<SeenNode>(NODES)).every(({ spec }) => !spec.taints?.some(({ key }) => key === NOT_READY)))
      await rollOut(calls)
      await until(async () => (await pods()).filter(isDaemon).every(isJudged))
    },
    async judged() {
      await until(async () => (await pods()).every(isJudged))
      return (await pods()).filter((pod) => !isDaemon(pod))
    },
    deletePods: (names) => remove(names.map((name) => `${PODS}/${name}`)),
    async clear() {
      for (const path of [DAEMON_SETS, PODS, NODES])
        await call({ method: 'DELETE', path, query: { labelSelector: CASE, gracePeriodSeconds: '0' } })
      await until(async () => (await pods()).length === 0)
    },
  }
}

function isDaemon(pod: SeenPod): boolean {
  return pod.metadata.ownerReferences !== undefined
}

export function isJudged(pod: SeenPod): boolean {
  return isBound(pod) || (pod.status.conditions ?? []).some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable')
}
