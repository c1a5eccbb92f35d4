import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { createChangeTracker } from '../sync/changeTracker.ts'
import type { BatchLimits } from '../sync/outbox.ts'
import { createSnapshotBuffer } from '../sync/snapshotBuffer.ts'
import { createWakeSignal } from '../sync/wakeSignal.ts'
import { createAppModel, keyOfChange, type ModelBody } from '../testing/appModel.ts'
import { createVirtualClock } from '../testing/virtualClock.ts'
import type { AnswerEnd } from './answerStream.ts'
import type { PostOutcome } from './postEnvelope.ts'
import { createPoster } from './poster.ts'

const TAKEN: PostOutcome = { kind: 'accepted', rejected: [], sendSnapshot: undefined, bytes: 1 }
const failed = (status: number | undefined, retryAfterMs?: number): PostOutcome => ({
  kind: 'failed',
  status,
  message: 'away',
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})

type Setting = {
  limits?: BatchLimits
  answers?: PostOutcome[]
  /** The app's answer to a body, once `answers` are used up. */
  judge?: (body: ModelBody) => PostOutcome | undefined
  /** How long each answer takes. `attempt` counts from 1. */
  answerMs?: (attempt: number) => number
}
type Attempt = { readonly at: number; readonly keys: readonly string[] }

