import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createExponentialRateLimiter, createWorkQueue } from './workQueue.ts'

function scene(isFirst: (key: string) => boolean = () => false) {
  let now = 0
  const queue = createWorkQueue<string>({ now: () => now, limiter: createExponentialRateLimiter(1, 1_000), isFirst })
  const getAll = (): readonly string[] => {
    const keys: string[] = []
    for (let key = queue.get(); key !== undefined; key = queue.get()) keys.push(key)
    return keys
  }
  return { queue, getAll, pass: (ms: number) => void (now += ms), now: () => now }
}

// The sequences are those of client-go's own tests (util/workqueue: queue_test.go, delaying_queue_test.go, default_rate_limiters_test.go).
describe('the rate limiter', () => {
  it('doubles the pause of each key by itself, up to the longest, until the key is forgotten', () => {
    const limiter = createExponentialRateLimiter<string>(1, 1_000)
    expect(Array.from({ length: 5 }, () => limiter.when('one'))).toEqual([1, 2, 4, 8, 16])
    expect(limiter.numRequeues('one')).toBe(5)
    expect([limiter.when('two'), limiter.when('two')]).toEqual([1, 2])
    expect(limiter.numRequeues('two')).toBe(2)
    limiter.forget('one')
    expect([limiter.numRequeues('one'), limiter.when('one')]).toEqual([0, 1])
    for (let count = 0; count < 2_000; count++) limiter.when('one')
    expect(limiter.when('one'), 'no overflow').toBe(1_000)
  })
})

describe('the queue', () => {
  it('has a key once, however often it is added, in the order of the first adds', () => {
    const { queue, getAll } = scene()
    for (const key of ['foo', 'bar', 'foo', 'bar']) queue.add(key)
    expect(queue.size()).toBe(2)
    expect(getAll()).toEqual(['foo', 'bar'])
  })

  it('runs a key that is added during its run once more after it, and only once', () => {
    const { queue, getAll } = scene()
    queue.add('foo')
    expect(queue.get()).toBe('foo')
    queue.add('foo')
    queue.add('foo')
    expect([queue.get(), queue.nextAt()], 'one run of a key at a time').toEqual([undefined, undefined])
    queue.done('foo')
    expect(getAll()).toEqual(['foo'])
    queue.done('foo')
    expect([queue.get(), queue.size()]).toEqual([undefined, 0])
  })

  it('takes a key that is added during its run in its turn, behind the others', () => {
    const { queue, getAll } = scene()
    for (const key of ['foo', 'bar']) queue.add(key)
    expect(queue.get()).toBe('foo')
    queue.add('foo')
    queue.done('foo')
    expect(getAll()).toEqual(['bar', 'foo'])
  })

  it('adds a key after its delay', () => {
    const { queue, getAll, pass } = scene()
    queue.addAfter('foo', 50)
    expect([getAll(), queue.nextAt()]).toEqual([[], 50])
    pass(60)
    expect(getAll()).toEqual(['foo'])
    queue.done('foo')
    pass(10_000)
    expect(getAll()).toEqual([])
  })

  it('keeps the earliest of several times, and forgets the later ones', () => {
    const { queue, getAll, pass } = scene()
    queue.addAfter('foo', 50)
    queue.addAfter('foo', 70)
    pass(60)
    expect(getAll()).toEqual(['foo'])
    queue.done('foo')
    pass(20)
    expect(getAll()).toEqual([])
    queue.addAfter('foo', 50)
    queue.addAfter('foo', 30)
    pass(40)
    expect(getAll()).toEqual(['foo'])
    queue.done('foo')
    pass(20)
    expect(getAll()).toEqual([])
  })

  it('adds several keys in the order of their times', () => {
    const { queue, getAll, pass } = scene()
    queue.addAfter('foo', 1_000)
    queue.addAfter('bar', 500)
    pass(2_000)
    expect(getAll()).toEqual(['bar', 'foo'])
  })

  it('requeues a failing key after pauses that grow, until it is forgotten', () => {
    const { queue, getAll, pass, now } = scene()
    const at: number[] = []
    queue.add('foo')
    while (at.length < 4) {
      if (getAll().length > 0) {
        at.push(now())
        queue.addRateLimited('foo')
        queue.done('foo')
      }
      pass(1)
    }
    expect(at).toEqual([0, 1, 3, 7])
    expect(queue.numRequeues('foo')).toBe(4)
    queue.forget('foo')
    expect(queue.numRequeues('foo')).toBe(0)
  })

  it('takes first keys before others that are due', () => {
    const { queue, getAll } = scene((key) => key === 'decide')
    for (const key of ['a', 'b', 'decide']) queue.add(key)
    expect(getAll()).toEqual(['decide', 'a', 'b'])
  })

  it('runs no key twice at a time and no key before its time, and each added key once after its last add', () => {
    const acts = fc.array(
      fc.oneof(
        fc.record({ act: fc.constant('add' as const), key: fc.constantFrom('a', 'b', 'c'), ms: fc.integer({ min: 0, max: 30 }) }),
        fc.record({ act: fc.constantFrom('get' as const, 'done' as const), key: fc.constantFrom('a', 'b', 'c'), ms: fc.constant(0) }),
        fc.record({ act: fc.constant('pass' as const), key: fc.constant(''), ms: fc.integer({ min: 1, max: 20 }) }),
      ),
    )
    fc.assert(
      fc.property(acts, (played) => {
        const { queue, pass, now } = scene()
        const due = new Map<string, number>()
        const running = new Set<string>()
        const take = (): string | undefined => {
          const key = queue.get()
          if (key === undefined) return undefined
          expect([running.has(key), (due.get(key) ?? Number.POSITIVE_INFINITY) <= now()]).toEqual([false, true])
          due.delete(key)
          running.add(key)
          return key
        }
        const end = (key: string): void => {
          running.delete(key)
          queue.done(key)
        }
        for (const { act, key, ms } of played) {
          if (act === 'pass') pass(ms)
          else if (act === 'get') take()
          else if (act === 'done') end(key)
          else {
            due.set(key, Math.min(due.get(key) ?? Number.POSITIVE_INFINITY, now() + ms))
            queue.addAfter(key, ms)
          }
        }
        pass(1_000)
        for (const key of [...running]) end(key)
        while (take() !== undefined);
        expect([due.size, queue.size()]).toEqual([0, running.size])
      }),
    )
  })
})
