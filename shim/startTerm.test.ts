import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from './clock.ts'
import { KIND_PATHS } from './kinds.ts'
import { createMetrics } from './metrics.ts'
import type { PostEnvelope } from './post/postEnvelope.ts'
import { startTerm } from './startTerm.ts'
import { createFakeKube } from './testing/fakeKube.ts'
import { createKeptLog } from './testing/keptLog.ts'
import { plainReducer } from './testing/plainReducer.ts'

/** Runs a term over an empty cluster, with the `post` of the test, until `end`. `end` returns the errors that the term logged. */
async function term(post: PostEnvelope) {
  const kube = await createFakeKube(Object.values(KIND_PATHS).map(({ path }) => path))
  onTestFinished(kube.close)
  const log = createKeptLog()
  const deps = { connection: kube.connection, post, reduce: plainReducer, clock: systemClock, log, metrics: createMetrics() }
  const limits = { changes: 10, length: 10_000 }
  const options = {
    cluster: 'demo',
    kept: 1,
    onTold: () => {},
    windowMs: 1,
    resendMs: 60_000,
    limits,
    mostUnsent: 10_000,
    snapshotPauseMs: 0,
    onOutdated: () => {},
  }
  const lost = new AbortController()
  const { ended, unreadyReasons } = startTerm(1, deps, options, lost.signal)
  const end = async () => {
    lost.abort(new DOMException('lost', 'AbortError'))
    await ended
    return log.entries.filter(({ level }) => level === 'error')
  }
  return { log, end, unreadyReasons }
}

describe('a term', () => {
  it('says what broke one of its loops, is not ready, and still ends when it is told', async () => {
    const { log, end, unreadyReasons } = await term(() => Promise.reject(new TypeError('a bug')))
    await expect.poll(() => log.entries.filter(({ level }) => level === 'error')).toMatchObject([{ fields: { because: 'a bug' } }])
    expect(unreadyReasons()).toContain('a loop of the shim failed, restart its pod: a bug')
    expect(await end()).toHaveLength(1)
  })

  it('has nothing to say of loops that end because it does', async () => {
    const posts = Promise.withResolvers<void>()
    const { end } = await term((_, signal) => {
      posts.resolve()
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    await posts.promise
    expect(await end()).toEqual([])
  })
})