/** A poster on a virtual clock. Its app gives the answers of the test, and then takes everything. */
function setUp({ limits = { changes: 1_000, length: 100_000 }, answers = [], judge = () => undefined, answerMs = () => 0 }: Setting = {}) {
  const clock = createVirtualClock()
  const wakeSignal = createWakeSignal(clock)
  const tracker = createChangeTracker({ now: clock.now, onUnsent: wakeSignal.notify })
  const attempts: Attempt[] = []
  const model = createAppModel()
  const outdatedBy: number[] = []
  const wanted: string[] = []
  const post = async (json: string): Promise<PostOutcome> => {
    const { body } = JSON.parse(json) as { body: ModelBody }
    attempts.push({ at: clock.monotonic(), keys: body.changes.map(keyOfChange) })
    const answersAfter = answerMs(attempts.length)
    if (answersAfter > 0) await clock.sleep(answersAfter, stopping.signal)
    const answer = answers.shift() ?? judge(body) ?? TAKEN
    if (answer.kind === 'accepted') model.apply(1, body)
    return answer
  }
  const options = {
    cluster: 'demo',
    term: 1,
    kept: 1,
    windowMs: 100,
    resendMs: 30_000,
    limits,
    onSnapshotRequest: (because: string) => void wanted.push(because),
    onOutdated: (newestTerm: number) => void outdatedBy.push(newestTerm),
    onTold: () => {},
  }
  const metrics = createMetrics()
  const stopping = new AbortController()
  const poster = createPoster({ tracker, post, wakeSignal, clock, log: silentLog, metrics }, options)
  const running = poster.run(stopping.signal).catch(() => {})
  const stop = async (): Promise<void> => {
    stopping.abort(new DOMException('stopped', 'AbortError'))
    await running
  }
  onTestFinished(stop)
  const see = (key: string, { value = 1, pending = false } = {}) =>
    tracker.see('pod', key, {
      op: 'put',
      fingerprint: value,
      text: `"object":{"metadata":{"name":${JSON.stringify(key)}},"value":${value}}`,
      pending,
    })
  /** A line of `/metrics`, by its name and labels. */
  const measured = async (name: string) => {
    const line = (await metrics.text()).split('\n').find((each) => each.startsWith(`joiner_shim_${name} `))
    return line === undefined ? undefined : Number(line.split(' ')[1])
  }
  return { clock, tracker, poster, attempts, wanted, see, model, outdatedBy, measured, stop }
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

  it('keeps the pace of the window while posts take no longer than at first, and leaves a slower app pauses of at most 300 ms', async () => {
    const startsWith = async (answerMs: (attempt: number) => number): Promise<readonly number[]> => {
      const { clock, attempts, see } = setUp({ answerMs })
      for (let value = 1; value <= 500; value++) {
        see('a', { value })
        await clock.advance(5)
      }
      return attempts.slice(0, 4).map(({ at }) => Math.round(at))
    }
    expect(await startsWith(() => 60)).toEqual([0, 100, 200, 300])
    expect(await startsWith((attempt) => (attempt === 1 ? 20 : 30))).toEqual([0, 100, 290, 479])
    expect(await startsWith((attempt) => (attempt === 1 ? 20 : 400))).toEqual([0, 100, 800, 1_500])
  })

  it('keeps batches within their limits of number and of length, oldest first', async () => {
    const byNumber = setUp({ limits: { changes: 2, length: 100_000 } })
    for (const key of ['a', 'b', 'c', 'd', 'e']) byNumber.see(key)
    await byNumber.clock.advance(1_000)
    expect(byNumber.attempts.map(({ keys }) => keys)).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    const byLength = setUp({ limits: { changes: 1_000, length: 90 } })
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
      const status = answer.kind === 'failed' || answer.kind === 'refused' ? answer.status : undefined
      expect(poster.unreadyReason()).toContain(status === undefined ? 'no answer of the app: ' : `the app answered ${status}: `)
      see('b')
      await clock.advance(40_000)
      expect(attempts[1]?.at).toBeGreaterThanOrEqual(least)
      expect(attempts[1]?.at).toBeLessThanOrEqual(most)
      expect(attempts.slice(1, 3).map(({ keys }) => keys)).toEqual([['a'], ['b']])
      expect(poster.unreadyReason()).toBeUndefined()
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
    const { clock, tracker, attempts, see } = setUp({ answers: Array.from({ length: 1_000 }, () => failed(503)) })
    for (let round = 1; round <= 500; round++) {
      for (const key of ['a', 'b', 'c']) see(key, { value: round })
      await clock.advance(1_000)
    }
    expect(tracker.unsent).toBeLessThanOrEqual(3)
    expect(tracker.unsentLength).toBeLessThan(200)
    expect(attempts.length).toBeLessThan(100)
  })

  it('measures what the app took, and how long after it was seen', async () => {
    const { clock, tracker, poster, see, measured } = setUp({
      answers: [failed(503, 1_000), { ...TAKEN, bytes: 10 }, { ...TAKEN, bytes: 20 }],
    })
    see('a')
    see('b')
    await clock.advance(5_000)
    expect(await measured('changes_sent_total{body="changes"}')).toBe(2)
    expect(await measured('batches_total{body="changes"}')).toBe(1)
    expect(await measured('posted_bytes_total')).toBe(10)
    expect(await measured('post_retries_total')).toBe(1)
    expect([await measured('lag_seconds_count'), await measured('lag_seconds_sum')]).toEqual([2, 2])
    const buffer = createSnapshotBuffer({ changes: 2, length: 100_000 })
    const section = buffer.section()
    for (const name of ['a', 'b']) section.add(JSON.stringify({ seq: 3, kind: 'pod', key: name, op: 'put', object: {} }))
    const sent = poster.sendSnapshot(tracker.beginSnapshot(), buffer.finish())
    await clock.advance(1_000)
    expect(await sent).toBe(true)
    expect(await measured('changes_sent_total{body="snapshot"}')).toBe(2)
    expect(await measured('batches_total{body="snapshot"}')).toBe(1)
    expect(await measured('posted_bytes_total')).toBe(30)
  })

  it('sends the change that the app rejects again, as invalid, and no other', async () => {
    const rejected = [{ seq: 2, code: 'INPUT.INVALID', message: 'no' }]
    const { clock, attempts, see, measured } = setUp({ answers: [{ ...TAKEN, rejected }] })
    for (const key of ['a', 'b', 'c']) see(key)
    await clock.advance(1_000)
    expect(attempts.map(({ keys }) => keys.join(''))).toEqual(['abc', 'b'])
    expect(await measured('rejected_changes_total')).toBe(1)
  })

  it('does not send a pod that waits again once the app rejected it', async () => {
    const rejected = [{ seq: 1, code: 'INPUT.INVALID', message: 'no' }]
    const { clock, attempts, see } = setUp({ answers: [{ ...TAKEN, rejected }] })
    see('waits', { pending: true })
    await clock.advance(30_000)
    expect(attempts.map(({ keys }) => keys)).toEqual([['waits'], ['waits'], []])
  })

  it('tells who waits for a snapshot that it was not sent when the term ends', async () => {
    const { clock, tracker, poster, stop } = setUp({ answers: Array.from({ length: 9 }, () => failed(503)) })
    const sent = poster.sendSnapshot(tracker.beginSnapshot(), createSnapshotBuffer({ changes: 2, length: 100 }).finish())
    await clock.advance(1_000)
    await stop()
    expect(await sent).toBe(false)
  })

  it('asks for no snapshot and posts nothing while nothing is the matter', async () => {
    const { clock, attempts, wanted, see } = setUp()
    see('a')
    await clock.advance(29_000)
    expect({ attempts: attempts.length, wanted }).toEqual({ attempts: 1, wanted: [] })
  })

  it('hands on what the app says it misses', async () => {
    const { clock, wanted, see } = setUp({ answers: [{ ...TAKEN, sendSnapshot: 'change 7 never came' }] })
    see('a')
    await clock.advance(0)
    expect(wanted).toEqual(['change 7 never came'])
  })

  it('stops posting once the app follows a later term, and says so', async () => {
    const { clock, poster, attempts, outdatedBy, see } = setUp({
      answers: [{ kind: 'outdated', newestTerm: 7_000, message: 'term 7000 has begun' }],
    })
    see('a')
    await clock.advance(120_000)
    expect(attempts).toHaveLength(1)
    expect(outdatedBy).toEqual([7_000])
    expect(poster.unreadyReason()).toContain('term 7000 has begun')
  })
})

