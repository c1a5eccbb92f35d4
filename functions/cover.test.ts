import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '../shared/adapters/memory/virtualClock.ts'
import { createClusterQueue, type Work } from '../shared/flows/queue/clusterQueue.ts'
import { nodeClaimName } from '../shared/model/ids.ts'
import { durationMs } from '../shared/model/units.ts'
import { createCover } from './cover.ts'
import { NOW } from './testing/testApp.ts'

const SECOND = 1_000

function scene() {
  const clock = createVirtualClock(NOW)
  const queue = createClusterQueue({ clock, batch: { idle: durationMs(0), max: durationMs(0) } })
  const cover = createCover(clock, queue)
  const ended: (readonly [name: string, at: number])[] = []
  return {
    clock,
    cover,
    ended,
    /** Opens an invocation, and ends it at once. */
    invoke: (name: string): void => void cover.during(async () => undefined).then(() => ended.push([name, clock.now() - NOW])),
    /** Adds a key for a later time. */
    add: (dueInMs: number) => queue.reconcile({ claim: nodeClaimName('later'), because: 'news', isFollowed: true, attempt: 0 }, dueInMs),
    /** Begins the run of a key. */
    begin(name = 'x'): Work {
      queue.reconcile({ claim: nodeClaimName(name), because: 'news', isFollowed: true, attempt: 0 })
      return queue.get() ?? expect.fail('nothing is due')
    },
    queue,
  }
}

describe('an invocation', () => {
  it('ends at once if there is no work, or it is due later than in a second and a half', async () => {
    const { clock, ended, invoke, add } = scene()
    invoke('nothing')
    add(1_501)
    invoke('later')
    await clock.advance(0)
    expect(ended).toEqual([
      ['nothing', 0],
      ['later', 0],
    ])
  })

  it('stays open for work that is no key until it is done or has failed, and for 25 seconds at most', async () => {
    const { clock, cover, ended, invoke } = scene()
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    cover.hold(first.promise)
    cover.hold(second.promise)
    invoke('one')
    await clock.advance(2 * SECOND)
    second.reject(new Error('lost'))
    await clock.advance(2 * SECOND)
    expect(ended).toEqual([])
    first.resolve()
    await clock.advance(0)
    expect(ended).toEqual([['one', 4 * SECOND]])
    cover.hold(new Promise(() => undefined))
    invoke('two')
    await clock.advance(60 * SECOND)
    expect(ended.slice(1)).toEqual([['two', 29 * SECOND]])
  })

  it('stays open until the last work that is due soon is done or delayed', async () => {
    const { clock, queue, ended, invoke, add, begin } = scene()
    const [first, second] = [begin('a'), begin('b')]
    invoke('one')
    await clock.advance(SECOND)
    queue.done(second)
    await clock.advance(SECOND)
    expect(ended).toEqual([])
    add(1_500)
    queue.failed(first)
    queue.done(first)
    await clock.advance(0)
    expect(ended, 'it is tried again in a second').toEqual([])
    const [again, later] = [await clock.advance(1_500).then(() => queue.get()), queue.get()]
    for (const work of [again, later]) if (work !== undefined) queue.done(work)
    add(10 * SECOND)
    await clock.advance(0)
    expect(ended).toEqual([['one', 3.5 * SECOND]])
  })

  it('ends after 25 seconds, whatever is left', async () => {
    const { clock, cover, ended, invoke, begin } = scene()
    begin()
    invoke('one')
    await clock.advance(60 * SECOND)
    expect([ended, cover.isOpen()]).toEqual([[['one', 25 * SECOND]], false])
  })

  it('leaves the work to an earlier one that has time, and relieves one that has little', async () => {
    const { clock, cover, ended, invoke, begin, queue } = scene()
    const held = begin()
    invoke('first')
    await clock.advance(15 * SECOND)
    invoke('second')
    await clock.advance(SECOND)
    expect(ended).toEqual([['second', 15 * SECOND]])
    invoke('third')
    await clock.advance(0)
    expect(ended.slice(1)).toEqual([['first', 16 * SECOND]])
    await clock.advance(20 * SECOND)
    expect(cover.isOpen(), 'beyond the time of the first').toBe(true)
    queue.done(held)
    await clock.advance(0)
    expect(ended.slice(2)).toEqual([['third', 36 * SECOND]])
  })

  it('that fails covers what it caused before it fails', async () => {
    const { clock, cover, queue, begin } = scene()
    const held = begin()
    let failed: unknown
    void cover
      .during(() => Promise.reject(new TypeError('a bug')))
      .catch((cause: unknown) => {
        failed = cause
      })
    await clock.advance(SECOND)
    expect([failed, cover.isOpen()]).toEqual([undefined, true])
    queue.done(held)
    await clock.advance(0)
    expect(failed).toBeInstanceOf(TypeError)
  })
})

describe('an invocation that waits', () => {
  const relieved = 16 * SECOND

  it('and tells its caller when to come is relieved only by another one that tells', async () => {
    const { clock, cover, begin } = scene()
    begin()
    let ended: string | undefined
    const end = (invocation: ReturnType<typeof cover.open>): void => void invocation.end().then((how) => (ended = how))
    end(cover.open(true))
    await clock.advance(relieved)
    expect(await cover.open().end()).toBe('left')
    expect(ended).toBeUndefined()
    end(cover.open(true))
    await clock.advance(0)
    expect([ended, cover.isOpen()]).toEqual(['left', true])
  })

  it('is not relieved by one whose own time is over', async () => {
    const { clock, cover, begin, invoke, ended } = scene()
    begin()
    const slow = cover.open()
    await clock.advance(14 * SECOND)
    invoke('waits')
    await clock.advance(relieved)
    expect(await slow.end()).toBe('left')
    expect([ended, cover.isOpen()]).toEqual([[], true])
  })

  it('does not count any more once it is closed, and does not wait', async () => {
    const { clock, cover, begin } = scene()
    begin()
    const failed = cover.open(true)
    failed.close()
    failed.close()
    await clock.advance(0)
    expect(cover.isOpen()).toBe(false)
    cover.open()
    expect(cover.isOpen()).toBe(true)
  })
})

describe('work', () => {
  it('begins while an invocation is open, or when the next one opens', async () => {
    const { clock, cover } = scene()
    const begun: string[] = []
    const begin = (name: string): void => void cover.mayBegin().then(() => begun.push(name))
    begin('early')
    await clock.advance(0)
    expect(begun).toEqual([])
    const invocation = cover.open()
    begin('now')
    await clock.advance(0)
    expect(begun).toEqual(['early', 'now'])
    await invocation.end()
    begin('late')
    await clock.advance(0)
    expect(begun).toHaveLength(2)
  })

  it('begins without an invocation for a minute after a caller that can keep none open', async () => {
    const { clock, cover } = scene()
    cover.allow()
    await clock.advance(60 * SECOND - 1)
    expect(cover.isOpen()).toBe(true)
    await clock.advance(1)
    expect(cover.isOpen()).toBe(false)
  })
})
