import type { Stack } from '../local/stack/startStack.ts'
import { type Spread, spreadOf } from './quantiles.ts'

const NODE_POOL = 'arrivals'
const GIVE_UP_MS = 30_000
const LOOK_EVERY_MS = 5

/**
 * Creates pods one by one at random moments. Each pod needs a new machine. Measures the time from the creation of a pod to the first call to ARM for
 * its machine. The time includes the idle second of the batch window.
 */
export async function measureArrivals(stack: Stack, count: number, seed: number): Promise<Spread> {
  const random = seeded(seed)
  await create(stack, '/apis/karpenter.sh/v1/nodepools', nodePool())
  const waits: number[] = []
  for (let index = 0; index < count; index++) {
    await pause(200 + random() * 1_300)
    waits.push(await arriveOne(stack, index))
  }
  return spreadOf(waits)
}

async function arriveOne(stack: Stack, index: number): Promise<number> {
  const before = interfacePuts(stack)
  const startedAt = Date.now()
  await create(stack, '/api/v1/namespaces/default/pods', pod(index))
  while (interfacePuts(stack) === before) {
    if (Date.now() - startedAt > GIVE_UP_MS) throw new Error(`no machine was asked for within ${GIVE_UP_MS} ms for pod ${index}`)
    await pause(LOOK_EVERY_MS)
  }
  const at = stack.azure.requests.all().findLast((request) => request.method === 'PUT' && request.type === 'networkInterfaces')?.at
  return (at ?? Date.now()) - startedAt
}

function interfacePuts(stack: Stack): number {
  return stack.azure.requests.count({ method: 'PUT', type: 'networkInterfaces' })
}

async function create(stack: Stack, path: string, body: object): Promise<void> {
  const created = await stack.client.send({ method: 'POST', path, body, signal: AbortSignal.timeout(10_000) })
  if (!created.ok) throw new Error(`${path}: ${created.error.message}`)
}

/** Returns a pool of machines with two CPUs. One pod takes more than half of them. */
function nodePool(): object {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: NODE_POOL },
    spec: {
      template: {
        metadata: { labels: { bench: NODE_POOL } },
        spec: {
          nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
          requirements: [{ key: 'karpenter.azure.com/sku-cpu', operator: 'In', values: ['2'] }],
        },
      },
      disruption: { consolidateAfter: 'Never' },
    },
  }
}

function pod(index: number): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `arrival-${index}`, namespace: 'default', labels: { app: NODE_POOL } },
    spec: {
      nodeSelector: { bench: NODE_POOL },
      containers: [{ name: 'pause', image: 'mcr.microsoft.com/oss/kubernetes/pause:3.6', resources: { requests: { cpu: '1500m' } } }],
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Returns a Park-Miller generator, so that each run has the same arrivals. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
