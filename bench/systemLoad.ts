import { setTimeout as sleep } from 'node:timers/promises'
import { startInformer } from '../local/cluster/client/informer.ts'
import type { KubeClient } from '../local/cluster/client/kubeClient.ts'
import type { Node, Pod } from '../local/cluster/client/objects.ts'
import { NODES, PODS } from '../local/cluster/client/resource.ts'
import { isTrue, NODE_CLAIMS } from '../local/demo/claimObject.ts'
import { isReady } from '../local/demo/printNodes.ts'
import { isRunning } from '../local/demo/printPods.ts'
import { poolReady } from '../local/stack/poolReady.ts'
import { DEFAULT_MACHINE_NAMES } from '../shared/model/ids.ts'

/** Times in milliseconds since the scaling. */
export type Scaled = {
  readonly firstClaimMs: number
  readonly lastClaimMs: number
  /** Claims that were made for these pods. */
  readonly claims: readonly string[]
  readonly runningMs: number
  /** Number of claims that exist in the end. */
  readonly machines: number
  /** How many nodes run how many pods of each Deployment, for example `3+3`. Shows what kube-scheduler did with the planned room. */
  readonly nodesByPods: { readonly [pods: string]: number }
  /** When the node of each claim was ready but for the taint that Joiner removes, in epoch milliseconds. */
  readonly readyAt: ReadonlyMap<string, number>
}

/** `runningMs`: when the last pod ran that found room. */
export type Filled = { readonly runningMs: number; readonly running: number }

/** Deployments, and the pool their nodes come from. */
export interface SystemLoad {
  /** Resolves when exactly `pods` pods exist, the same number for each Deployment, all of them run, and every claim is initialized. */
  scaleTo(pods: number): Promise<Scaled>
  /** Does the same on machines that may have too little room: resolves as well when no further pod has started for ten seconds. */
  fill(pods: number): Promise<Filled>
  /** Changes the disruption settings of the pool. */
  setDisruption(disruption: object): Promise<void>
  /** Returns the number of existing nodes. */
  nodes(): number
  /** Lets empty nodes be removed. Returns how long that took for the last one. */
  removeNodes(): Promise<number>
  close(): void
}

/** The Deployments, and the requirements of their nodes. The names of Deployments begin with `load-`. */
export type LoadShape = {
  readonly deployments: readonly { readonly name: string; readonly requests: { readonly cpu: string; readonly memory: string } }[]
  readonly requirements: readonly object[]
}

/**
 * Small pods and large ones. E16 holds three pods of each kind, because AKS leaves 109 of its 128 GiB. So 1,000 pods, half of each kind, need at
 * least 167 machines. D16, with half the memory, holds one large pod.
 */
const SMALL_AND_LARGE: LoadShape = {
  deployments: [
    { name: 'load-small', requests: { cpu: '900m', memory: '3174Mi' } },
    { name: 'load-large', requests: { cpu: '3500m', memory: '28Gi' } },
  ],
  requirements: [
    { key: 'karpenter.azure.com/sku-family', operator: 'In', values: ['D', 'E'] },
    { key: 'karpenter.azure.com/sku-cpu', operator: 'Lt', values: ['32'] },
  ],
}
const POOL_NAME = 'default'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const POOL = '/apis/karpenter.sh/v1/nodepools'
const CLASS = '/apis/karpenter.azure.com/v1beta1/aksnodeclasses'
const LIMIT_MS = 10 * 60_000
const LOOK_EVERY_MS = 50
const QUIET_MS = 10_000

