import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { defined } from '../../base/defined.ts'
import { clusterId, nodeClaimName } from '../../model/ids.ts'
import type { ClaimMessage, Doorbell } from '../../model/message.ts'
import { Fault, problem } from '../../model/problem.ts'
import { epochMs } from '../../model/units.ts'
import { createDispatch, type DispatchOptions, type Workers } from './dispatch.ts'
import { createMessagesInHand } from './messagesInHand.ts'

const NEVER = new AbortController().signal
const START = epochMs(1_800_000_000_000)
const CLUSTER = clusterId('test')
const SECOND = 1_000
const MINUTE = 60 * SECOND
const DOORBELL: Doorbell = { kind: 'doorbell', cluster: CLUSTER, because: 'changes', eventAt: START, urgent: false }
const step = (name: string): ClaimMessage => {
  return { kind: 'nodeClaim', cluster: CLUSTER, claim: nodeClaimName(name), follow: false, sentAt: START, attempt: 0 }
}

/** A message of the chain that follows a claim until it is initialized. */
const coming = (name: string): ClaimMessage => ({ ...step(name), follow: true, known: { isComing: true } })

type Done = { readonly what: string; readonly at: number }
/** The work of a step. It returns whether nothing is left to wait for. */
type Work = (what: string) => Promise<boolean | void> | boolean | void

type SceneOptions = { readonly leave?: NonNullable<Workers['leave']> } & Partial<Pick<DispatchOptions, 'mayBegin' | 'gaveUp' | 'inHand'>>

function scene(
  work: Work = () => undefined,
  clock = createVirtualClock(START),
  joins: (doorbell: Doorbell) => boolean = () => false,
  { leave, ...options }: SceneOptions = {},
) {
  const world = createMemoryWorld({ clock, cluster: CLUSTER })
  const done: Done[] = []
  const over = new AbortController()
  const handedOver: Promise<unknown>[] = []
  let flushes = 0
  async function perform(what: string): Promise<boolean> {
    const isThrough = await work(what)
    done.push({ what, at: clock.now() - START })
    return isThrough === true
  }
  const queue = createDispatch({
    ...world.ports,
    workers: {
      joinOpen: (doorbell) => joins(doorbell),
      reconcile: async ({ because }) => void (await perform(because)),
      step: ({ claim }) => perform(claim),
      ...defined({ leave }),
    },
    budget: () => NEVER,
    over: over.signal,
    afterwards: () => void flushes++,
    handedOver: (leaving) => void handedOver.push(leaving),
    ...options,
  })
  return { world, clock, queue, done, over, handedOver, flushes: () => flushes }
}

const broken = (): never => {
  throw new Fault('try', problem('STORE.UNAVAILABLE', 'storage is away'))
}

