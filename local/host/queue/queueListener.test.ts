import { describe, expect, it } from 'vitest'
import type { TypedData } from '../app/rpc.ts'
import type { QueuesConfig } from '../base/hostConfig.ts'
import { createMemoryQueue, type MemoryQueue } from '../testing/memoryQueue.ts'
import { createVirtualClock, type VirtualClock } from '../testing/virtualClock.ts'
import { type QueueListener, startQueueListener } from './queueListener.ts'

const CONFIG: QueuesConfig = {
  batchSize: 16,
  newBatchThreshold: 8,
  maxPollingIntervalMs: 1_000,
  visibilityTimeoutMs: 10_000,
  maxDequeueCount: 3,
  messageEncoding: 'none',
}

type Fixture = {
  readonly clock: VirtualClock
  readonly queue: MemoryQueue
  readonly poison: MemoryQueue
  readonly log: string[]
  start(run: (text: string) => Promise<void>, config?: Partial<QueuesConfig>, name?: string): QueueListener
}

function fixture(): Fixture {
  const clock = createVirtualClock()
  const queue = createMemoryQueue('work', clock.now)
  const poison = createMemoryQueue('work-poison', clock.now)
  const log: string[] = []
  return {
    clock,
    queue,
    poison,
    log,
    start: (run, config = {}, name = 'work') =>
      startQueueListener({
        queue: { ...queue, name },
        poison: name.endsWith('-poison') ? undefined : poison,
        config: { ...CONFIG, ...config },
        leaseSeconds: 600,
        hold: () => undefined,
        clock,
        log: (_level, _category, message) => void log.push(message),
        run: (data: TypedData) => run(data.string ?? ''),
      }),
  }
}

const forever = (clock: VirtualClock, ms: number) => clock.sleep(ms, new AbortController().signal)

describe('polling', () => {
  it('backs off while nothing comes, to the maximum', async () => {
    const { clock, queue, start } = fixture()
    const listener = start(async () => undefined)
    await clock.advance(5_500)
    const pauses = queue.polls.slice(1).map((at, index) => at - (queue.polls[index] ?? 0))
    expect(pauses).toEqual([100, 200, 300, 500, 900, 1_000, 1_000, 1_000])
    await stopped(listener, clock)
  })

  it('starts the messages of a batch in any order', async () => {
    const { clock, queue, start } = fixture()
    const places = [0.3, 0.9, 0.1]
    clock.random = () => places.shift() ?? 0
    const ran: string[] = []
    for (const text of ['one', 'two', 'three']) queue.put(text)
    const listener = start(async (text) => void ran.push(text))
    await clock.advance(0)
    expect(ran).toEqual(['three', 'one', 'two'])
    await stopped(listener, clock)
  })

  it('starts again at 100 ms after a message, and polls at once while there are any', async () => {
    const { clock, queue, start } = fixture()
    const listener = start(async () => undefined)
    await clock.advance(3_000)
    queue.put('one')
    const before = queue.polls.length
    await clock.advance(1_300)
    const [found = 0, ...after] = queue.polls.slice(before)
    expect(after.map((at) => at - found)).toEqual([0, 100, 300])
    await stopped(listener, clock)
  })

  it('polls at once when a function of this host wrote to the queue', async () => {
    const { clock, queue, start } = fixture()
    const ran: string[] = []
    const listener = start(async (text) => void ran.push(text))
    await clock.advance(3_050)
    queue.put('one')
    listener.notify()
    await clock.advance(0)
    expect(ran).toEqual(['one'])
    await stopped(listener, clock)
  })

  it('goes on when storage is away', async () => {
    const { clock, log, queue, start } = fixture()
    const ran: string[] = []
    queue.failing = true
    const listener = start(async (text) => void ran.push(text))
    await clock.advance(250)
    expect(log[0]).toBe('cannot poll queue work: storage is away')
    await stopped(listener, clock)
  })
})

