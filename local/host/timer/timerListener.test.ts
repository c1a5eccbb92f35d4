import { describe, expect, it } from 'vitest'
import { createVirtualClock, type VirtualClock } from '../testing/virtualClock.ts'
import { type ScheduleStatus, startTimerListener, type TimerListener, type TimerStore, timerData } from './timerListener.ts'
import { parseSchedule } from './timerSchedule.ts'

const START = Date.parse('2026-11-21T00:00:30Z')
const at = (time: string) => Date.parse(`2026-11-21T${time}Z`)

type Store = TimerStore & { status: ScheduleStatus | undefined; owner: object | undefined; expiresAt: number }

function memoryStore(clock: VirtualClock): Store {
  const store: Store = {
    status: undefined,
    owner: undefined,
    expiresAt: 0,
    acquireLock: async (_name, seconds) => {
      if (store.owner !== undefined && store.expiresAt > clock.now()) return undefined
      const me = {}
      store.owner = me
      store.expiresAt = clock.now() + seconds * 1000
      return {
        renew: async () => {
          if (store.owner !== me) return false
          store.expiresAt = clock.now() + seconds * 1000
          return true
        },
        release: async () => {
          if (store.owner === me) store.owner = undefined
        },
      }
    },
    readStatus: async () => store.status,
    writeStatus: async (_name, status) => {
      store.status = status
    },
  }
  return store
}

type Run = { at: number; isPastDue: boolean; status: unknown }

function fixture() {
  const clock = createVirtualClock(START)
  const store = memoryStore(clock)
  const runs: Run[] = []
  const start = (
    expression: string,
    options: { runOnStartup?: boolean; useMonitor?: boolean; takes?: number; fails?: boolean; ran?: Run[] } = {},
  ): TimerListener =>
    startTimerListener({
      functionName: 'tick',
      schedule: parseSchedule('tick', expression),
      runOnStartup: options.runOnStartup ?? false,
      useMonitor: options.useMonitor ?? true,
      store,
      lockPeriodMs: 15_000,
      lockRecoveryMs: 15_000,
      clock,
      log: () => undefined,
      run: async (data) => {
        const value: { IsPastDue: boolean; ScheduleStatus: unknown } = JSON.parse(data.json ?? '{}')
        ;(options.ran ?? runs).push({ at: clock.now(), isPastDue: value.IsPastDue, status: value.ScheduleStatus })
        if (options.takes !== undefined) await clock.sleep(options.takes, new AbortController().signal)
        if (options.fails === true) throw new Error('no')
      },
    })
  return { clock, store, runs, start }
}

async function stopped(listener: TimerListener, clock: VirtualClock): Promise<void> {
  const stopping = listener.stop()
  await clock.advance(0)
  await stopping
}

describe('startTimerListener', () => {
  it('runs at each occurrence and remembers the next', async () => {
    const { clock, runs, start, store } = fixture()
    const listener = start('0 */5 * * * *')
    await clock.advance(10 * 60_000)
    expect(runs.map((run) => [run.at, run.isPastDue])).toEqual([
      [at('00:05:00'), false],
      [at('00:10:00'), false],
    ])
    expect(runs[0]?.status).toEqual({
      Last: '0001-01-01T00:00:00',
      Next: '2026-11-21T00:05:00.000Z',
      LastUpdated: '2026-11-21T00:00:30.000Z',
    })
    expect(store.status).toEqual({
      Last: '2026-11-21T00:10:00.000Z',
      Next: '2026-11-21T00:15:00.000Z',
      LastUpdated: '2026-11-21T00:10:00.000Z',
    })
    await stopped(listener, clock)
    expect(store.owner).toBeUndefined()
  })

  it('runs at once, past due, when an occurrence was missed while no host ran', async () => {
    const { clock, runs, start } = fixture()
    await stopped(start('0 */5 * * * *'), clock)
    await clock.advance(7 * 60_000)
    const listener = start('0 */5 * * * *')
    await clock.advance(3 * 60_000)
    expect(runs.map((run) => [run.at, run.isPastDue])).toEqual([
      [START + 7 * 60_000, true],
      [at('00:10:00'), false],
    ])
    await stopped(listener, clock)
  })

  it('follows a changed schedule', async () => {
    const { clock, runs, start } = fixture()
    await stopped(start('0 0 12 * * *'), clock)
    const listener = start('0 */5 * * * *')
    await clock.advance(5 * 60_000)
    expect(runs.map((run) => run.at)).toEqual([at('00:05:00')])
    await stopped(listener, clock)
  })

  it('keeps no monitor below a minute, nor when told not to', async () => {
    for (const [expression, options] of [
      ['*/30 * * * * *', {}],
      ['0 * * * * *', { useMonitor: false }],
    ] as const) {
      const { clock, runs, start, store } = fixture()
      await stopped(start(expression, options), clock)
      await clock.advance(10 * 60_000)
      const listener = start(expression, options)
      await clock.advance(60_000)
      expect(runs[0]).toMatchObject({ isPastDue: false, status: null })
      expect(store.status).toBeUndefined()
      await stopped(listener, clock)
    }
  })

  it('never overlaps: the next occurrence is computed when a run ends', async () => {
    const { clock, runs, start } = fixture()
    const listener = start('0 * * * * *', { takes: 90_000 })
    await clock.advance(6 * 60_000)
    expect(runs.map((run) => run.at)).toEqual([at('00:01:00'), at('00:03:00'), at('00:05:00')])
    await stopped(listener, clock)
  })

  it('runs at the start when asked to, and does not repeat a failure', async () => {
    const { clock, runs, start } = fixture()
    const listener = start('0 */5 * * * *', { runOnStartup: true, fails: true })
    await clock.advance(5 * 60_000)
    expect(runs.map((run) => [run.at, run.isPastDue])).toEqual([
      [START, false],
      [at('00:05:00'), false],
    ])
    await stopped(listener, clock)
  })

  it('runs on one of two hosts, and on the other once the first is gone', async () => {
    const { clock, runs, start } = fixture()
    const others: Run[] = []
    const [one, other] = [start('0 * * * * *'), start('0 * * * * *', { ran: others })]
    await clock.advance(2 * 60_000)
    expect([runs.length, others.length]).toEqual([2, 0])
    await stopped(one, clock)
    await clock.advance(60_000)
    expect([runs.length, others.length]).toEqual([2, 1])
    await stopped(other, clock)
  })

  it('takes over from a host that died without a word within its lock period and one retry', async () => {
    const { clock, runs, start, store } = fixture()
    store.owner = {}
    store.expiresAt = clock.now() + 15_000
    const listener = start('*/10 * * * * *')
    await clock.advance(30_000)
    expect(runs.length).toBeGreaterThan(0)
    await stopped(listener, clock)
  })

  it('stops when it loses its lock', async () => {
    const { clock, runs, start, store } = fixture()
    const listener = start('*/10 * * * * *')
    await clock.advance(10_000)
    const before = runs.length
    store.owner = {}
    store.expiresAt = clock.now() + 3_600_000
    await clock.advance(60_000)
    expect(runs.length - before).toBeLessThanOrEqual(1)
    await stopped(listener, clock)
  })
})

