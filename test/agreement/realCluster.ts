/** The few calls a planned cluster needs of a real API server, for many cases at once. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { KubeClient, KubeRequest } from '../../local/cluster/client/kubeClient.ts'
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
type SeenDaemonSet = {
  readonly metadata: { readonly generation: number }
  readonly status: {
    readonly observedGeneration?: number
    readonly desiredNumberScheduled?: number
    readonly currentNumberScheduled?: number
  }
}

const PODS = '/api/v1/namespaces/default/pods'
const NODES = '/api/v1/nodes'
const DAEMON_SETS = '/apis/apps/v1/namespaces/default/daemonsets'
const AT_ONCE = 8
const PAUSE_MS = 200
const NOT_READY = 'node.kubernetes.io/not-ready'

export interface RealCluster {
  createNodes(nodes: readonly object[]): Promise<void>
  createDaemonSets(sets: readonly object[]): Promise<void>
  createPods(pods: readonly object[]): Promise<void>
  /** Waits until nodes take pods, and the pods of DaemonSets are on their nodes or cannot be. */
  settle(): Promise<void>
  /** Pods that no DaemonSet made, once the scheduler has judged each. */
  judged(): Promise<readonly SeenPod[]>
  deletePods(names: readonly string[]): Promise<void>
  clear(): Promise<void>
}

export function isBound(pod: SeenPod): boolean {
  return pod.spec.nodeName !== undefined
}

export function createRealCluster(client: KubeClient, signal: AbortSignal): RealCluster {
  async function call<Answer>(request: Omit<KubeRequest, 'signal'>): Promise<Answer> {
    for (;;) {
      const answer = await client.send<Answer>({ ...request, signal })
      if (answer.ok) return answer.value
      // The namespace's service account comes a moment after the control plane.
      const isEarly = answer.error.code === 403 && answer.error.message.includes('serviceaccount')
      if (!isEarly) throw new Error(`${request.method} ${request.path}: ${answer.error.message}`)
      await sleep(PAUSE_MS)
    }
  }
  const list = async <Item>(path: string): Promise<readonly Item[]> =>
    (await call<{ items: readonly Item[] }>({ method: 'GET', path })).items
  const create = (path: string) => (bodies: readonly object[]) => eachOf(bodies, (body) => call({ method: 'POST', path, body }))
  const pods = (): Promise<readonly SeenPod[]> => list<SeenPod>(PODS)

  async function until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await sleep(PAUSE_MS, undefined, { signal })
  }

  return {
    createNodes: create(NODES),
    createDaemonSets: create(DAEMON_SETS),
    createPods: create(PODS),
    async settle() {
      await until(async () => (await list<SeenNode>(NODES)).every(({ spec }) => !spec.taints?.some(({ key }) => key === NOT_READY)))
      await until(async () => (await list<SeenDaemonSet>(DAEMON_SETS)).every(isRolledOut))
      await until(async () => (await pods()).filter(isDaemon).every(isJudged))
    },
    async judged() {
      await until(async () => (await pods()).every(isJudged))
      return (await pods()).filter((pod) => !isDaemon(pod))
    },
    async deletePods(names) {
      await eachOf(names, (name) => call({ method: 'DELETE', path: `${PODS}/${name}`, query: { gracePeriodSeconds: '0' } }))
    },
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

function isJudged(pod: SeenPod): boolean {
  return isBound(pod) || (pod.status.conditions ?? []).some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable')
}

function isRolledOut({ metadata, status }: SeenDaemonSet): boolean {
  return status.observedGeneration === metadata.generation && (status.currentNumberScheduled ?? 0) >= (status.desiredNumberScheduled ?? 0)
}

async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const rest = [...items]
  const worker = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
