import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Fault } from './problem.ts'
import { acquiredAfter, checkTerm, termOf } from './term.ts'
import { type EpochMs, epochMs } from './units.ts'

const NOW = epochMs(Date.UTC(2026, 5, 1))
const DAY_MS = 24 * 60 * 60_000

/** Returns the newest term after a log was asked to accept these terms in order. */
function newestOf(terms: readonly number[], now: EpochMs): number {
  return terms.reduce((newest, term) => (codeOf(term, newest, now) === undefined ? term : newest), 0)
}

function codeOf(term: number, newest: number, now: EpochMs): string | undefined {
  try {
    checkTerm(term, newest, now)
    return undefined
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    return cause.problem.code
  }
}

describe('a term', () => {
  it('begins after another at the earliest time that makes it later', () => {
    fc.assert(
      fc.property(fc.nat({ max: 4e12 }), fc.nat({ max: 999 }), (acquiredAt, transitions) => {
        const term = termOf({ acquiredAt, transitions })
        const next = acquiredAfter(term)
        expect(termOf({ acquiredAt: next, transitions: 0 })).toBeGreaterThan(term)
        expect(termOf({ acquiredAt: next - 1, transitions: 0 })).toBeLessThanOrEqual(term)
      }),
    )
  })

  it('is a safe integer for centuries', () => {
    expect(Number.isSafeInteger(termOf({ acquiredAt: Date.UTC(2250, 0), transitions: 12_345 }))).toBe(true)
  })

  it.each([
    ['that is over', termOf({ acquiredAt: NOW - 1, transitions: 0 }), 'INPUT.OLD_TERM'],
    ['of another leader that began at once', termOf({ acquiredAt: NOW, transitions: 1 }), undefined],
    ['of a clock that is a day ahead', termOf({ acquiredAt: NOW + DAY_MS, transitions: 999 }), undefined],
    ['of a clock that is further ahead', termOf({ acquiredAt: NOW + DAY_MS + 1, transitions: 0 }), 'INPUT.INVALID'],
    ['of no time', Number.MAX_SAFE_INTEGER, 'INPUT.INVALID'],
  ])('%s is taken, or refused with its code', (_, term, code) => {
    expect(codeOf(term, termOf({ acquiredAt: NOW, transitions: 0 }), NOW)).toBe(code)
  })

  it('whatever terms somebody posts, the next leader gets in, with a number that can be said', () => {
    const posted = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: NOW * 1_000, max: (NOW + 2 * DAY_MS) * 1_000 }))
    fc.assert(
      fc.property(fc.array(posted, { maxLength: 20 }), fc.nat({ max: 999 }), (terms, transitions) => {
        const newest = newestOf(terms, NOW)
        const next = termOf({ acquiredAt: Math.max(NOW, acquiredAfter(newest)), transitions })
        expect(next).toBeGreaterThan(newest)
        expect(Number.isSafeInteger(next)).toBe(true)
        expect(codeOf(next, newest, NOW)).toBeUndefined()
      }),
    )
  })
})
