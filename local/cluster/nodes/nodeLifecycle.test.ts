import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Lease, Node } from '../client/objects.ts'
import { type MemoryContext, memoryContext } from '../testing/memoryContext.ts'
import { testNode, testPod } from '../testing/objects.ts'
import { startNodeLifecycle } from './nodeLifecycle.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: Date.parse('2026-01-01T00:00:00Z') }))
afterEach(() => void vi.useRealTimers())

const SILENCE_MS = 40_000

/** Lets this much time pass, and lets the work that it triggers finish. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
}

let version = 1
const next = (): string => String(++version)
const READY = { type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z' }

function ready(name: string, condition: object = {}): Node {
  return testNode(name, { status: { conditions: [{ ...READY, ...condition }] }, metadata: { resourceVersion: next() } })
}

/** A renewed lease of the kubelet, which it sends every ten seconds. */
function beat(name: string, renewTime: string, namespace = 'kube-node-lease'): Lease {
  const metadata = { name, namespace, uid: `lease-${name}`, resourceVersion: next(), creationTimestamp: '2026-01-01T00:00:00Z' }
  return { metadata, spec: { renewTime } } as Lease
}

/** Puts the node again with one more label. */
function labelled({ nodes }: MemoryContext, count: number): void {
  const node = nodes.get('a') ?? ready('a')
  const resourceVersion = String(Number(node.metadata.resourceVersion) + 1)
  nodes.put({ ...node, metadata: { ...node.metadata, resourceVersion, labels: { count: String(count) } } })
}

async function started(...nodes: readonly Node[]): Promise<MemoryContext & { close(): void }> {
  const world = memoryContext()
  const controller = await startNodeLifecycle(world.context, SILENCE_MS)
  for (const node of nodes) world.nodes.put(node)
  await pass(0)
  return { ...world, close: controller.close }
}

const statusOf = ({ nodes }: MemoryContext, name: string) =>
  nodes.get(name)?.status?.conditions?.find(({ type }) => type === 'Ready')?.status
const taintsOf = ({ nodes }: MemoryContext, name: string) => nodes.get(name)?.spec.taints?.map(({ key, effect }) => `${key}:${effect}`)

const onNode = (name: string, nodeName: string, status: object) => testPod(name, { spec: { nodeName }, status })
const RUNS = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }

describe('a node whose kubelet falls silent', () => {
  it('is unknown in all that a kubelet says, unreachable, and said to be not ready', async () => {
    const world = await started(ready('a'))
    await pass(SILENCE_MS)
    expect(statusOf(world, 'a')).toBe('True')
    await pass(4_000)
    const at = { status: 'Unknown', reason: 'NodeStatusUnknown', lastTransitionTime: '2026-01-01T00:00:42Z' }
    expect(world.nodes.get('a')?.status?.conditions).toEqual([
      expect.objectContaining({ type: 'Ready', ...at, lastHeartbeatTime: '2026-01-01T00:00:00Z' }),
      ...['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => expect.objectContaining({ type, ...at })),
    ])
    expect(world.nodes.get('a')?.status?.conditions?.[1]).not.toHaveProperty('lastHeartbeatTime')
    expect(taintsOf(world, 'a')).toEqual(['node.kubernetes.io/unreachable:NoSchedule', 'node.kubernetes.io/unreachable:NoExecute'])
    expect(world.bodies).toContainEqual(expect.objectContaining({ type: 'Normal', reason: 'NodeNotReady' }))
  })

  it('makes its pods not ready, but for those that have ended or never were; they are told once', async () => {
    const world = await started(ready('a'), ready('b'))
    world.pods.put(onNode('runs', 'a', RUNS))
    world.pods.put(onNode('ended', 'a', { ...RUNS, phase: 'Succeeded' }))
    world.pods.put(onNode('starts', 'a', { phase: 'Pending' }))
    world.pods.put(onNode('elsewhere', 'b', RUNS))
    world.leases.put(beat('b', '1'))
    await pass(20_000)
    world.leases.put(beat('b', '2'))
    await pass(SILENCE_MS - 10_000)
    expect(world.writes.filter((write) => write.includes('pods/'))).toEqual(['PATCH pods/runs'])
    expect(world.pods.get('default/runs')?.status?.conditions).toEqual([
      { type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T00:00:42Z' },
    ])
    await pass(SILENCE_MS)
    expect(world.writes.filter((write) => write === 'PATCH pods/runs')).toHaveLength(1)
  })

  it('is not written again while it stays silent', async () => {
    const world = await started(ready('a'))
    await pass(SILENCE_MS + 4_000)
    const written = world.writes.length
    expect(written).toBeGreaterThan(0)
    await pass(10 * SILENCE_MS)
    expect(world.writes).toHaveLength(written)
  })

  it('loses its taints when its kubelet says again that it is ready', async () => {
    const world = await started(ready('a'))
    await pass(SILENCE_MS + 4_000)
    world.nodes.put(testNode('a', { spec: world.nodes.get('a')?.spec ?? {}, ...withReady('1000'), status: { conditions: [READY] } }))
    await pass(0)
    expect(taintsOf(world, 'a')).toBeUndefined()
  })

  const withReady = (resourceVersion: string) => ({ metadata: { resourceVersion } })
})

describe('a kubelet is heard', () => {
  it.each<[string, boolean, (world: MemoryContext, count: number) => void]>([
    ['by its lease', true, (world, count) => world.leases.put(beat('a', String(count)))],
    ['by the heartbeat of its status', true, (world, count) => world.nodes.put(ready('a', { lastHeartbeatTime: String(count) }))],
    [
      'by its word that it is not ready',
      true,
      (world, count) => world.nodes.put(ready('a', { status: 'False', lastHeartbeatTime: `${count}` })),
    ],
    ['not by a lease that does not change', false, (world) => world.leases.put(beat('a', 'same'))],
    ['not by a lease of that name elsewhere', false, (world, count) => world.leases.put(beat('a', String(count), 'default'))],
    ['not by what others write of its node', false, labelled],
    [
      'not by what is unknown',
      false,
      (world, count) => world.nodes.put(ready('a', { status: 'Unknown', lastHeartbeatTime: String(count) })),
    ],
  ])('%s', async (_how, isHeard, speak) => {
    const world = await started(ready('a'))
    for (let count = 1; count <= 8; count++) {
      speak(world, count)
      await pass(10_000)
    }
    expect(statusOf(world, 'a') !== 'Unknown').toBe(isHeard)
  })

  it('no more once its node is gone', async () => {
    const world = await started(ready('a'))
    world.nodes.remove('a')
    await pass(2 * SILENCE_MS)
    expect(world.writes).toEqual([])
  })
})

it('a controller that is closed looks no more', async () => {
  const world = await started(ready('a'))
  world.close()
  await pass(2 * SILENCE_MS)
  expect(world.writes).toEqual([])
})