describe('running', () => {
  it('takes batches while at most the threshold is in flight', async () => {
    const { clock, queue, start } = fixture()
    let running = 0
    let most = 0
    const listener = start(async () => {
      most = Math.max(most, ++running)
      await forever(clock, 1_000)
      running--
    })
    for (let index = 0; index < 60; index++) queue.put(String(index))
    await clock.advance(500)
    expect(running).toBe(16)
    await clock.advance(10_000)
    expect(most).toBeLessThanOrEqual(24)
    expect(queue.messages).toHaveLength(0)
    await stopped(listener, clock)
  })

  it('keeps a message hidden as long as its handler runs', async () => {
    const { clock, queue, start } = fixture()
    let runs = 0
    const listener = start(async () => {
      runs++
      await forever(clock, 3_600_000)
    })
    queue.put('slow')
    await clock.advance(3_599_000)
    expect([runs, queue.messages.length]).toEqual([1, 1])
    await clock.advance(2_000)
    expect([runs, queue.messages.length]).toEqual([1, 0])
    await stopped(listener, clock)
  })

  it('lets what is in flight finish when stopped, and fetches no more', async () => {
    const { clock, queue, start } = fixture()
    const ran: string[] = []
    const listener = start(async (text) => {
      await forever(clock, 5_000)
      ran.push(text)
    })
    queue.put('one')
    await clock.advance(100)
    let isStopped = false
    const stopping = listener.stop().then(() => {
      isStopped = true
    })
    queue.put('two')
    await clock.advance(1_000)
    expect(isStopped).toBe(false)
    await clock.advance(10_000)
    await stopping
    expect([ran, queue.messages.map(({ text }) => text)]).toEqual([['one'], ['two']])
  })
})

describe('failing', () => {
  it('shows a failed message again after visibilityTimeout, and moves it to the poison queue after the last try', async () => {
    const { clock, poison, queue, start } = fixture()
    const at: number[] = []
    const listener = start(async () => {
      at.push(clock.now())
      throw new Error('no')
    })
    queue.put('bad')
    await clock.advance(9_000)
    expect(at).toHaveLength(1)
    await clock.advance(30_000)
    expect(at).toHaveLength(3)
    expect(Math.min(...at.slice(1).map((time, index) => time - (at[index] ?? 0)))).toBeGreaterThanOrEqual(10_000)
    expect([queue.messages.length, poison.messages.map(({ text }) => text)]).toEqual([0, ['bad']])
    await stopped(listener, clock)
  })

  it('burns all tries at once when visibilityTimeout is zero', async () => {
    const { clock, poison, queue, start } = fixture()
    const listener = start(() => Promise.reject(new Error('no')), { visibilityTimeoutMs: 0 })
    queue.put('bad')
    await clock.advance(1_000)
    expect(poison.messages).toHaveLength(1)
    await stopped(listener, clock)
  })

  it('does not run a message that was received too often: hosts died over it', async () => {
    const { clock, poison, queue, start } = fixture()
    const ran: string[] = []
    const listener = start(async (text) => void ran.push(text))
    queue.put('deadly', 3)
    await clock.advance(100)
    expect([ran, poison.messages.map(({ text }) => text)]).toEqual([[], ['deadly']])
    await stopped(listener, clock)
  })

  it('has no poison queue for a poison queue: the message stays hidden until its lease ends', async () => {
    const { clock, poison, queue, start } = fixture()
    let runs = 0
    const listener = start(
      () => {
        runs++
        return Promise.reject(new Error('no'))
      },
      {},
      'work-poison',
    )
    queue.put('bad')
    await clock.advance(599_000)
    expect(runs).toBe(1)
    await clock.advance(2_000)
    expect([runs, poison.messages.length]).toEqual([2, 0])
    await stopped(listener, clock)
  })

  it('reads base64 when told to, and puts what is none aside', async () => {
    const { clock, poison, queue, start } = fixture()
    const ran: string[] = []
    const listener = start(async (text) => void ran.push(text), { messageEncoding: 'base64' })
    queue.put(Buffer.from('{"é":1}').toString('base64'))
    queue.put('{"plain":1}')
    await clock.advance(200)
    expect([ran, poison.messages.map(({ text }) => text)]).toEqual([['{"é":1}'], ['{"plain":1}']])
    await stopped(listener, clock)
  })
})

async function stopped(listener: QueueListener, clock: VirtualClock): Promise<void> {
  const stopping = listener.stop()
  await clock.advance(0)
  await stopping
}