describe('a message', () => {
  it('that failed at the last try of this process is reported once, with what failed, before it goes to the queue', async () => {
    const told: unknown[] = []
    const { world, clock, queue } = scene(broken, undefined, undefined, {
      gaveUp: async (message, thrown) => void told.push([message, thrown, world.queues.waiting().length]),
    })
    await queue.send(step('a'), 0, NEVER)
    await clock.advance(20 * SECOND - 1)
    expect(told).toEqual([])
    await clock.advance(MINUTE)
    expect(told).toMatchObject([[{ claim: 'a' }, { problem: { code: 'STORE.UNAVAILABLE' } }, 0]])
    expect(world.queues.waiting()).toHaveLength(1)
  })

  it('is worked on at once, by the process that sends it, and the queue is spared', async () => {
    const { world, clock, queue, done, flushes } = scene(() => void waiting.push(...world.queues.waiting()))
    const waiting: unknown[] = []
    await queue.ring(DOORBELL, 0, NEVER)
    await queue.send(step('a'), 5 * SECOND, NEVER)
    await clock.advance(0)
    expect(done).toEqual([{ what: 'changes', at: 0 }])
    await clock.advance(5 * SECOND)
    expect(done.at(-1)).toEqual({ what: 'a', at: 5 * SECOND })
    expect(waiting).toEqual([])
    expect(flushes()).toBe(2)
  })

  it('of a look that is gathered already is taken into that look', async () => {
    const joined: Doorbell[] = []
    const { world, clock, queue, done } = scene(undefined, undefined, (doorbell) => joined.push(doorbell) > 0)
    await queue.ring(DOORBELL, 0, NEVER)
    await clock.advance(MINUTE)
    expect([joined, done, world.queues.waiting()]).toEqual([[DOORBELL], [], []])
  })

  it('that is for later waits, whatever is gathered now', async () => {
    const { world, clock, queue, done } = scene(undefined, undefined, () => true)
    await queue.ring(DOORBELL, SECOND, NEVER)
    expect(world.queues.waiting()).toEqual([])
    await clock.advance(SECOND)
    expect(done).toEqual([{ what: 'changes', at: SECOND }])
  })

  it('for later than a minute that cannot be stored: whoever sends it is told', async () => {
    const { world, clock, queue, done } = scene()
    world.failCall('queue.ring', 1, { when: 'before', how: 'fault' })
    await expect(queue.ring(DOORBELL, MINUTE + 1, NEVER)).rejects.toThrow('queue.ring')
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

  it('whose work fails and fails is left to the queue, which tries on and in the end tells a person', async () => {
    const { world, clock, queue } = scene(() => {
      throw new TypeError('a bug')
    })
    await queue.ring(DOORBELL, 0, NEVER)
    await clock.advance(20 * SECOND)
    expect([world.queues.waiting(), world.queues.nextAt()]).toEqual([[DOORBELL], START + 30 * SECOND])
    expect(world.telemetry.lines.map(({ level }) => level)).toEqual(['error', 'error', 'error'])
  })

  it("that fails while the queue is away is told of, and is the timer's to find", async () => {
    const { world, clock, queue, done } = scene(broken)
    world.failCall('queue.send', 1, { when: 'before', how: 'fault' })
    await queue.send(step('a'), 0, NEVER)
    await clock.advance(MINUTE)
    expect([done, world.queues.waiting()]).toEqual([[], []])
    expect(world.telemetry.lines.at(-1)?.message).toMatch(/^a step of nodeclaim a could not be sent to the queue: /)
  })

  it('of a process that ends goes to the queue at once, for its own time', async () => {
    const { world, clock, queue, done, over } = scene()
    await queue.send(step('a'), 5 * SECOND, NEVER)
    over.abort()
    await queue.send(step('b'), 0, NEVER)
    await clock.advance(0)
    expect(world.queues.waiting()).toEqual([step('b'), step('a')])
    world.queues.take()
    expect(world.queues.nextAt()).toBe(START + 5 * SECOND)
    await clock.advance(5 * MINUTE)
    expect(done).toEqual([])
  })

  it('of a process that ends is made ready for another process, and goes as it is if that fails', async () => {
    const { world, clock, queue, over } = scene(undefined, undefined, undefined, {
      leave: async (message) => (message.claim === 'b' ? broken() : { ...message, attempt: 7 }),
    })
    for (const name of ['a', 'b']) await queue.send(step(name), 5 * SECOND, NEVER)
    over.abort()
    await clock.advance(0)
    expect(new Set(world.queues.waiting())).toEqual(new Set([{ ...step('a'), attempt: 7 }, step('b')]))
  })

  it('of a process that ends goes without what this process knows if it cannot be made ready in half a second', async () => {
    const { world, clock, queue, over } = scene(undefined, undefined, undefined, { leave: () => new Promise(() => undefined) })
    await queue.send({ ...step('a'), known: { isComing: true } }, 5 * SECOND, NEVER)
    over.abort()
    await clock.advance(500)
    expect(world.queues.waiting()).toEqual([step('a')])
  })

  it('counts as due until its failure is reported and the queue has it', async () => {
    const inHand = createMessagesInHand()
    const due: (number | undefined)[] = []
    const { clock, queue } = scene(broken, undefined, undefined, { inHand, gaveUp: async () => void due.push(inHand.nextDueAt()) })
    await queue.send(step('a'), 0, NEVER)
    await clock.advance(MINUTE)
    expect(due).toEqual([START + 20 * SECOND])
    expect(inHand.count()).toBe(0)
  })

  it('whose work failed goes to the queue as it is: its work has begun', async () => {
    const { world, clock, queue } = scene(broken, undefined, undefined, { leave: async (message) => ({ ...message, attempt: 7 }) })
    await queue.send(step('a'), 0, NEVER)
    await clock.advance(MINUTE)
    expect(world.queues.waiting()).toEqual([step('a')])
  })

  it('for later than a minute waits in the queue alone', async () => {
    const { world, clock, queue, done } = scene()
    await queue.ring(DOORBELL, MINUTE + 1, NEVER)
    expect(world.queues.nextAt()).toBe(START + MINUTE + 1)
    await clock.advance(2 * MINUTE)
    expect(done).toEqual([])
  })
})

describe('messages about a claim', () => {
  it('that follow it on its way in are dropped once an earlier look finds that it has come in or is gone, and no others', async () => {
    let looks = 0
    const { clock, queue, done } = scene(async (what) => {
      if (what !== 'a') return false
      await clock.sleep(SECOND, NEVER)
      return looks++ === 0
    })
    await queue.send(coming('a'), 20 * SECOND, NEVER)
    await queue.send(coming('b'), 20 * SECOND, NEVER)
    // The claim was deleted, which is news for its next look.
    await queue.send({ ...step('a'), follow: true }, 10 * SECOND, NEVER)
    await clock.advance(SECOND)
    await queue.send(step('a'), 0, NEVER)
    await clock.advance(500)
    await queue.send(coming('a'), 40 * SECOND, NEVER)
    await clock.advance(5 * MINUTE)
    expect(done).toEqual([
      { what: 'a', at: 2 * SECOND },
      { what: 'a', at: 11 * SECOND },
      { what: 'b', at: 20 * SECOND },
      { what: 'a', at: 42.5 * SECOND },
    ])
  })

  it('take no place once they are dropped', async () => {
    const { world, clock, queue } = scene(() => true)
    for (let index = 0; index < 1_000; index++) await queue.send(coming('a'), 50 * SECOND, NEVER)
    expect(queue.hasRoom?.()).toBe(false)
    await queue.send(step('b'), 0, NEVER)
    expect(world.queues.waiting()).toEqual([step('b')])
    await clock.advance(50 * SECOND)
    expect(queue.hasRoom?.()).toBe(true)
  })

  it('of two chains: the chain that has made fewer looks goes on, and the other one ends', async () => {
    const of = (name: string, attempt: number): ClaimMessage => ({ ...step(name), follow: true, attempt })
    const { clock, queue, done } = scene()
    await queue.send(of('old first', 7), 20 * SECOND, NEVER)
    await queue.send(of('old first', 1), 5 * SECOND, NEVER)
    await queue.send(of('new first', 1), 15 * SECOND, NEVER)
    await queue.send(of('new first', 7), 10 * SECOND, NEVER)
    await queue.send(of('alike', 1), 25 * SECOND, NEVER)
    await queue.send(of('alike', 1), 30 * SECOND, NEVER)
    await clock.advance(MINUTE)
    expect(done).toEqual([
      { what: 'old first', at: 5 * SECOND },
      { what: 'new first', at: 15 * SECOND },
      { what: 'alike', at: 25 * SECOND },
    ])
    expect(queue.hasRoom?.()).toBe(true)
  })

  it('of one chain: a look sends the next one, and first looks and hints are never dropped', async () => {
    let looks = 0
    const { clock, queue, done } = scene(async () => {
      looks++
      if (looks < 4) await queue.send({ ...step('a'), follow: true, attempt: looks }, SECOND, NEVER)
    })
    await queue.send({ ...step('a'), follow: true, attempt: 0 }, 0, NEVER)
    await clock.advance(MINUTE)
    expect(done.map(({ at }) => at)).toEqual([0, SECOND, 2 * SECOND, 3 * SECOND])
    await queue.send({ ...step('b'), follow: true, attempt: 3 }, 5 * SECOND, NEVER)
    await queue.send({ ...step('b'), follow: true, attempt: 0 }, 4 * SECOND, NEVER)
    await queue.send(step('b'), 3 * SECOND, NEVER)
    await clock.advance(MINUTE)
    expect(done.slice(4).map(({ what }) => what)).toEqual(['b', 'b', 'b'])
  })

  it('are known to follow it as long as one of a chain is in hand', async () => {
    const { clock, queue } = scene(() => true)
    const follows = () => ['a', 'b'].map((name) => queue.follows?.(nodeClaimName(name)))
    await queue.send(step('a'), SECOND, NEVER)
    expect(follows(), 'by a hint alone').toEqual([false, false])
    await queue.send(coming('a'), 20 * SECOND, NEVER)
    expect(follows()).toEqual([true, false])
    await clock.advance(SECOND)
    expect(follows(), 'dropped').toEqual([false, false])
    await queue.send({ ...step('b'), follow: true }, SECOND, NEVER)
    expect(follows()).toEqual([false, true])
    await clock.advance(MINUTE)
    expect(follows()).toEqual([false, false])
  })

  it('are not known to follow it once they are overdue by ten seconds: their process was stopped, or their work hangs', async () => {
    let mayBegin = (): void => undefined
    const stopped = new Promise<void>((resolve) => {
      mayBegin = resolve
    })
    const { clock, queue, done } = scene(() => true, undefined, undefined, { mayBegin: () => stopped })
    const follows = () => queue.follows?.(nodeClaimName('a'))
    await queue.send(coming('a'), SECOND, NEVER)
    await clock.advance(11 * SECOND - 1)
    expect(follows()).toBe(true)
    await clock.advance(1)
    expect(follows()).toBe(false)
    mayBegin()
    await clock.advance(0)
    expect(done, 'the work is done all the same').toEqual([{ what: 'a', at: 11 * SECOND }])
  })
})

describe('work that must wait until it may begin', () => {
  it('begins at its own time at the earliest, and goes to the queue if the process ends before', async () => {
    const waiting: (() => void)[] = []
    const { world, clock, queue, done, over } = scene(undefined, undefined, undefined, {
      mayBegin: (signal) =>
        new Promise((resolve) => {
          waiting.push(resolve)
          signal.addEventListener('abort', () => resolve(), { once: true })
        }),
    })
    await queue.send(step('a'), SECOND, NEVER)
    await queue.send(step('b'), 2 * SECOND, NEVER)
    await clock.advance(SECOND)
    expect([done, waiting.length]).toEqual([[], 1])
    waiting[0]?.()
    await clock.advance(5 * SECOND)
    expect(done).toEqual([{ what: 'a', at: SECOND }])
    over.abort()
    await clock.advance(0)
    expect(world.queues.waiting()).toEqual([step('b')])
  })
})

describe('very many messages', () => {
  it('are worked on 256 beside each other, and what is too many for one process goes to the queue at once', async () => {
    let [running, most] = [0, 0]
    const { world, clock, queue, done } = scene(async () => {
      most = Math.max(most, ++running)
      await clock.sleep(SECOND, NEVER)
      running--
    })
    for (let index = 0; index < 1_200; index++) await queue.send(step(`c-${index}`), 0, NEVER)
    await clock.advance(MINUTE)
    expect([most, done.length]).toEqual([256, 1_000])
    expect(world.queues.waiting()).toHaveLength(200)
    await queue.send(step('later'), 0, NEVER)
    await clock.advance(SECOND)
    expect([world.queues.waiting().length, done.at(-1)?.what], 'there is room again').toEqual([200, 'later'])
  })

  it('that wait for their turn when the process ends are given to the queue, too, which the process can wait for', async () => {
    const { world, clock, queue, done, over, handedOver } = scene(() => clock.sleep(SECOND, NEVER))
    for (let index = 0; index < 300; index++) await queue.send(step(`c-${index}`), 0, NEVER)
    await clock.advance(500)
    over.abort()
    await clock.advance(MINUTE)
    expect([done.length, world.queues.waiting().length, handedOver.length]).toEqual([256, 44, 44])
    await Promise.all(handedOver)
  })

  it('are each worked on once or given to the queue, whatever fails on the way', async () => {
    const sends = fc.array(fc.record({ delayS: fc.integer({ min: 0, max: 120 }), fails: fc.integer({ min: 0, max: 5 }) }), {
      maxLength: 20,
    })
    await fc.assert(
      fc.asyncProperty(sends, fc.integer({ min: 0, max: 200 }), async (messages, endsAtS) => {
        const left = new Map(messages.map(({ fails }, index) => [`c-${index}`, fails]))
        const { world, clock, queue, done, over } = scene((what) => {
          const fails = left.get(what) ?? 0
          left.set(what, fails - 1)
          if (fails > 0) broken()
        })
        for (const [index, { delayS }] of messages.entries()) await queue.send(step(`c-${index}`), delayS * SECOND, NEVER)
        await clock.advance(endsAtS * SECOND)
        over.abort()
        await clock.advance(10 * MINUTE)
        const names = done.map(({ what }) => what)
        const waiting = world.queues.waiting().map((message) => (message.kind === 'nodeClaim' ? message.claim : 'doorbell'))
        expect([...names, ...waiting].sort()).toEqual(messages.map((_, index) => `c-${index}`).sort())
        for (const { what, at } of done) {
          const { delayS = 0, fails = 0 } = messages[Number(what.slice(2))] ?? {}
          expect(at).toBe((delayS + 10 * fails) * SECOND)
        }
      }),
      { numRuns: 50 },
    )
  })
})
