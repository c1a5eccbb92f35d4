import { Cron as Library } from 'croner'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withStarts } from '../wire/objects/schedule.ts'
import { type Cron, lastHit, nextHit } from './cron.ts'
import { durationMs, epochMs } from './units.ts'

function cron(schedule: string): Cron {
  const { starts } = withStarts({ nodes: '0', schedule })
  if (starts === undefined || 'problem' in starts) throw new Error(JSON.stringify(starts))
  return starts
}

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

describe('a schedule', () => {
  it('names the times that the library which read it names, before and after any instant, in any zone', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.constantFrom(...EXPRESSIONS),
        fc.integer({ min: Date.UTC(2023, 0), max: Date.UTC(2032, 0) }),
        (zone, expression, now) => {
          const own = cron(`CRON_TZ=${zone} ${expression}`)
          const library = new Library(expression, { timezone: zone, paused: true })
          expect(told(nextHit(own, epochMs(now)))).toBe(library.nextRun(new Date(now))?.toISOString())
          const decade = durationMs(10 * 366 * 86_400_000)
          expect(told(lastHit(own, epochMs(now), decade))).toBe(library.previousRuns(1, new Date(now + 1))[0]?.toISOString())
        },
      ),
      { numRuns: 300 },
    )
  })

  it.each([
    ['comes at the first of two equal times when clocks go back', '30 2 * * *', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z'],
    ['comes an hour later where clocks skip its time', '30 2 * * *', '2026-03-28T12:00:00Z', '2026-03-29T01:30:00.000Z'],
  ])('%s', (_sentence, expression, from, want) => {
    expect(told(nextHit(cron(`CRON_TZ=Europe/Berlin ${expression}`), at(from)))).toBe(want)
  })

  it('of a date that never comes has no next time', () => {
    expect(nextHit(cron('0 0 30 2 *'), at('2026-01-01T00:00:00Z'))).toBeUndefined()
  })

  it('has not begun for whoever looks no further back than its last time', () => {
    const own = cron('0 12 * * *')
    const now = at('2026-01-01T13:00:00Z')
    expect(lastHit(own, now, durationMs(3_600_000))).toBeUndefined()
    expect(told(lastHit(own, now, durationMs(3_600_001)))).toBe('2026-01-01T12:00:00.000Z')
  })
})
