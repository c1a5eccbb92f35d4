import { setTimeout as sleep } from 'node:timers/promises'
import { startInformer } from '../local/cluster/client/informer.ts'
import type { KubeClient } from '../local/cluster/client/kubeClient.ts'
import { NODES, PODS } from '../local/cluster/client/resource.ts'
import { poolReady } from '../local/stack/poolReady.ts'
import { NODE_CLAIMS } from '../local/story/claimObject.ts'
import { isRunning } from '../local/story/tellPods.ts'

/** Times in milliseconds since the scaling. */
export type Scaled = { readonly firstClaimMs: number; readonly lastClaimMs: number; readonly claims: number; readonly runningMs: number }

/** One Deployment of pods that ask for a CPU each, and the pool its nodes come from. */
export interface SystemLoad {
  /** Resolves when exactly so many pods are there and all run. */
  scaleTo(pods: number): Promise<Scaled>
  /** Lets empty nodes go; answers how long the last one took. */
  removeNodes(): Promise<number>
  close(): void
}

const NAME = 'load'
const POOL_NAME = 'default'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const POOL = '/apis/karpenter.sh/v1/nodepools'
const CLASS = '/apis/karpenter.azure.com/v1beta1/aksnodeclasses'
const LIMIT_MS = 10 * 60_000
const LOOK_EVERY_MS = 10

export async function createSystemLoad(client: KubeClient): Promise<SystemLoad> {
  const signal = AbortSignal.timeout(LIMIT_MS * 2)
  const send = async (method: 'POST' | 'PATCH', path: string, body: object): Promise<void> => {
    const contentType = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}
    const answer = await client.send({ method, path, body, signal, ...contentType })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.error.message}`)
  }
  await send('POST', CLASS, { apiVersion: 'karpenter.azure.com/v1beta1', kind: 'AKSNodeClass', metadata: { name: 'default' }, spec: {} })
  await send('POST', POOL, nodePool())
  await poolReady(client, signal)
  await send('POST', DEPLOYMENTS, deployment())
  const [pods, nodes, claims] = [startInformer(PODS, { client }), startInformer(NODES, { client }), startInformer(NODE_CLAIMS, { client })]
  await Promise.all([pods.synced, nodes.synced, claims.synced])
  let claimTimes: number[] = []
  claims.onChange((now, before) => {
    if (now && !before) claimTimes.push(performance.now())
  })

  async function until(holds: () => boolean): Promise<void> {
    const deadline = performance.now() + LIMIT_MS
    while (!holds()) {
      if (performance.now() > deadline) throw new Error(`not done within ${LIMIT_MS / 60_000} minutes`)
      await sleep(LOOK_EVERY_MS)
    }
  }

  return {
    async scaleTo(count) {
      claimTimes = []
      const startedAt = performance.now()
      await send('PATCH', `${DEPLOYMENTS}/${NAME}`, { spec: { replicas: count } })
      await until(() => {
        // The pod whose token the shim shows is none of them.
        const all = [...pods.items()].filter(({ metadata }) => metadata.labels?.['app'] === NAME)
        return all.length === count && all.every(isRunning)
      })
      const since = (at: number | undefined): number => (at === undefined ? 0 : Math.round(at - startedAt))
      const times = claimTimes
      return { firstClaimMs: since(times[0]), lastClaimMs: since(times.at(-1)), claims: times.length, runningMs: since(performance.now()) }
    },
    async removeNodes() {
      const startedAt = performance.now()
      await send('PATCH', `${POOL}/${POOL_NAME}`, { spec: { disruption: { consolidateAfter: '0s' } } })
      await until(() => [...nodes.items()].length === 0 && [...claims.items()].length === 0)
      return Math.round(performance.now() - startedAt)
    },
    close() {
      for (const informer of [pods, nodes, claims]) informer.close()
    },
  }
}

function nodePool(): object {
  const requirements = [
    { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] },
    { key: 'karpenter.azure.com/sku-family', operator: 'In', values: ['D'] },
  ]
  const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' }
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: POOL_NAME },
    spec: {
      template: { spec: { nodeClassRef, requirements, expireAfter: 'Never' } },
      disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never', budgets: [{ nodes: '100%' }] },
    },
  }
}

function deployment(): object {
  const container = {
    name: 'pause',
    image: 'mcr.microsoft.com/oss/kubernetes/pause:3.6',
    resources: { requests: { cpu: '1', memory: '256Mi' } },
  }
  return {
    metadata: { name: NAME },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: NAME } },
      template: { metadata: { labels: { app: NAME } }, spec: { terminationGracePeriodSeconds: 0, containers: [container] } },
    },
  }
}
