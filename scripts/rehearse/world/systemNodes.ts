// Nodes of the cluster that are not Joiner's: two like the system pool of AKS, where the pods of the charts run, and one of a node pool of a team. Their
// kubelet reports every pod as running.
import { createApi } from '../../../local/cluster/client/api.ts'
import { startInformer } from '../../../local/cluster/client/informer.ts'
import type { KubeClient } from '../../../local/cluster/client/kubeClient.ts'
import type { Pod } from '../../../local/cluster/client/objects.ts'
import { PODS } from '../../../local/cluster/client/resource.ts'
import { renewLease } from '../../../local/kubelet/lease.ts'
import { runningContainers } from '../../../local/stack/runningPod.ts'

export const SYSTEM = { labels: { 'kubernetes.azure.com/mode': 'system' }, taint: { key: 'CriticalAddonsOnly', value: 'true' } }
/** A node pool that the pods of one team tolerate, and its node. */
export const TEAM = { labels: { 'kubernetes.azure.com/mode': 'user' }, taint: { key: 'team', value: 'a' } }
export const TEAM_NODE = 'aks-team-0'
const NODES: { readonly [name: string]: typeof SYSTEM | typeof TEAM } = {
  'aks-system-0': SYSTEM,
  'aks-system-1': SYSTEM,
  [TEAM_NODE]: TEAM,
}
const NAMES = Object.keys(NODES)
const LEASE_MS = 10_000

export interface SystemNodes {
  close(): void
}

export async function startSystemNodes(client: KubeClient): Promise<SystemNodes> {
  const ending = new AbortController()
  const api = createApi(client, ending.signal)
  for (const [at, [name, { labels: own, taint }]] of Object.entries(NODES).entries()) {
    const labels = {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      ...own,
      'topology.kubernetes.io/zone': `eastus-${at + 1}`,
    }
    const room = { cpu: '4', memory: '16Gi', pods: '110' }
    const conditions = [
      {
        type: 'Ready',
        status: 'True',
        reason: 'KubeletReady',
        lastHeartbeatTime: new Date().toISOString(),
        lastTransitionTime: new Date().toISOString(),
      },
    ]
    const body = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      spec: { taints: [{ ...taint, effect: 'NoSchedule' }] },
    }
    await required(client, 'POST', '/api/v1/nodes', body)
    await required(client, 'PATCH', `/api/v1/nodes/${name}/status`, { status: { capacity: room, allocatable: room, conditions } })
    await renewLease(api, name, Date.now())
  }
  const beat = setInterval(() => {
    for (const name of NAMES) void renewLease(api, name, Date.now())
  }, LEASE_MS)
  const pods = startInformer(PODS, { client })
  pods.onChange((now) => {
    if (now === undefined || !NAMES.includes(now.spec.nodeName ?? '')) return
    const { name, namespace, deletionTimestamp } = now.metadata
    if (deletionTimestamp !== undefined) void api.remove(PODS, { namespace, name }, { graceSeconds: 0 })
    else if (now.status?.phase !== 'Running') void api.patch(PODS, { namespace, name }, { status: running(now) }, 'strategic', 'status')
  })
  return {
    close() {
      clearInterval(beat)
      pods.close()
      ending.abort()
    },
  }
}

function running({ spec }: Pod): object {
  const now = new Date().toISOString()
  return {
    phase: 'Running',
    startTime: now,
    conditions: ['Initialized', 'ContainersReady', 'Ready'].map((type) => ({ type, status: 'True', lastTransitionTime: now })),
    containerStatuses: runningContainers(spec.containers, now),
  }
}

export async function required<Answer = unknown>(
  client: KubeClient,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
): Promise<Answer> {
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const answer = await client.send<Answer>({
    method,
    path,
    contentType,
    signal: AbortSignal.timeout(30_000),
    ...(body === undefined ? {} : { body }),
  })
  if (answer.ok) return answer.value
  throw new Error(`${method} ${path}: ${answer.error.message}`)
}
