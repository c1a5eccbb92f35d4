import { Cron as Library } from 'croner'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withStarts } from '../wire/objects/schedule.ts'
import { type Cron, nextOccurrence, previousOccurrence } from './cron.ts'
import { durationMs, epochMs } from './units.ts'

function cron(schedule: string): Cron {
  const { starts } = withStarts({ nodes: '0', schedule })
  if (starts === undefined || 'problem' in starts) throw new Error(JSON.stringify(starts))
  return starts
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const at = (text: string) => epochMs(Date.parse(text))
const told = (instant: number | undefined) => (instant === undefined ? undefined : new Date(instant).toISOString())

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'] as const
const EXPRESSIONS = [
  '0 9 * * 1-5',
  '*/15 * * * *',
  '30 2 * * *',
  '0 0 29 2 *',
  '0 0 13 * 5',
  '0 12 1 */3 *',
  '5,35 8-10 * JUN-AUG MON',
] as const

/** Zones, each with an instant at which its clocks change. */
const CHANGES_OF_CLOCKS = [
  ['Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['America/New_York', '2026-03-08T07:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['America/Havana', '2026-11-01T05:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
] as const

/** Returns the local time of a zone, encoded as if it were UTC. */
function wallTime(timeZone: string, instant: number): number {
  const minute = Math.floor(instant / MINUTE_MS) * MINUTE_MS
  return Date.parse(`${new Date(minute).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`) + instant - minute
}

describe('a schedule', () => {
  it('names the times that the library which read it names, before and after any instant two days from a change of clocks', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.constantFrom(...EXPRESSIONS),
        fc.integer({ min: Date.UTC(2023, 0), max: Date.UTC(2032, 0) }),
        (zone, expression, now) => {
          fc.pre(wallTime(zone, now + 2 * DAY_MS) - wallTime(zone, now - 2 * DAY_MS) === 4 * DAY_MS)
          const own = cron(`CRON_TZ=${zone} ${expression}`)
          const library = new Library(expression, { timezone: zone, paused: true })
          expect(told(nextOccurrence(own, epochMs(now)))).toBe(library.nextRun(new Date(now))?.toISOString())
          const decade = durationMs(10 * 366 * 86_400_000)
          expect(told(previousOccurrence(own, epochMs(now), decade))).toBe(library.previousRuns(1, new Date(now + 1))[0]?.toISOString())
        },
      ),
      { numRuns: 300 },
    )
  })

  it.each(CHANGES_OF_CLOCKS)('names each minute around a change of clocks whose local time it states: %s at %s', (zone, change) => {
    for (const expression of ['*/15 * * * *', '30 2 * * *', '45 1,2 * * 0,6', '0 * * * *']) {
      const own = cron(`CRON_TZ=${zone} ${expression}`)
      const named = cron(expression)
      const isStated = (instant: number) => previousOccurrence(named, epochMs(wallTime(zone, instant)), durationMs(MINUTE_MS)) !== undefined
      const [from, until] = [at(change) - 4 * HOUR_MS, at(change) + 4 * HOUR_MS]
      const hits = new Set<number>()
      for (let hit = nextOccurrence(own, epochMs(from - 1)); hit !== undefined && hit < until; hit = nextOccurrence(own, hit)) hits.add(hit)
      for (let minute = from; minute < until; minute += MINUTE_MS)
        if (isStated(minute)) expect(hits.delete(minute), told(minute)).toBe(true)
      // The remaining hits must be in the hour that clocks skip.
      const skips = wallTime(zone, at(change)) - wallTime(zone, at(change) - MINUTE_MS) - MINUTE_MS
      for (const hit of hits) expect(skips > 0 && hit >= at(change) && hit < at(change) + skips, told(hit)).toBe(true)
    }
  })

  it.each([
    ['comes at the first of two equal times when clocks go back', '30 2 * * *', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z'],
    ['comes at the second one, too', '30 2 * * *', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00.000Z'],
    ['comes an hour later where clocks skip its time', '30 2 * * *', '2026-03-28T12:00:00Z', '2026-03-29T01:30:00.000Z'],
  ])('%s', (_sentence, expression, from, want) => {
    expect(told(nextOccurrence(cron(`CRON_TZ=Europe/Berlin ${expression}`), at(from)))).toBe(want)
  })

  it('of a date that never comes has no next time', () => {
    expect(nextOccurrence(cron('0 0 30 2 *'), at('2026-01-01T00:00:00Z'))).toBeUndefined()
  })

  it('has not begun for whoever looks no further back than its last time', () => {
    const own = cron('0 12 * * *')
    const now = at('2026-01-01T13:00:00Z')
    expect(previousOccurrence(own, now, durationMs(3_600_000))).toBeUndefined()
    expect(told(previousOccurrence(own, now, durationMs(3_600_001)))).toBe('2026-01-01T12:00:00.000Z')
  })
})