describe('a part of a snapshot that the app does not take', () => {
  const tooLarge: PostOutcome = { kind: 'tooLarge', message: 'a record has 5 MiB' }
  const malformed: PostOutcome = { kind: 'malformed', code: 'INPUT.INVALID', message: 'not like this' }
  const NAMES = 'abcdefghij'.split('')
  const value = (key: string, of: number) =>
    ({ op: 'put', fingerprint: of, text: `"object":{"metadata":{"name":"${key}"},"value":${of}}`, pending: false }) as const

  /** Gathers a snapshot of these pods in parts of two, and sends it to an app that refuses each body with a certain object. */
  async function sendSnapshot(
    keys: readonly string[],
    isRefused: (key: string) => boolean,
    why: PostOutcome,
    meanwhile?: (scene: ReturnType<typeof setUp>) => void,
  ) {
    const judge = (body: ModelBody) =>
      body.changes.some((change) => change.op === 'put' && isRefused(keyOfChange(change))) ? why : undefined
    const scene = setUp({ judge })
    const { tracker, clock, poster } = scene
    const seq = tracker.beginSnapshot()
    const buffer = createSnapshotBuffer({ changes: 2, length: 100_000 })
    const sink = tracker.beginSnapshotList('pod', seq, buffer.section())
    for (const key of keys) sink.add(key, value(key, 1))
    sink.end()
    const sent = poster.sendSnapshot(seq, buffer.finish())
    meanwhile?.(scene)
    const isSent = await sent
    await clock.advance(5_000)
    return { ...scene, isSent }
  }

  it.each([tooLarge, malformed])('goes without its objects, which go as changes; only the one at fault is marked: $kind', async (why) => {
    const { model, isSent } = await sendSnapshot(['a', 'b', 'huge', 'c', 'd'], (key) => key === 'huge', why)
    expect(isSent).toBe(true)
    const held = Object.fromEntries([...model.objects()].map(([key, object]) => [key, object === 'invalid' ? object : 'held']))
    expect(held).toEqual({ 'pod a': 'held', 'pod b': 'held', 'pod huge': 'invalid', 'pod c': 'held', 'pod d': 'held' })
  })

  it('brings back nothing that was changed or deleted since', async () => {
    const { model } = await sendSnapshot(
      ['a', 'huge', 'gone', 'newer'],
      (key) => key === 'huge' || key === 'gone',
      tooLarge,
      ({ tracker }) => {
        tracker.see('pod', 'gone', { op: 'delete', fingerprint: -1, text: '', pending: false })
        tracker.see('pod', 'newer', value('newer', 2))
      },
    )
    expect(model.objects().get('pod gone')).toBeUndefined()
    expect(model.objects().get('pod newer')).toEqual({ metadata: { name: 'newer' }, value: 2 })
    expect(model.objects().get('pod a')).toEqual({ metadata: { name: 'a' }, value: 1 })
    expect(model.objects().get('pod huge')).toBe('invalid')
  })

  it('leaves every other object in the app, whichever are at fault and however parts are cut', async () => {
    const names = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(names, fc.subarray(NAMES), async (keys, refused) => {
        const { model, isSent } = await sendSnapshot(keys, (key) => refused.includes(key), tooLarge)
        expect(isSent).toBe(true)
        const want = keys.map((key) => [`pod ${key}`, refused.includes(key) ? 'invalid' : { metadata: { name: key }, value: 1 }] as const)
        expect(Object.fromEntries(model.objects())).toEqual(Object.fromEntries(want))
      }),
      { numRuns: 30 },
    )
  })
})

