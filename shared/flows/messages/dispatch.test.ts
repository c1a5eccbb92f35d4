import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, nodeClaimName } from '../../model/ids.ts'
import type { ClaimMessage, Doorbell } from '../../model/message.ts'
import { Fault, problem } from '../../model/problem.ts'
import { epochMs } from '../../model/units.ts'
import { BACKUP_MS, createDispatch } from './dispatch.ts'

const NEVER = new AbortController().signal
const START = epochMs(1_800_000_000_000)
const CLUSTER = clusterId('test')
const SECOND = 1_000
const MINUTE = 60 * SECOND
const DOORBELL: Doorbell = { kind: 'doorbell', cluster: CLUSTER, because: 'changes', eventAt: START, urgent: false }
const step = (name: string): ClaimMessage => {
  return { kind: 'nodeClaim', cluster: CLUSTER, claim: nodeClaimName(name), follow: false, sentAt: START, attempt: 0 }
}

type Done = { readonly what: string; readonly at: number }
type Work = (what: string) => Promise<void> | void

function scene(work: Work = () => undefined, clock = createVirtualClock(START), joins: (doorbell: Doorbell) => boolean = () => false) {
  const world = createMemoryWorld({ clock, cluster: CLUSTER })
  const done: Done[] = []
  const over = new AbortController()
  let flushes = 0
  async function perform(what: string): Promise<void> {
    await work(what)
    done.push({ what, at: clock.now() - START })
  }
  const queue = createDispatch({
    ...world.ports,
    workers: { joinOpen: (doorbell) => joins(doorbell), reconcile: ({ because }) => perform(because), step: ({ claim }) => perform(claim) },
    budget: () => NEVER,
    over: over.signal,
    afterwards: () => void flushes++,
  })
  return { world, clock, queue, done, over, flushes: () => flushes }
}

const broken = (): never => {
  throw new Fault('try', problem('STORE.UNAVAILABLE', 'storage is away'))
}

describe('a message', () => {
  it('is worked on at once, by the process that sends it, and is gone from the queue', async () => {
    const { world, clock, queue, done, flushes } = scene()
    await queue.ring(DOORBELL, 0, NEVER)
    await queue.send(step('a'), 5 * SECOND, NEVER)
    await clock.advance(0)
    expect(done).toEqual([{ what: 'changes', at: 0 }])
    expect(world.queues.waiting()).toEqual([step('a')])
    await clock.advance(5 * SECOND)
    expect(done.at(-1)).toEqual({ what: 'a', at: 5 * SECOND })
    expect(world.queues.waiting()).toEqual([])
    expect(flushes()).toBe(2)
  })

  it('stands in the queue before its work begins, for later than its work can take', async () => {
    const waiting: unknown[] = []
    const { world, clock, queue } = scene(() => void waiting.push(world.queues.nextAt()))
    await queue.send(step('a'), 5 * SECOND, NEVER)
    await clock.advance(5 * SECOND)
    expect(waiting).toEqual([START + 5 * SECOND + BACKUP_MS])
  })

  it('of a look that is gathered already is not stored: the message of that look stands for it', async () => {
    const joined: Doorbell[] = []
    const { world, clock, queue, done } = scene(undefined, undefined, (doorbell) => joined.push(doorbell) > 0)
    await queue.ring(DOORBELL, 0, NEVER)
    await clock.advance(MINUTE)
    expect([joined, done, world.queues.waiting()]).toEqual([[DOORBELL], [], []])
  })

  it('that is for later waits, whatever is gathered now', async () => {
    const { world, clock, queue, done } = scene(undefined, undefined, () => true)
    await queue.ring(DOORBELL, SECOND, NEVER)
    expect(world.queues.waiting()).toEqual([DOORBELL])
    await clock.advance(SECOND)
    expect(done).toEqual([{ what: 'changes', at: SECOND }])
  })

  it('that cannot be stored is not worked on: whoever sends it is told', async () => {
    const { world, clock, queue, done } = scene()
    world.failCall('queue.ring', 1, { when: 'before', how: 'fault' })
    await expect(queue.ring(DOORBELL, 0, NEVER)).rejects.toThrow('queue.ring')
    await clock.advance(MINUTE)
    expect([done, world.queues.waiting()]).toEqual([[], []])
  })

  it('whose work fails is tried again after ten seconds, and is told of', async () => {
    let failures = 2
    const { world, clock, queue, done } = scene(() => (failures-- > 0 ? broken() : undefined))
    await queue.ring(DOORBELL, 0, NEVER)
    await clock.advance(MINUTE)
    expect(done).toEqual([{ what: 'changes', at: 20 * SECOND }])
    expect(world.telemetry.lines.map(({ level, fields }) => [level, fields['code']])).toEqual([
      ['warn', 'STORE.UNAVAILABLE'],
      ['warn', 'STORE.UNAVAILABLE'],
    ])
    expect(world.queues.waiting()).toEqual([])
  })

  it('whose work fails and fails is left to the queue, which knows what to do with such', async () => {
    const { world, clock, queue } = scene(() => {
      throw new TypeError('a bug')
    })
    await queue.ring(DOORBELL, 0, NEVER)
    await clock.advance(BACKUP_MS)
    expect(world.queues.take()?.body).toEqual(DOORBELL)
    expect(world.telemetry.lines.map(({ level }) => level)).toEqual(['error', 'error', 'error'])
  })

  it('of a process that ends is left to the queue', async () => {
    const { world, clock, queue, done, over } = scene()
    await queue.send(step('a'), 5 * SECOND, NEVER)
    over.abort()
    await queue.send(step('b'), 0, NEVER)
    await clock.advance(4 * BACKUP_MS)
    expect(done).toEqual([])
    expect(world.queues.waiting()).toEqual([step('b'), step('a')])
  })

  it('that is not taken back comes once more, and does no harm', async () => {
    const { world, clock, queue, done } = scene()
    world.failCall('queue.takeBack', 1, { when: 'before', how: 'fault' })
    await queue.ring(DOORBELL, 0, NEVER)
    await clock.advance(BACKUP_MS)
    expect(done).toHaveLength(1)
    expect(world.queues.take()?.body).toEqual(DOORBELL)
  })

  it('for later than a minute waits in the queue alone', async () => {
    const { world, clock, queue, done } = scene()
    await queue.ring(DOORBELL, MINUTE + 1, NEVER)
    expect(world.queues.nextAt()).toBe(START + MINUTE + 1)
    await clock.advance(2 * MINUTE)
    expect(done).toEqual([])
  })
})

