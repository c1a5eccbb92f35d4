import { describe, expect, it } from 'vitest'
import { aborted } from '../aborted.ts'
import { type Clock, systemClock } from '../clock.ts'
import { silentLog } from '../log.ts'
import { createKeptLog } from '../testing/keptLog.ts'
import { createVirtualClock, type VirtualClock } from '../testing/virtualClock.ts'
import { createElection } from './election.ts'
import type { Lease, LeaseClient, LeaseDraft } from './leaseClient.ts'

const TIMING = { durationMs: 15_000, renewMs: 4_000, giveUpMs: 10_000 }

/** One Lease with optimistic locking, which a test can take offline. */
function createLeaseStore() {
  let stored: Lease | undefined
  let version = 0
  const state = { isDown: false }
  const client: LeaseClient = {
    async get() {
      if (state.isDown) throw new TypeError('down')
      return stored
    },
    async put(draft: LeaseDraft, replaces) {
      if (state.isDown) throw new TypeError('down')
      if (stored?.resourceVersion !== replaces?.resourceVersion) return undefined
      stored = { ...draft, resourceVersion: String(++version) }
      return stored
    },
  }
  return { client, state, lease: () => stored, remove: () => void (stored = undefined) }
}

function replica(client: LeaseClient, clock: Clock, identity: string, log = silentLog) {
  return createElection(client, clock, log, { ...TIMING, identity })
}

/** Returns a clock with the same steady time and another time of day. */
function skewed(clock: VirtualClock, byMs: number): Clock {
  return { ...clock, now: () => (clock.now() + byMs) as ReturnType<Clock['now']> }
}

const signal = () => new AbortController().signal

