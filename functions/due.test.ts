import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryShim } from '../shared/adapters/memory/memoryShim.ts'
import { createVirtualClock } from '../shared/adapters/memory/virtualClock.ts'
import { restStateOf, TRUST } from '../shared/flows/ledger/rest.ts'
import { clusterId } from '../shared/model/ids.ts'
import { epochMs } from '../shared/model/units.ts'
import { nodeClass } from '../test/builders/nodeClass.ts'
import { nodePool } from '../test/builders/nodePool.ts'
import { readLastRuns } from './lastRuns.ts'
import { COARSE_WORK } from './schedules.ts'
import { createTestApp, NOW } from './testing/testApp.ts'

const NEVER = new AbortController().signal
const SECOND = 1_000
const MINUTE = 60 * SECOND
/** Periods of the default schedules. A cluster at rest is swept every fifth time. */
const PERIOD = { catalog: 10 * MINUTE, gc: 5 * 2 * MINUTE }

/** Creates two processes of an app with one cluster, whose shim has sent everything and is silent since. */
async function silentCluster() {
  const time = createVirtualClock(NOW)
  let backMs = 0
  const clock = { ...time, now: () => epochMs(time.now() - backMs) }
  const runsUntil = new AbortController().signal
  const first = createTestApp({ clock, clusters: ['alpha'], runsUntil })
  const second = createTestApp({ clock, clusters: ['alpha'], beside: first, runsUntil })
  const world = first.worlds.alpha
  const { ports, telemetry, journal } = world
  world.objects.put('nodeClass', nodeClass())
  world.objects.put('nodePool', nodePool())
  const shim = createMemoryShim(world, 1)
  await ports.log.append(shim.snapshot(), NEVER)

  const runs = (): number => telemetry.measures.filter(({ name }) => name === 'reconcile_ms').length
  const rows = (): number =>
    journal.entries.filter(({ operation, object }) => operation === 'blobs.write' && object.endsWith('alpha/timer')).length

  /** Runs the timer once, with its work. `loses`: the process dies before it begins the work that it has found. */
  async function run(app: typeof first, loses: boolean): Promise<void> {
    const dying = loses ? createTestApp({ clock, clusters: ['alpha'], beside: first }) : app
    await dying.run('timer', {})
  }

  // The first runs write status of pool and class, and the shim reports it.
  for (let minute = 0; minute < 3; minute++) {
    await run(first, false)
    const changes = shim.changes()
    if (changes !== undefined) await ports.log.append(changes, NEVER)
    await time.advance(MINUTE)
  }
  return {
    apps: { first: [first], second: [second], both: [first, second] },
    run,
    runs,
    rows,
    now: clock.now,
    advance: time.advance,
    goBack: (ms: number) => void (backMs += ms),
    say: () => ports.log.append({ term: 1, receivedAt: clock.now(), body: { kind: 'changes', changes: [] } }, NEVER),
    /** Returns how much of the rest period of the last run remains. */
    restsFor: async () => {
      const ledger = await ports.ledger.load(NEVER)
      return ledger.ok ? (ledger.value?.value.rest?.until ?? 0) - clock.now() : expect.fail('no ledger')
    },
    restStateOf: () => restStateOf({ ...ports, clock }, NEVER),
    lastRuns: () => readLastRuns(ports.blobs, clusterId('alpha'), NEVER),
  }
}

const steps = fc.array(
  fc.record({
    /** Usually a minute. Hours are an outage. */
    gapS: fc.oneof({ weight: 6, arbitrary: fc.constant(60) }, fc.integer({ min: 1, max: 6 * 3_600 })),
    /** By how much the clock was set back before the run. */
    backS: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 3 * 3_600 })),
    by: fc.constantFrom('first' as const, 'second' as const, 'both' as const),
    loses: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
    says: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  }),
  { minLength: 1, maxLength: 40 },
)

describe('what is due', () => {
  it('is done once, by the first run of the timer at which it is due, whatever was lost, slept, or set back before', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (played) => {
        const app = await silentCluster()
        for (const { gapS, backS, by, loses, says } of played) {
          await app.advance(gapS * SECOND)
          app.goBack(backS * SECOND)
          if (says) await app.say()
          const before = { rows: app.rows(), runs: app.runs(), rest: await app.restStateOf() }
          for (const each of app.apps[by]) await app.run(each, loses)

          expect(app.rows() - before.rows, 'each piece of work is done by one of the processes').toBeLessThanOrEqual(1)
          const last = await app.lastRuns()
          for (const work of COARSE_WORK) {
            const since = app.now() - (last[work] ?? 0)
            expect([work, since >= 0, since < PERIOD[work]], 'nothing stays due').toEqual([work, true, true])
          }
          // Lost work is found by the next run.
          if (loses) continue
          expect(app.runs() - before.runs).toBe(before.rest === 'resting' ? 0 : 1)
          expect(await app.restStateOf()).toBe('resting')
          expect(await app.restsFor(), 'no clock makes a rest longer').toBeLessThanOrEqual(TRUST.withoutMachines)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('is a decision after each rest that is over, and nothing else, in a day of silence', async () => {
    const app = await silentCluster()
    const before = app.runs()
    for (let minute = 0; minute < 24 * 60; minute++) {
      await app.advance(MINUTE)
      for (const each of app.apps.first) await app.run(each, false)
    }
    expect(app.runs() - before).toBe(24 * 6)
  })
})
