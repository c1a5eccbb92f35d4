import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EpochMs, epochMs } from '../shared/model/units.ts'
import { DEFAULT_SCHEDULES, schedulesOf } from './scheduleSettings.ts'
import { decisionsBetweenRuns, isDue, parseSchedule, type Schedule } from './schedules.ts'

const at = (text: string): EpochMs => epochMs(Date.parse(text))
const NOON = at('2027-01-15T12:00:00Z')

function schedule(expression: string): Schedule {
  return parseSchedule(expression) ?? expect.fail(`${expression} is no schedule`)
}

describe('a schedule', () => {
  it.each([
    ['*/30 * * * * *', '2027-01-15T12:00:30Z'],
    ['30 */2 * * * *', '2027-01-15T12:00:30Z'],
    ['0 0 3 * * *', '2027-01-16T03:00:00Z'],
    // Both day fields must match: a Friday that is the 13th.
    ['0 0 0 13 * 5', '2027-08-13T00:00:00Z'],
  ])('%s comes next at %s', (expression, want) => {
    expect(schedule(expression).next(NOON)).toBe(at(want))
  })

  it.each(['', 'often', '0 * * * *', '0 0 * * * * 2027', '99 * * * * *', '0 0 0 31 2 *', '00:00:30'])('is not "%s"', (expression) => {
    expect(parseSchedule(expression)).toBeUndefined()
  })
})

describe('work', () => {
  const everyTwoMinutes = schedule('30 */2 * * * *')

  it('is due where nobody knows when it was done, or a clock was wrong', () => {
    expect(isDue(everyTwoMinutes, undefined, NOON, 0)).toBe(true)
    expect(isDue(everyTwoMinutes, epochMs(NOON + 1), NOON, 0)).toBe(true)
  })

  it('that was missed many times is due once', () => {
    expect(isDue(everyTwoMinutes, epochMs(NOON - 24 * 3_600_000), NOON, 0.3)).toBe(true)
    expect(isDue(everyTwoMinutes, NOON, epochMs(NOON + 1), 0.3)).toBe(false)
  })

  it('is never put off by more than ten minutes, so that a time of day stays one', () => {
    const nightly = schedule('0 0 2 * * *')
    const since = at('2027-01-14T02:10:00Z')
    expect(isDue(nightly, since, at('2027-01-15T01:59:59Z'), 0.999)).toBe(false)
    expect(isDue(nightly, since, at('2027-01-15T02:10:00Z'), 0.999)).toBe(true)
    expect(isDue(nightly, since, at('2027-01-15T02:05:00Z'), 0.999)).toBe(false)
  })

  it('is done once in each period, whenever the timer runs and wherever in the period the turn of the cluster is', () => {
    const expressions = fc.constantFrom('30 */2 * * * *', '0 */10 * * * *', '15 3 * * * *')
    const pauses = fc.array(fc.integer({ min: 1, max: 400_000 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(expressions, pauses, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (expression, gaps, share) => {
        const each = schedule(expression)
        const period = each.next(each.next(NOON)) - each.next(NOON)
        let now: EpochMs = NOON
        let done: EpochMs = NOON
        let runs = 0
        for (const gap of gaps) {
          now = epochMs(now + gap)
          const due = isDue(each, done, now, share)
          if (now - done >= period) expect(due).toBe(true)
          if (!due) continue
          runs++
          done = now
        }
        expect(runs).toBeLessThanOrEqual(Math.ceil((now - NOON) / period) + 1)
      }),
    )
  })
})

describe('decisions between two runs of the timer', () => {
  it('come when they did as a timer of their own, but for those of the run itself', () => {
    expect(decisionsBetweenRuns(schedulesOf(DEFAULT_SCHEDULES), NOON)).toEqual(
      [10_000, 20_000, 30_000, 40_000, 50_000].map((ms) => NOON + ms),
    )
    expect(decisionsBetweenRuns(schedulesOf(DEFAULT_SCHEDULES), epochMs(NOON + 40))).toEqual(
      [10_000, 20_000, 30_000, 40_000, 50_000].map((ms) => NOON + ms),
    )
  })

  it('are none where disruption is looked for no more often than the timer runs', () => {
    expect(decisionsBetweenRuns(schedulesOf({ ...DEFAULT_SCHEDULES, DISRUPTION_SCHEDULE: '0 * * * * *' }), NOON)).toEqual([])
  })

  it('are bounded, however far apart the runs are', () => {
    expect(decisionsBetweenRuns(schedulesOf({ ...DEFAULT_SCHEDULES, RESYNC_SCHEDULE: '0 0 0 1 1 *' }), NOON)).toHaveLength(60)
  })
})
