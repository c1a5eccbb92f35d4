import { describe, expect, it } from 'vitest'
import { clusterId } from '../shared/model/ids.ts'
import { problem } from '../shared/model/problem.ts'
import { queueNames } from './queueNames.ts'
import { DEFAULT_SCHEDULES, schedulesOf } from './scheduleSettings.ts'
import { CLUSTERS, createTestApp, NOW, type TestApp } from './testing/testApp.ts'

const NEVER = new AbortController().signal
const MINUTE = 60_000
const { resync } = schedulesOf(DEFAULT_SCHEDULES)

/** Returns the metrics about queues. */
function told({ worlds }: TestApp): readonly (readonly [string, unknown, number])[] {
  const { measures } = worlds.alpha.telemetry
  return measures.flatMap(({ name, value, fields }) => (name.startsWith('queue.') ? [[name, fields['queue'], value] as const] : []))
}

/** A message is in the queue all the time, so that each sample is reported. */
const looks = (app: TestApp): number => told(app).filter(([name]) => name === 'queue.messages').length

async function leave({ worlds }: TestApp): Promise<void> {
  await worlds.alpha.ports.wakes.wake(clusterId('alpha'), NEVER)
}

describe('the queues', () => {
  it('are told of with how many wait and for how long', async () => {
    const app = createTestApp()
    await leave(app)
    await leave(app)
    await app.worlds.alpha.clock.advance(10 * MINUTE)
    await app.run('timer', {})
    expect(told(app)).toEqual([
      ['queue.messages', 'wake', 2],
      ['queue.waiting_ms', 'wake', 10 * MINUTE],
    ])
  })

  it('that are empty are told nothing of', async () => {
    const app = createTestApp()
    await app.run('timer', {})
    expect(told(app)).toEqual([])
  })

  it.each([1, 20])('are looked at once in five minutes, also where each %i. run is that of a new process', async (life) => {
    let [app, looked] = [createTestApp(), 0]
    const { clock } = app.worlds.alpha
    for (let run = 0; clock.now() < NOW + 60 * MINUTE; run++) {
      if (run % life === 0) {
        looked += looks(app)
        app = createTestApp({ clock })
        await leave(app)
      }
      await app.run('timer', {})
      await clock.advance(resync.next(clock.now()) - clock.now())
    }
    expect(looked + looks(app)).toBe(12)
  })

  it.each(['function', 'queue'] as const)('are all looked at that a function takes messages from, with events by %s', (eventDelivery) => {
    const { queues } = createTestApp({ eventDelivery })
    expect([...queueNames(eventDelivery)].sort()).toEqual([...queues].sort())
  })

  it('that cannot be looked at stop nothing, and it is said', async () => {
    const app = createTestApp()
    const away = problem('STORE.UNAVAILABLE', 'storage is away')
    app.worlds.alpha.failCall('backlog.look', 1, { when: 'before', how: 'fault', problem: away })
    await app.run('timer', {})
    expect(app.worlds.alpha.telemetry.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'the queues could not be read: storage is away' }),
    )
    const watched = app.worlds.alpha.telemetry.measures.filter(({ name }) => name === 'cluster.watched')
    expect(watched).toHaveLength(CLUSTERS.length)
  })
})