describe('the election', () => {
  it('begins a term after the one that the app follows, though clocks say otherwise', async () => {
    const clock = createVirtualClock()
    const { client, remove } = createLeaseStore()
    const ahead = await replica(client, skewed(clock, 86_400_000), 'a').lead(signal())
    remove()
    expect((await replica(client, clock, 'b').lead(signal())).term).toBeLessThan(ahead.term)
    remove()
    expect((await replica(client, clock, 'c').lead(signal(), ahead.term)).term).toBeGreaterThan(ahead.term)
  })

  it('gives the lease to the first and keeps it there while it is renewed', async () => {
    const clock = createVirtualClock()
    const { client, lease } = createLeaseStore()
    const first = await replica(client, clock, 'a').lead(signal())
    let second: unknown
    void replica(client, clock, 'b')
      .lead(signal())
      .then((leadership) => (second = leadership))
    await clock.advance(120_000)
    expect(lease()?.holder).toBe('a')
    expect(second).toBeUndefined()
    expect(first.lost.aborted).toBe(false)
  })

  it('is renewed on a steady clock that has fractions of a millisecond, as the real one', async () => {
    const clock = createVirtualClock()
    const { client, lease } = createLeaseStore()
    const fractional: Clock = { ...clock, monotonic: () => clock.monotonic() + 0.3 + clock.monotonic() / 7 }
    const first = await replica(client, fractional, 'a').lead(signal())
    const renewedAt = lease()?.renewedAt ?? 0
    await clock.advance(9_000)
    expect(lease()?.renewedAt).toBeGreaterThan(renewedAt)
    expect(first.lost.aborted).toBe(false)
  })

  it('passes on at once when it is released, with a greater term', async () => {
    const clock = createVirtualClock()
    const { client } = createLeaseStore()
    const first = await replica(client, clock, 'a').lead(signal())
    const next = replica(client, clock, 'b').lead(signal())
    await clock.advance(1_000)
    await Promise.all([first.release(signal()), clock.advance(5_000)])
    const second = await next
    expect(first.lost.aborted).toBe(true)
    expect(second.term).toBeGreaterThan(first.term)
  })

  it('is released too when a renewal that was broken off had arrived', async () => {
    const clock = createVirtualClock()
    const { client, lease } = createLeaseStore()
    const first = await replica(client, clock, 'a').lead(signal())
    const held = lease()
    if (held) await client.put({ ...held, renewedAt: held.renewedAt + 1 }, held, signal())
    await first.release(signal())
    expect(lease()?.holder).toBe('')
  })

  it('passes on when the leader is silent, whatever the clocks say, and always to a greater term', async () => {
    for (const skew of [-3_600_000, 0, 3_600_000]) {
      const clock = createVirtualClock()
      const { client } = createLeaseStore()
      const crash = new AbortController()
      const first = await replica(client, clock, 'a').lead(crash.signal)
      crash.abort()
      const next = replica(client, skewed(clock, skew), 'b').lead(signal())
      let took: number | undefined
      void next.then(() => (took = clock.monotonic()))
      await clock.advance(14_000)
      expect(took).toBeUndefined()
      await clock.advance(10_000)
      expect((await next).term).toBeGreaterThan(first.term)
    }
  })

  it('is waited out for as long as its holder said, though that be longer than usual here', async () => {
    const clock = createVirtualClock()
    const { client } = createLeaseStore()
    const crash = new AbortController()
    await createElection(client, clock, silentLog, { ...TIMING, durationMs: 60_000, identity: 'a' }).lead(crash.signal)
    crash.abort()
    let took: number | undefined
    void replica(client, clock, 'b')
      .lead(signal())
      .then(() => (took = clock.monotonic()))
    await clock.advance(59_000)
    expect(took).toBeUndefined()
    await clock.advance(10_000)
    expect(took).toBeGreaterThanOrEqual(60_000)
  })

  it('ends well before anybody else may lead when the lease cannot be renewed', async () => {
    const clock = createVirtualClock()
    const { client, state } = createLeaseStore()
    const leadership = await replica(client, clock, 'a').lead(signal())
    state.isDown = true
    await clock.advance(9_000)
    expect(leadership.lost.aborted).toBe(false)
    await clock.advance(4_000)
    expect(leadership.lost.aborted).toBe(true)
  })

  it('says why each renewal failed and how it ended, and nothing when it is released', async () => {
    const clock = createVirtualClock()
    const { client, state } = createLeaseStore()
    const released = createKeptLog()
    await (await replica(client, clock, 'a', released).lead(signal())).release(signal())
    expect(released.entries.filter(({ level }) => level !== 'info')).toEqual([])
    const log = createKeptLog()
    const leadership = await replica(client, clock, 'b', log).lead(signal())
    state.isDown = true
    await clock.advance(TIMING.giveUpMs)
    const failed = { level: 'warn', message: expect.stringMatching(/could not be renewed/), fields: { because: 'down' } }
    const lost = { level: 'warn', message: 'leadership lost', fields: { because: expect.stringMatching(/in time/) } }
    expect(log.entries.filter(({ level }) => level === 'warn')).toEqual([failed, failed, failed, lost])
    expect(leadership.lost.reason).toMatchObject({ name: 'AbortError', message: expect.stringMatching(/in time/) })
  })

  it('is lost at once when somebody else wrote the lease', async () => {
    const clock = createVirtualClock()
    const { client, lease } = createLeaseStore()
    const leadership = await replica(client, clock, 'a').lead(signal())
    const present = lease()
    if (present) await client.put({ ...present, holder: 'b' }, present, signal())
    await clock.advance(TIMING.renewMs)
    expect(leadership.lost.aborted).toBe(true)
  })

  it('is taken over at once by the same pod restarted, as a new term', async () => {
    const clock = createVirtualClock()
    const { client } = createLeaseStore()
    const crash = new AbortController()
    const first = await replica(client, clock, 'a').lead(crash.signal)
    crash.abort()
    const again = await replica(client, clock, 'a').lead(signal())
    expect(again.term).toBeGreaterThan(first.term)
  })

  it('starts anew when the lease was deleted', async () => {
    const clock = createVirtualClock()
    const { client, remove } = createLeaseStore()
    const first = await replica(client, clock, 'a').lead(signal())
    remove()
    await clock.advance(60_000)
    expect(first.lost.aborted).toBe(true)
    expect((await replica(client, clock, 'b').lead(signal())).term).toBeGreaterThan(first.term)
  })
})

describe('a replica that waits', () => {
  it('is healthy as long as it can read the lease', async () => {
    const clock = createVirtualClock()
    const { client, state } = createLeaseStore()
    await replica(client, clock, 'a').lead(signal())
    const second = replica(client, clock, 'b')
    expect(second.isHealthy()).toBe(false)
    const stopping = new AbortController()
    const ended = second.lead(stopping.signal).catch(() => 'stopped')
    await clock.advance(10_000)
    expect(second.isHealthy()).toBe(true)
    state.isDown = true
    await clock.advance(5_000)
    expect(second.isHealthy()).toBe(false)
    state.isDown = false
    await clock.advance(5_000)
    expect(second.isHealthy()).toBe(true)
    stopping.abort(new DOMException('stopped', 'AbortError'))
    expect(await ended).toBe('stopped')
  })
})

describe('a leader whose renewal is never answered', () => {
  it('gives the renewal up in time, and stops', async () => {
    const { client } = createLeaseStore()
    const mute: LeaseClient = {
      ...client,
      put: (draft, replaces, until) =>
        replaces === undefined ? client.put(draft, replaces, until) : aborted(until).then(() => Promise.reject(until.reason)),
    }
    const timing = { identity: 'a', durationMs: 60, renewMs: 10, giveUpMs: 40 }
    const leadership = await createElection(mute, systemClock, silentLog, timing).lead(signal())
    await aborted(leadership.lost)
    expect(leadership.lost.aborted).toBe(true)
  })
})