export async function createSystemLoad(client: KubeClient, shape: LoadShape = SMALL_AND_LARGE): Promise<SystemLoad> {
  const signal = AbortSignal.timeout(LIMIT_MS * 2)
  const send = senderOf(client, signal)
  await send('POST', CLASS, { apiVersion: 'karpenter.azure.com/v1beta1', kind: 'AKSNodeClass', metadata: { name: 'default' }, spec: {} })
  await send('POST', POOL, nodePool(shape))
  await poolReady(client, signal)
  for (const load of shape.deployments) await send('POST', DEPLOYMENTS, deployment(load))
  const watched = await watchLoad(client)
  const { pods, nodes, claims, readyAt } = watched

  const setDisruption = (disruption: object): Promise<void> => send('PATCH', `${POOL}/${POOL_NAME}`, { spec: { disruption } })

  async function scale(count: number): Promise<void> {
    const kinds = shape.deployments.length
    // The first Deployments get the rest of an uneven division.
    const shareOf = (index: number): number => Math.ceil((count - index) / kinds)
    const scaleOne = ({ name }: LoadShape['deployments'][number], index: number): Promise<void> =>
      send('PATCH', `${DEPLOYMENTS}/${name}`, { spec: { replicas: shareOf(index) } })
    await Promise.all(shape.deployments.map(scaleOne))
  }

  return {
    async fill(count) {
      const startedAt = performance.now()
      let last = { runningMs: 0, running: 0 }
      await scale(count)
      await until(() => {
        const running = watched.ofLoad().filter(isRunning).length
        const ms = Math.round(performance.now() - startedAt)
        if (running !== last.running) last = { runningMs: ms, running }
        return running === count || (running > 0 && ms - last.runningMs > QUIET_MS)
      })
      return last
    },
    async scaleTo(count) {
      const made = watched.noteClaims()
      const startedAt = performance.now()
      await scale(count)
      await until(() => {
        const all = watched.ofLoad()
        return all.length === count && all.every(isRunning)
      })
      const runningMs = Math.round(performance.now() - startedAt)
      await until(() => [...claims.items()].every((claim) => isTrue(claim, 'Initialized')))
      const since = (claim: MadeClaim | undefined): number => Math.round((claim?.at ?? startedAt) - startedAt)
      return {
        firstClaimMs: since(made[0]),
        lastClaimMs: since(made.at(-1)),
        claims: made.map(({ name }) => name),
        machines: [...claims.items()].length,
        nodesByPods: nodesByPods(
          [...nodes.items()],
          watched.ofLoad(),
          shape.deployments.map(({ name }) => name),
        ),
        runningMs,
        readyAt,
      }
    },
    nodes: () => [...nodes.items()].length,
    setDisruption,
    async removeNodes() {
      const startedAt = performance.now()
      await setDisruption({ consolidateAfter: '0s' })
      await until(() => [...nodes.items()].length === 0 && [...claims.items()].length === 0)
      return Math.round(performance.now() - startedAt)
    },
    close() {
      for (const informer of [pods, nodes, claims]) informer.close()
    },
  }
}

type Send = (method: 'POST' | 'PATCH', path: string, body: object) => Promise<void>

function senderOf(client: KubeClient, signal: AbortSignal): Send {
  return async (method, path, body) => {
    const contentType = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}
    const answer = await client.send({ method, path, body, signal, ...contentType })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.error.message}`)
  }
}

type MadeClaim = { readonly name: string; readonly at: number }

/** The objects of the load as they come and go. */
async function watchLoad(client: KubeClient) {
  const [pods, nodes, claims] = [startInformer(PODS, { client }), startInformer(NODES, { client }), startInformer(NODE_CLAIMS, { client })]
  await Promise.all([pods.synced, nodes.synced, claims.synced])
  const readyAt = new Map<string, number>()
  let made: MadeClaim[] = []
  claims.onChange((now, before) => {
    if (now !== undefined && before === undefined) made.push({ name: now.metadata.name, at: performance.now() })
  })
  nodes.onChange((now) => {
    if (now === undefined || !couldRunPods(now)) return
    const claim = now.metadata.name.replace(DEFAULT_MACHINE_NAMES.prefix, '')
    if (!readyAt.has(claim)) readyAt.set(claim, Date.now())
  })
  return {
    pods,
    nodes,
    claims,
    readyAt,
    /** Returns the list to which new claims are added until the next call. */
    noteClaims(): readonly MadeClaim[] {
      made = []
      return made
    },
    /** The pods of the load. The pod whose token the shim uses is not among them. */
    ofLoad: () => [...pods.items()].filter(({ metadata }) => metadata.labels?.['app']?.startsWith('load-')),
  }
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + LIMIT_MS
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not done within ${LIMIT_MS / 60_000} minutes`)
    await sleep(LOOK_EVERY_MS)
  }
}

/** Counts the nodes that run the same number of pods of each Deployment. */
function nodesByPods(nodes: readonly Node[], pods: readonly Pod[], deployments: readonly string[]): Scaled['nodesByPods'] {
  const podsOf = Map.groupBy(pods, ({ spec }) => spec.nodeName)
  const countsOn = ({ metadata }: Node): string => {
    const own = podsOf.get(metadata.name) ?? []
    return deployments.map((name) => own.filter((pod) => pod.metadata.labels?.['app'] === name).length).join('+')
  }
  return Object.fromEntries([...Map.groupBy(nodes, countsOn)].map(([counts, group]) => [counts, group.length]))
}

/** Reports whether the node is ready and has none of a starting node's taints, except the taint that Joiner removes. */
function couldRunPods(node: Node): boolean {
  return isReady(node) && !(node.spec.taints ?? []).some(({ key }) => STARTING.includes(key))
}

const STARTING = ['node.kubernetes.io/not-ready', 'node.cloudprovider.kubernetes.io/uninitialized']

function nodePool(shape: LoadShape): object {
  const requirements = [
    { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] },
    ...shape.requirements,
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

function deployment({ name, requests }: LoadShape['deployments'][number]): object {
  const container = { name: 'pause', image: 'mcr.microsoft.com/oss/kubernetes/pause:3.6', resources: { requests } }
  return {
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { terminationGracePeriodSeconds: 0, containers: [container] } },
    },
  }
}
