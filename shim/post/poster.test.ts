import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { createBell } from '../sync/bell.ts'
import { createCollector } from '../sync/collector.ts'
import type { BatchLimits } from '../sync/outbox.ts'
import { createVirtualClock } from '../testing/virtualClock.ts'
import type { PostOutcome } from './postEnvelope.ts'
import { createPoster } from './poster.ts'

const TAKEN: PostOutcome = { kind: 'accepted', rejected: [], sendSnapshot: undefined, bytes: 1 }
const failed = (status: number | undefined, retryAfterMs?: number): PostOutcome => ({
  kind: 'failed',
  status,
  message: 'away',
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})

type Attempt = { readonly at: number; readonly keys: readonly string[] }

/** A poster on a virtual clock, before an app that answers what the test says and then takes everything. */
function setUp({ limits = { changes: 1_000, length: 100_000 }, answers = [] }: { limits?: BatchLimits; answers?: PostOutcome[] } = {}) {
  const clock = createVirtualClock()
  const bell = createBell(clock)
  const collector = createCollector({ now: clock.now, onUnsent: bell.ring })
  const attempts: Attempt[] = []
  const wanted: string[] = []
  const post = async (json: string): Promise<PostOutcome> => {
    const { body } = JSON.parse(json) as { body: { changes: { key: string }[] } }
    attempts.push({ at: clock.monotonic(), keys: body.changes.map(({ key }) => key) })
    return answers.shift() ?? TAKEN
  }
  const options = {
    cluster: 'demo',
    term: 1,
    windowMs: 100,
    resendMs: 30_000,
    limits,
    onSnapshotWanted: (because: string) => void wanted.push(because),
  }
  const poster = createPoster({ collector, post, bell, clock, log: silentLog, metrics: createMetrics() }, options)
  const stopping = new AbortController()
  const running = poster.run(stopping.signal).catch(() => {})
  onTestFinished(async () => {
    stopping.abort(new DOMException('stopped', 'AbortError'))
    await running
  })
  const see = (key: string, { value = 1, pending = false } = {}) =>
    collector.see('pod', key, { op: 'put', fingerprint: value, text: `"object":{"value":${value}}`, pending })
  return { clock, collector, poster, attempts, wanted, see }
}

describe('the poster', () => {
  it('posts the first change after a pause at once, and what comes within the next 100 ms together', async () => {
    const { clock, attempts, see } = setUp()
    await clock.advance(5_000)
    see('a')
    await clock.advance(0)
    for (const key of ['b', 'c', 'd']) {
      await clock.advance(30)
      see(key)
    }
    await clock.advance(5_000)
    expect(attempts).toEqual([
      { at: 5_000, keys: ['a'] },
      { at: 5_100, keys: ['b', 'c', 'd'] },
    ])
  })

  it('keeps batches within their limits of number and of length, oldest first', async () => {
    const byNumber = setUp({ limits: { changes: 2, length: 100_000 } })
    for (const key of ['a', 'b', 'c', 'd', 'e']) byNumber.see(key)
    await byNumber.clock.advance(1_000)
    expect(byNumber.attempts.map(({ keys }) => keys)).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    const byLength = setUp({ limits: { changes: 1_000, length: 40 } })
    for (const key of ['a', 'b', 'c']) byLength.see(key)
    await byLength.clock.advance(1_000)
    expect(byLength.attempts.map(({ keys }) => keys)).toEqual([['a', 'b'], ['c']])
  })

  it('sends pods that still wait again each 30 s, and asks with an empty batch when none does', async () => {
    const { clock, attempts, see } = setUp()
    see('waits', { pending: true })
    see('runs')
    await clock.advance(65_000)
    expect(attempts).toEqual([
      { at: 0, keys: ['waits', 'runs'] },
      { at: 30_000, keys: ['waits'] },
      { at: 60_000, keys: ['waits'] },
    ])
    see('waits', { value: 2 })
    await clock.advance(30_000)
    expect(attempts.at(-1)).toEqual({ at: 90_000, keys: [] })
  })

  it('tries a failed post again with growing, jittered, capped waits, and without an end', async () => {
    const { clock, attempts, see } = setUp({ answers: Array.from({ length: 200 }, () => failed(503)) })
    see('a')
    await clock.advance(600_000)
    const waits = attempts.slice(1).map(({ at }, index) => at - (attempts[index]?.at ?? 0))
    expect(waits.length).toBeGreaterThan(55)
    expect(waits.slice(0, 3).every((wait, index) => wait >= 125 * 2 ** index && wait <= 250 * 2 ** index)).toBe(true)
    expect(Math.max(...waits)).toBeLessThanOrEqual(10_000)
    expect(new Set(waits.slice(10)).size).toBeGreaterThan(10)
    expect(attempts.every(({ keys }) => keys[0] === 'a')).toBe(true)
  })

  const waits: { readonly [sentence: string]: { readonly answer: PostOutcome; readonly least: number; readonly most: number } } = {
    'as long as a 503 asks for': { answer: failed(503, 20_000), least: 20_000, most: 20_000 },
    'a moment after a connection that broke': { answer: failed(undefined), least: 125, most: 250 },
    'for people after 401': { answer: { kind: 'refused', status: 401, message: 'no' }, least: 30_000, most: 30_000 },
    'for people after 403': { answer: { kind: 'refused', status: 403, message: 'no' }, least: 30_000, most: 30_000 },
  }
  for (const [sentence, { answer, least, most }] of Object.entries(waits)) {
    it(`waits ${sentence}, says why meanwhile, and then loses nothing`, async () => {
      const { clock, poster, attempts, see } = setUp({ answers: [answer] })
      see('a')
      await clock.advance(100)
      expect(poster.trouble()).toContain('the app answered')
      see('b')
      await clock.advance(40_000)
      expect(attempts[1]?.at).toBeGreaterThanOrEqual(least)
      expect(attempts[1]?.at).toBeLessThanOrEqual(most)
      expect(attempts.slice(1, 3).map(({ keys }) => keys)).toEqual([['a'], ['b']])
      expect(poster.trouble()).toBeUndefined()
    })
  }

  it('halves a batch that is too large until the one change that is too large stands alone', async () => {
    const tooLarge: PostOutcome = { kind: 'tooLarge', message: 'too large' }
    const { clock, attempts, see } = setUp({ answers: [tooLarge, tooLarge, tooLarge] })
    for (const key of ['a', 'b', 'c', 'd']) see(key)
    await clock.advance(1_000)
    expect(attempts.map(({ keys }) => keys.join(''))).toEqual(['abcd', 'ab', 'a', 'a', 'b', 'cd'])
  })

  it('holds one version an object, however long the app is away and however often it changes', async () => {
    const { clock, collector, attempts, see } = setUp({ answers: Array.from({ length: 1_000 }, () => failed(503)) })
    for (let round = 1; round <= 500; round++) {
      for (const key of ['a', 'b', 'c']) see(key, { value: round })
      await clock.advance(1_000)
    }
    expect(collector.unsent).toBeLessThanOrEqual(3)
    expect(collector.unsentLength).toBeLessThan(200)
    expect(attempts.length).toBeLessThan(100)
  })

  it('hands on what the app says it misses', async () => {
    const { clock, wanted, see } = setUp({ answers: [{ ...TAKEN, sendSnapshot: 'change 7 never came' }] })
    see('a')
    await clock.advance(0)
    expect(wanted).toEqual(['change 7 never came'])
  })
})
