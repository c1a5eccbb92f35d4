import { describe, expect, it } from 'vitest'
import type { Stamp } from '../../model/change.ts'
import { epochMs } from '../../model/units.ts'
import { createSeenNumbers } from './seenNumbers.ts'

const at = (ms: number) => epochMs(1_000_000 + ms)
const stamp = (term: number, seq: number): Stamp => ({ term, seq })

/** A reader that has seen everything of term 1 up to number 10, and its snapshot. */
function seen() {
  const numbers = createSeenNumbers(stamp(1, 10))
  return { ...numbers, why: (ms: number, floor = stamp(1, 10)) => numbers.missing(floor, at(ms)) }
}

describe('numbers that were seen', () => {
  it('are complete up to the first hole, and on as soon as it is closed', () => {
    const numbers = seen()
    for (const seq of [12, 13, 15]) numbers.note(stamp(1, seq), at(0))
    expect(numbers.complete()).toEqual(stamp(1, 10))
    numbers.note(stamp(1, 11), at(0))
    expect(numbers.complete()).toEqual(stamp(1, 13))
    numbers.note(stamp(1, 14), at(0))
    expect(numbers.complete()).toEqual(stamp(1, 15))
  })

  it('do not go back for what comes twice or late', () => {
    const numbers = seen()
    numbers.note(stamp(1, 9), at(0))
    numbers.note(stamp(1, 10), at(0))
    expect([numbers.complete(), numbers.why(60_000)]).toEqual([stamp(1, 10), undefined])
  })

  it('of a snapshot stand for all before it, and close what lies behind it', () => {
    const numbers = seen()
    for (const seq of [12, 21]) numbers.note(stamp(1, seq), at(0))
    numbers.noteSnapshot(stamp(1, 20))
    expect(numbers.complete()).toEqual(stamp(1, 21))
    expect(numbers.why(60_000, stamp(1, 20))).toBeUndefined()
    numbers.noteSnapshot(stamp(1, 15))
    expect(numbers.complete()).toEqual(stamp(1, 21))
  })

  it('of an earlier term do not count in a later one', () => {
    const numbers = seen()
    numbers.note(stamp(1, 13), at(0))
    numbers.enterTerm(2, at(0))
    numbers.noteSnapshot(stamp(2, 1))
    numbers.note(stamp(1, 3), at(0))
    numbers.note(stamp(2, 2), at(0))
    expect(numbers.complete()).toEqual(stamp(2, 2))
    expect(numbers.why(60_000, stamp(2, 1))).toBeUndefined()
  })
})

describe('what is missing', () => {
  it('is everything before anything came', () => {
    expect(createSeenNumbers(stamp(0, 0)).missing(stamp(0, 0), at(0))).toBe('nothing is known of the cluster yet')
  })

  it.each([
    [4_999, undefined],
    [5_000, 'change 11 of term 1 never came'],
  ])('is a hole that has stood for %d ms, counted from the oldest change beyond it', (ms, want) => {
    const numbers = seen()
    numbers.note(stamp(1, 12), at(0))
    numbers.note(stamp(1, 13), at(3_000))
    expect(numbers.why(ms)).toBe(want)
  })

  it.each([
    [4_999, undefined],
    [5_000, 'no complete snapshot of term 2'],
  ])('is the snapshot of a new term after %d ms, counted from the first of the term', (ms, want) => {
    const numbers = seen()
    numbers.enterTerm(2, at(0))
    numbers.enterTerm(2, at(4_000))
    numbers.enterTerm(1, at(4_000))
    expect(numbers.why(ms)).toBe(want)
  })

  it('is not said at once of a term that a process finds in its checkpoint', () => {
    expect(createSeenNumbers(stamp(2, 5)).missing(stamp(1, 1), at(60_000))).toBeUndefined()
  })
})
