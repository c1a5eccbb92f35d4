import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { err } from '../../../shared/base/result.ts'
import { type MemoryContext, memoryContext } from '../testing/memoryContext.ts'
import { testNode, testPod } from '../testing/objects.ts'
import { startScheduler } from './scheduler.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

/** Lets `ms` pass, with all that happens in this time. */
async function pass(ms: number): Promise<void> {
  for (let gone = 0; gone < ms; gone += 100) {
    await vi.advanceTimersByTimeAsync(Math.min(100, ms - gone))
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Each answer takes 10 ms, so that much happens between a write and its answer. */
async function scheduled(names: readonly string[]): Promise<MemoryContext> {
  const world = memoryContext({ answerMs: 10 })
  await startScheduler(world.context)
  for (const name of names) world.pods.put(testPod(name))
  return world
}

const COUNT = 200
const NAMES = Array.from({ length: COUNT }, (_, index) => `web-${String(index).padStart(3, '0')}`)
const events = ({ writes }: MemoryContext) => writes.filter((line) => line.endsWith(' events') || line.includes(' events/')).length
const boundPods = ({ pods }: MemoryContext) => [...pods.items()].filter(({ spec }) => spec.nodeName !== undefined).length
const full = (name: string) => testNode(name, { status: { allocatable: { cpu: '100m', memory: '8Gi', pods: '110' } } })

describe('the scheduler, with pods that find no node', () => {
  it('says so once of each pod, however many wait', async () => {
    const world = await scheduled(NAMES)
    await pass(60_000)
    expect(events(world)).toBe(COUNT)
    expect(world.writes).toHaveLength(2 * COUNT)
  })

  it('stays quiet while what does not help changes: heartbeats of nodes, statuses of pods', async () => {
    const world = await scheduled(NAMES)
    world.nodes.put(full('full'))
    await pass(30_000)
    const before = world.writes.length
    for (let beat = 2; beat < 50; beat++) {
      world.nodes.put(testNode('full', { ...full('full'), metadata: { resourceVersion: String(beat) } }))
      await pass(1_000)
    }
    expect(world.writes).toHaveLength(before)
  })

  it('tells another reason with a back-off of 1, 2, 4, 8, then 10 seconds, as it tries', async () => {
    const world = await scheduled(NAMES)
    // A node joins each second and does not help, so the message changes each second.
    for (let second = 0; second < 60; second++) {
      world.nodes.put(full(`full-${second}`))
      await pass(1_000)
    }
    await pass(15_000)
    // Reports at 0, 1, 3, 7, 15, 25, 35, 45, 55 and 65 seconds.
    expect(events(world)).toBeLessThanOrEqual(10 * COUNT)
    expect(events(world)).toBeGreaterThanOrEqual(9 * COUNT)
    const [pod] = world.pods.items()
    expect(pod?.status?.conditions?.at(-1)?.message).toBe('0/60 nodes are available: 60 Insufficient cpu.')
  })

  it('binds at once when a node comes that helps, whatever the back-off', async () => {
    const world = await scheduled(NAMES)
    await pass(60_000)
    world.nodes.put(testNode('big', { status: { allocatable: { cpu: '150', memory: '800Gi', pods: '250' } } }))
    await pass(4_000)
    expect(boundPods(world)).toBe(150)
  })

  it.each([
    ['a pod goes', (world: MemoryContext) => world.pods.remove('default/web-000')],
    [
      'a pod ends',
      (world: MemoryContext) =>
        world.pods.put(
          testPod('web-000', { spec: { nodeName: 'one' }, status: { phase: 'Succeeded' }, metadata: { resourceVersion: '99' } }),
        ),
    ],
    [
      'a node grows',
      (world: MemoryContext) =>
        world.nodes.put(
          testNode('one', { status: { allocatable: { cpu: '2', memory: '8Gi', pods: '9' } }, metadata: { resourceVersion: '2' } }),
        ),
    ],
    ['a node comes', (world: MemoryContext) => world.nodes.put(testNode('two'))],
  ])('binds a pod that waits as soon as %s', async (_what, change) => {
    const world = memoryContext()
    await startScheduler(world.context)
    world.nodes.put(testNode('one', { status: { allocatable: { cpu: '1', memory: '8Gi', pods: '9' } } }))
    for (const name of NAMES.slice(0, 2)) world.pods.put(testPod(name))
    await pass(30_000)
    expect(boundPods(world)).toBe(1)
    change(world)
    await pass(200)
    expect(world.pods.get('default/web-001')?.spec.nodeName).toBeDefined()
  })
})

describe('a pod that gets a node', () => {
  const placed = async (name: string, parts: Parameters<typeof testPod>[1] = {}): Promise<MemoryContext> => {
    const world = memoryContext()
    await startScheduler(world.context)
    world.nodes.put(testNode('one'))
    world.pods.put(testPod(name, parts))
    await pass(200)
    return world
  }
  const isBound = (world: MemoryContext, name: string) => world.pods.get(`default/${name}`)?.spec.nodeName === 'one'

  it('is bound by its uid, and told so', async () => {
    const world = await placed('web')
    expect(world.writes).toEqual(['POST binding of web', 'POST events'])
    expect(world.bodies[0]).toEqual({
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'web', namespace: 'default', uid: 'uid-web' },
      target: { apiVersion: 'v1', kind: 'Node', name: 'one' },
    })
    expect(world.bodies[1]).toMatchObject({
      type: 'Normal',
      reason: 'Scheduled',
      message: 'Successfully assigned default/web to one',
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'uid-web', namespace: 'default' },
    })
  })

  it.each([
    ['without the name of a scheduler', {}, true],
    ['of an empty scheduler name', { spec: { containers: [], schedulerName: '' } }, true],
    ['of this scheduler', { spec: { containers: [], schedulerName: 'default-scheduler' } }, true],
    ['of another scheduler', { spec: { containers: [], schedulerName: 'other' } }, false],
    ['that is gated', { spec: { containers: [], schedulingGates: [{ name: 'wait' }] } }, false],
    ['whose gates are gone', { spec: { containers: [], schedulingGates: [] } }, true],
    ['that goes', { metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', deletionTimestamp: 'now' } }, false],
    ['that has ended', { status: { phase: 'Failed' } }, false],
  ])('is one %s: %j', async (_what, parts, want) => {
    expect(isBound(await placed('web', parts), 'web')).toBe(want)
  })

  it('is the one of higher priority, then the one that waits longest, then by name', async () => {
    const world = memoryContext()
    await startScheduler(world.context)
    const pod = (name: string, priority: number, creationTimestamp: string) =>
      testPod(name, {
        cpu: '4',
        spec: { priority, containers: [{ name: 'main', resources: { requests: { cpu: '4' } } }] },
        metadata: { name, namespace: 'default', uid: name, resourceVersion: '1', creationTimestamp },
      })
    for (const each of [pod('b', 0, '2'), pod('a', 0, '2'), pod('older', 0, '1'), pod('first', 5, '9')]) world.pods.put(each)
    await pass(1_000)
    const order: string[] = []
    for (let node = 0; node < 4; node++) {
      world.nodes.put(testNode(`node-${node}`))
      await pass(1_000)
      const bound = [...world.pods.items()].filter(({ spec }) => spec.nodeName !== undefined).map(({ metadata }) => metadata.name)
      order.push(...bound.filter((name) => !order.includes(name)))
    }
    expect(order).toEqual(['first', 'older', 'a', 'b'])
  })

  it('is spread over the nodes, the emptiest first, or packed where that is asked for', async () => {
    for (const [strategy, want] of [
      [undefined, 'empty'],
      ['leastAllocated', 'empty'],
      ['mostAllocated', 'full'],
    ] as const) {
      const world = memoryContext()
      await startScheduler(world.context, strategy)
      for (const name of ['full', 'empty']) world.nodes.put(testNode(name))
      world.pods.put(
        testPod('there', { cpu: '2', spec: { nodeName: 'full', containers: [{ name: 'm', resources: { requests: { cpu: '2' } } }] } }),
      )
      world.pods.put(testPod('web'))
      await pass(200)
      expect(world.pods.get('default/web')?.spec.nodeName).toBe(want)
    }
  })

  it('is tried again where the binding was refused, and the refusal is logged', async () => {
    const world = memoryContext()
    const lines: string[] = []
    let refusals = 1
    const post: typeof world.context.api.post = async (path, body) =>
      refusals-- > 0 ? err({ code: 500, reason: 'InternalError', message: 'later' }) : world.context.api.post(path, body)
    await startScheduler({ ...world.context, api: { ...world.context.api, post }, log: (line) => void lines.push(line) })
    world.nodes.put(testNode('one'))
    world.pods.put(testPod('web'))
    await pass(100)
    expect([isBound(world, 'web'), world.writes]).toEqual([false, []])
    await pass(1_000)
    expect(isBound(world, 'web')).toBe(true)
    expect(lines).toEqual(['scheduler: binding default/web to one: later'])
  })

  it('leaves its room when it goes before the next look', async () => {
    const world = memoryContext()
    await startScheduler(world.context)
    world.nodes.put(testNode('one', { status: { allocatable: { cpu: '1', memory: '8Gi', pods: '9' } } }))
    world.pods.put(testPod('a'))
    await pass(200)
    // Another pod of the same name. There is no room for it until the first pod is gone.
    world.pods.put(testPod('a', { metadata: { name: 'a', namespace: 'default', uid: 'second', resourceVersion: '9' } }))
    await pass(200)
    expect(world.writes.filter((write) => write.startsWith('POST binding'))).toHaveLength(2)
  })
})
