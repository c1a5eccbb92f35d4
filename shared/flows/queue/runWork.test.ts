import { describe, expect, it } from 'vitest'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, nodeClaimName } from '../../model/ids.ts'
import { Fault, problem } from '../../model/problem.ts'
import { durationMs, epochMs } from '../../model/units.ts'
import type { ClaimRequest } from '../../model/work.ts'
import { createClusterQueue } from './clusterQueue.ts'
import { createWorker, handOver, runWork } from './runWork.ts'

const START = epochMs(1_800_000_000_000)
const SECOND = 1_000
const MINUTE = 60 * SECOND
const CLUSTER = clusterId('test')
const NEVER = new AbortController().signal

const request = (name: string): ClaimRequest => ({ claim: nodeClaimName(name), because: 'news', isFollowed: false, attempt: 0 })

function scene(step: (name: string) => Promise<unknown> | void = () => undefined) {
  const clock = createVirtualClock(START)
  const world = createMemoryWorld({ clock, cluster: CLUSTER })
  const queue = createClusterQueue({ clock, batch: { idle: durationMs(0), max: durationMs(0) } })
  const done: (readonly [name: string, at: number])[] = []
  const failing: (readonly [key: string, at: number])[] = []
  const door = { isOpen: true, open: (): void => undefined }
  const workers = {
    decide: async () => void done.push(['decide', clock.now() - START]),
    compact: async () => void done.push(['compact', clock.now() - START]),
    async step({ claim }: ClaimRequest) {
      await step(claim)
      done.push([claim, clock.now() - START])
    },
    failing: async ({ key }: { readonly key: string }) => void failing.push([key, clock.now() - START]),
  }
  const { telemetry } = world
  const work = createWorker({ cluster: CLUSTER, queue, telemetry, workers: () => workers, budget: () => NEVER })
  const mayBegin = (): Promise<void> =>
    new Promise((resolve) => {
      door.open = resolve
    })
  void runWork({ queue, clock, work, isOpen: () => door.isOpen, mayBegin })
  return { world, clock, queue, done, failing, door }
}

const broken = (): never => {
  throw new Fault('try', problem('STORE.UNAVAILABLE', 'storage is away'))
}

describe('a key', () => {
  it('runs at its time', async () => {
    const { clock, queue, done } = scene()
    queue.reconcile(request('a'), 5 * SECOND)
    queue.reconcile(request('b'))
    await clock.advance(MINUTE)
    expect(done).toEqual([
      ['b', 0],
      ['a', 5 * SECOND],
    ])
  })

  it('runs only while work may begin', async () => {
    const { clock, queue, done, door } = scene()
    door.isOpen = false
    queue.reconcile(request('a'))
    await clock.advance(SECOND)
    expect(done).toEqual([])
    door.isOpen = true
    door.open()
    await clock.advance(0)
    expect(done).toEqual([['a', SECOND]])
  })

  it('that fails is tried again after pauses that grow up to a minute, as long as it fails, and does not hold up others', async () => {
    const at: number[] = []
    const { clock, queue, done, failing } = scene((name) => {
      if (name !== 'a') return
      at.push((clock.now() - START) / SECOND)
      broken()
    })
    queue.reconcile(request('a'))
    await clock.advance(4 * SECOND)
    queue.reconcile(request('b'))
    await clock.advance(3 * MINUTE)
    expect(at).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183])
    expect(done).toEqual([['b', 4 * SECOND]])
    expect(failing.map(([key, ms]) => [key, ms / SECOND])).toEqual([31, 63, 123, 183].map((second) => ['claim/a', second]))
  })

  it('that succeeds begins with the shortest pause at its next failure', async () => {
    let fails = 3
    const at: number[] = []
    const { clock, queue } = scene(() => {
      at.push((clock.now() - START) / SECOND)
      if (fails-- > 0) broken()
    })
    queue.reconcile(request('a'))
    await clock.advance(20 * SECOND)
    fails = 1
    queue.reconcile(request('a'))
    await clock.advance(20 * SECOND)
    expect(at).toEqual([0, 1, 3, 7, 20, 21])
  })

  it('that fails is told of: a Fault with its code as a warning, a bug as an error', async () => {
    const { world, clock, queue } = scene((name) => {
      if (name === 'a') broken()
      throw new TypeError('a bug')
    })
    for (const name of ['a', 'b']) queue.reconcile(request(name))
    await clock.advance(0)
    expect(world.telemetry.lines.map(({ level, fields }) => [level, fields['code']])).toEqual([
      ['warn', 'STORE.UNAVAILABLE'],
      ['error', undefined],
    ])
  })
})

describe('very many keys', () => {
  it('run 256 beside each other, and a decision comes before those that wait', async () => {
    let [running, most] = [0, 0]
    const { clock, queue, done } = scene(async () => {
      most = Math.max(most, ++running)
      await clock.sleep(SECOND, NEVER)
      running--
    })
    for (let index = 0; index < 1_200; index++) queue.reconcile(request(`c-${index}`))
    queue.decide({ because: 'resync', eventAt: START })
    await clock.advance(MINUTE)
    expect([most, done.length, done[0]]).toEqual([256, 1_201, ['decide', 0]])
  })
})

describe('a process that ends', () => {
  const end = async (made: ReturnType<typeof scene>, leave: (request: ClaimRequest) => Promise<unknown> = async () => undefined) => {
    const { queue, clock, world } = made
    const over = handOver({
      cluster: CLUSTER,
      queue,
      clock,
      wakes: world.ports.wakes,
      telemetry: world.telemetry,
      budget: () => NEVER,
      leave,
    })
    await clock.advance(MINUTE)
    await over
  }

  it('leaves one message for any number of keys, after it has left their claims, and begins no more work', async () => {
    const made = scene()
    const left: unknown[] = []
    for (const name of ['a', 'b', 'c']) made.queue.reconcile({ ...request(name), because: 'requeue' }, 5 * SECOND)
    await end(made, async ({ claim }) => void left.push([claim, made.world.wakes.length]))
    expect(left).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 0],
    ])
    expect([made.world.wakes.length, made.done]).toEqual([1, []])
  })

  it('leaves a message for work that runs, and none if there is none', async () => {
    const made = scene(() => new Promise(() => undefined))
    made.queue.reconcile(request('a'))
    await made.clock.advance(0)
    await end(made)
    expect(made.world.wakes).toHaveLength(1)
    const idle = scene()
    await end(idle)
    expect(idle.world.wakes).toEqual([])
  })

  it('leaves the message though a claim cannot be left, or not in half a second', async () => {
    for (const leave of [broken, () => new Promise(() => undefined)]) {
      const made = scene()
      made.queue.reconcile(request('a'), 5 * SECOND)
      await end(made, async () => leave())
      expect(made.world.wakes).toHaveLength(1)
    }
  })

  it('says so if the message cannot be sent: the timer finds the work', async () => {
    const made = scene()
    made.world.failCall('wakes.wake', 1, { when: 'before', how: 'fault' })
    made.queue.reconcile(request('a'), 5 * SECOND)
    await end(made)
    expect(made.world.telemetry.lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('left to the timer') }])
  })
})
