import { describe, expect, it, onTestFinished } from 'vitest'
import { epochMs } from '../../shared/model/units.ts'
import { silentLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { createChangeTracker } from '../sync/changeTracker.ts'
import { createVirtualClock } from '../testing/virtualClock.ts'
import { createSnapshots } from './snapshots.ts'

const PAUSE_MS = 15_000

/** A term that has begun. `answers` says of each snapshot whether the app takes it. After these answers the app takes all snapshots. */
async function setUp(answers: boolean[] = []) {
  const clock = createVirtualClock()
  const sentAt: number[] = []
  const poster = {
    unreadyReason: () => undefined,
    idle: () => Promise.resolve(),
    run: () => Promise.resolve(),
    sendSnapshot: () => {
      sentAt.push(clock.monotonic())
      return Promise.resolve(answers.shift() ?? true)
    },
  }
  const tracker = createChangeTracker({ now: () => epochMs(0), onUnsent: () => {} })
  const deps = { tracker, informers: [], poster, clock, log: silentLog, metrics: createMetrics() }
  const snapshots = createSnapshots(deps, { limits: { changes: 10, length: 1_000 }, snapshotPauseMs: PAUSE_MS })
  const stopping = new AbortController()
  const serving = snapshots.serve(() => {}, stopping.signal).catch(() => {})
  onTestFinished(async () => {
    stopping.abort(new DOMException('stopped', 'AbortError'))
    await serving
  })
  await clock.advance(0)
  return { clock, snapshots, sentAt }
}

describe('snapshots', () => {
  it('begin a term, which is synced once the app has taken one', async () => {
    const { clock, snapshots, sentAt } = await setUp([false, true])
    expect(snapshots.isSynced()).toBe(false)
    await clock.advance(PAUSE_MS)
    expect({ sentAt, isSynced: snapshots.isSynced() }).toEqual({ sentAt: [0, PAUSE_MS], isSynced: true })
  })

  it('are not sent twice for one question of the app, which asks with every answer until it has read one', async () => {
    const { clock, snapshots, sentAt } = await setUp()
    await clock.advance(PAUSE_MS - 1)
    snapshots.want('the app asks')
    await clock.advance(0)
    expect(sentAt).toEqual([0])
  })

  it('are sent when the app still asks after the pause', async () => {
    const { clock, snapshots, sentAt } = await setUp()
    await clock.advance(PAUSE_MS)
    snapshots.want('the app asks')
    await clock.advance(0)
    expect(sentAt).toEqual([0, PAUSE_MS])
  })

  it('are sent at once when changes were dropped, however short ago the last one was', async () => {
    const { clock, snapshots, sentAt } = await setUp()
    await clock.advance(10)
    snapshots.need('changes were dropped')
    await clock.advance(0)
    expect(sentAt).toEqual([0, 10])
  })

  it('are not forgotten when changes were dropped while the app asked', async () => {
    const { clock, snapshots, sentAt } = await setUp()
    await clock.advance(10)
    snapshots.need('changes were dropped')
    snapshots.want('the app asks')
    await clock.advance(0)
    expect(sentAt).toEqual([0, 10])
  })

  it('are tried again until the app takes one, since nothing else brings back what was dropped', async () => {
    const { clock, snapshots, sentAt } = await setUp([true, false, false, true])
    await clock.advance(10)
    snapshots.need('changes were dropped')
    await clock.advance(10 * PAUSE_MS)
    expect(sentAt).toEqual([0, 10, 10 + PAUSE_MS, 10 + 2 * PAUSE_MS])
  })
})
