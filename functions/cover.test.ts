import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '../shared/adapters/memory/virtualClock.ts'
import { clusterId, nodeClaimName } from '../shared/model/ids.ts'
import type { ClaimMessage } from '../shared/model/message.ts'
import { epochMs } from '../shared/model/units.ts'
import { createCover } from './cover.ts'
import { NOW } from './testing/testApp.ts'

const SECOND = 1_000
const NEVER = new AbortController().signal

const message = (name: string): ClaimMessage => ({
  kind: 'nodeClaim',
  cluster: clusterId('a'),
  claim: nodeClaimName(name),
  follow: true,
  sentAt: NOW,
  attempt: 0,
})

function scene() {
  const clock = createVirtualClock(NOW)
  const cover = createCover(clock)
  const ended: (readonly [name: string, at: number])[] = []
  return {
    clock,
    cover,
    ended,
    /** Opens an invocation, and ends it at once. */
    invoke: (name: string): void => void cover.during(async () => undefined).then(() => ended.push([name, clock.now() - NOW])),
    hold: (dueInMs: number, name = 'x') => cover.inHand.take(message(name), clock.now(), epochMs(clock.now() + dueInMs)),
  }
}

describe('an invocation', () => {
  it('ends at once if nothing is held, or what is held is due later than in a second and a half', async () => {
    const { clock, ended, invoke, hold } = scene()
    invoke('nothing')
    hold(1_501)
    invoke('later')
    await clock.advance(0)
    expect(ended).toEqual([
      ['nothing', 0],
      ['later', 0],
    ])
  })

  it('stays open until the last work that is due soon is let go, dropped or delayed', async () => {
    const { clock, cover, ended, invoke, hold } = scene()
    const [first, second] = [hold(1_500, 'a'), hold(500, 'b')]
    invoke('one')
    await clock.advance(SECOND)
    cover.inHand.letGo(second)
    await clock.advance(SECOND)
    expect(ended).toEqual([])
    cover.inHand.delay(first, epochMs(clock.now() + 10 * SECOND))
    await clock.advance(0)
    expect(ended).toEqual([['one', 2 * SECOND]])
  })

  it('stays open for work that runs though its message was dropped', async () => {
    const { clock, cover, ended, invoke, hold } = scene()
    const held = hold(0)
    held.isRunning = true
    held.isDropped = true
    invoke('one')
    await clock.advance(SECOND)
    expect(ended).toEqual([])
    cover.inHand.letGo(held)
    await clock.advance(0)
    expect(ended).toHaveLength(1)
  })

  it('ends after 25 seconds, whatever is left', async () => {
    const { clock, cover, ended, invoke, hold } = scene()
    hold(0)
    invoke('one')
    await clock.advance(60 * SECOND)
    expect([ended, cover.isOpen()]).toEqual([[['one', 25 * SECOND]], false])
  })

  it('leaves the work to an earlier one that has time, and relieves one that has little', async () => {
    const { clock, cover, ended, invoke, hold } = scene()
    const held = hold(0)
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
    cover.inHand.letGo(held)
    await clock.advance(0)
    expect(ended.slice(2)).toEqual([['third', 36 * SECOND]])
  })

  it('that fails covers what it caused before it fails', async () => {
    const { clock, cover, hold } = scene()
    const held = hold(0)
    let failed: unknown
    void cover
      .during(() => Promise.reject(new TypeError('a bug')))
      .catch((cause: unknown) => {
        failed = cause
      })
    await clock.advance(SECOND)
    expect([failed, cover.isOpen()]).toEqual([undefined, true])
    cover.inHand.letGo(held)
    await clock.advance(0)
    expect(failed).toBeInstanceOf(TypeError)
  })
})

describe('an invocation that waits', () => {
  const relieved = 16 * SECOND

  it('and tells its caller when to come is relieved only by another one that tells', async () => {
    const { clock, cover, hold } = scene()
    hold(0)
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
    const { clock, cover, hold, invoke, ended } = scene()
    hold(0)
    const slow = cover.open()
    await clock.advance(14 * SECOND)
    invoke('waits')
    await clock.advance(relieved)
    expect(await slow.end()).toBe('left')
    expect([ended, cover.isOpen()]).toEqual([[], true])
  })

  it('does not count any more once it is closed, and does not wait', async () => {
    const { clock, cover, hold } = scene()
    hold(0)
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
    const begin = (name: string, over: AbortSignal = NEVER): void => void cover.mayBegin(over).then(() => begun.push(name))
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

  it('waits no longer when the process ends', async () => {
    const { clock, cover } = scene()
    const over = new AbortController()
    let isThrough = 0
    const go = (): void => void cover.mayBegin(over.signal).then(() => isThrough++)
    go()
    over.abort()
    go()
    await clock.advance(0)
    expect(isThrough).toBe(2)
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