describe('an app that keeps its answers open', () => {
  const open = (): { readonly answer: PostOutcome; readonly end: (again: number | undefined) => void } => {
    const { promise, resolve } = Promise.withResolvers<AnswerEnd>()
    return {
      answer: { kind: 'accepted', rejected: [], sendSnapshot: undefined, bytes: 1, end: promise },
      end: (again) => resolve({ kind: 'done', again }),
    }
  }

  it('gets the next changes while it works, however many answers are open, and a post without changes only beside three', async () => {
    const answers = Array.from({ length: 6 }, open)
    const { clock, attempts, see } = setUp({ answers: answers.map(({ answer }) => answer) })
    for (let value = 1; value <= 5; value++) {
      see('a', { value })
      await clock.advance(1_000)
    }
    expect(attempts.map(({ at }) => at)).toEqual([0, 1_000, 2_000, 3_000, 4_000])
    answers[0]?.end(0)
    await clock.advance(1_000)
    expect(attempts).toHaveLength(5)
    answers[1]?.end(undefined)
    await clock.advance(0)
    expect(attempts.slice(5)).toEqual([{ at: 6_000, keys: [] }])
  })

  it('gets a post without changes when it has asked for it', async () => {
    const [first, second] = [open(), open()]
    const { clock, attempts, see } = setUp({ answers: [first.answer, second.answer] })
    see('a')
    await clock.advance(2_000)
    first.end(4_000)
    await clock.advance(4_000)
    expect(attempts).toEqual([
      { at: 0, keys: ['a'] },
      { at: 6_000, keys: [] },
    ])
    second.end(60_000)
    await clock.advance(20_000)
    expect(attempts).toHaveLength(2)
  })

  it('gets one at once after its process has died in the middle of an answer', async () => {
    const broken: PostOutcome = {
      kind: 'accepted',
      rejected: [],
      sendSnapshot: undefined,
      bytes: 1,
      end: Promise.resolve({ kind: 'broken' }),
    }
    const { clock, attempts, see } = setUp({ answers: [broken] })
    see('a')
    await clock.advance(0)
    expect(attempts.map(({ keys }) => keys)).toEqual([['a'], []])
  })
})