describe('parseSchedule', () => {
  const cases: Record<string, { expression: string; from: string; want: string; isSubMinute?: boolean }> = {
    'six fields': { expression: '30 5 * * * *', from: '2026-11-21T00:00:00Z', want: '2026-11-21T00:05:30.000Z' },
    'five fields: the second is zero': { expression: '5 * * * *', from: '2026-11-21T00:05:00Z', want: '2026-11-21T01:05:00.000Z' },
    'both day fields must match': { expression: '0 0 0 13 * 5', from: '2026-11-21T00:00:00Z', want: '2027-08-13T00:00:00.000Z' },
    'names of days': { expression: '0 0 0 * * Mon', from: '2026-11-21T00:00:00Z', want: '2026-11-23T00:00:00.000Z' },
    'parts of a minute': {
      expression: '*/15 * * * * *',
      from: '2026-11-21T00:00:01Z',
      want: '2026-11-21T00:00:15.000Z',
      isSubMinute: true,
    },
  }
  for (const [name, { expression, from, want, isSubMinute = false }] of Object.entries(cases)) {
    it(`understands ${name}`, () => {
      const schedule = parseSchedule('tick', expression)
      expect(new Date(schedule.next(Date.parse(from))).toISOString()).toBe(want)
      expect(schedule.isSubMinute).toBe(isSubMinute)
    })
  }

  const refused: Record<string, string> = {
    'a time span': '00:05:00',
    'four fields': '* * * *',
    'seven fields': '* * * * * * *',
    'the last day of the month': '0 0 0 L * *',
    'the nth weekday': '0 0 0 * * 5#2',
    'Sunday as 7': '0 0 0 * * 7',
    'a minute that does not exist': '0 61 * * * *',
    'a day that never comes': '0 0 0 31 2 *',
    'a nickname': '@daily',
  }
  for (const [name, expression] of Object.entries(refused)) {
    it(`refuses ${name}`, () => {
      expect(() => parseSchedule('tick', expression)).toThrow(`function tick: schedule "${expression}" is not valid`)
    })
  }
})

describe('what a timer function is handed', () => {
  it('is its schedule’s state, and whether it comes late, as the platform writes them', () => {
    const status = { Last: '2026-11-21T00:00:00Z', Next: '2026-11-21T00:01:00Z', LastUpdated: '2026-11-21T00:00:00Z' }
    const handed = (...args: Parameters<typeof timerData>): unknown => JSON.parse(timerData(...args).json ?? '')
    expect(handed(status, true)).toEqual({ Schedule: { AdjustForDST: true }, ScheduleStatus: status, IsPastDue: true })
    expect(handed(undefined, false)).toEqual({ Schedule: { AdjustForDST: true }, ScheduleStatus: null, IsPastDue: false })
  })
})