describe('very many messages', () => {
  it('are worked on 64 beside each other, and what is too many for one process goes to the queue at once', async () => {
    let [running, most] = [0, 0]
    const { world, clock, queue, done } = scene(async () => {
      most = Math.max(most, ++running)
      await clock.sleep(SECOND, NEVER)
      running--
    })
    for (let index = 0; index < 1_200; index++) await queue.send(step(`c-${index}`), 0, NEVER)
    await clock.advance(BACKUP_MS - 1)
    expect([most, done.length]).toEqual([64, 1_000])
    expect(world.queues.waiting()).toHaveLength(200)
    expect(world.queues.nextAt()).toBe(clock.now())
    await queue.send(step('later'), 0, NEVER)
    await clock.advance(0)
    expect(world.queues.waiting(), 'there is room again').toHaveLength(201)
  })

  it('are each worked on once or wait in the queue, whatever fails on the way', async () => {
    const sends = fc.array(
      fc.record({ delayS: fc.integer({ min: 0, max: 120 }), fails: fc.integer({ min: 0, max: 5 }), store: fc.boolean() }),
      { maxLength: 20 },
    )
    await fc.assert(
      fc.asyncProperty(sends, fc.integer({ min: 0, max: 200 }), async (messages, endsAtS) => {
        const left = new Map(messages.map(({ fails }, index) => [`c-${index}`, fails]))
        const { world, clock, queue, done, over } = scene((what) => {
          const fails = left.get(what) ?? 0
          left.set(what, fails - 1)
          if (fails > 0) broken()
        })
        const sent = new Set<string>()
        for (const [index, { delayS, store }] of messages.entries()) {
          if (!store) world.failCall('queue.send', 1, { when: 'before', how: 'fault' })
          const outcome = await queue.send(step(`c-${index}`), delayS * SECOND, NEVER).then(
            () => true,
            () => false,
          )
          expect(outcome).toBe(store)
          if (store) sent.add(`c-${index}`)
        }
        await clock.advance(endsAtS * SECOND)
        over.abort()
        await clock.advance(10 * MINUTE)
        const names = done.map(({ what }) => what)
        const waiting = world.queues.waiting().map((message) => (message.kind === 'nodeClaim' ? message.claim : 'doorbell'))
        expect([...names, ...waiting].sort()).toEqual([...sent].sort())
        for (const { what, at } of done) {
          const { delayS = 0, fails = 0 } = messages[Number(what.slice(2))] ?? {}
          expect(at).toBe((delayS + 10 * fails) * SECOND)
        }
      }),
      { numRuns: 50 },
    )
  })
})
