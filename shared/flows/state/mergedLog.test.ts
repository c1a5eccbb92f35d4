import { describe, expect, it } from 'vitest'
import type { Version } from '../../model/change.ts'
import { epochMs } from '../../model/units.ts'
import { createSeenNumbers } from './mergedLog.ts'

const at = (ms: number) => epochMs(1_000_000 + ms)
const version = (term: number, seq: number): Version => ({ term, seq })

/** A reader that has seen all changes of term 1 up to number 10, and a snapshot of the term. */
function seen() {
  const numbers = createSeenNumbers(version(1, 10))
  return { ...numbers, why: (ms: number, floor = version(1, 10)) => numbers.missing(floor, at(ms)) }
}

describe('numbers that were seen', () => {
  it('are complete up to the first hole, and on as soon as it is closed', () => {
    const numbers = seen()
    for (const seq of [12, 13, 15]) numbers.note(version(1, seq), at(0))
    expect(numbers.complete()).toEqual(version(1, 10))
    numbers.note(version(1, 11), at(0))
    expect(numbers.complete()).toEqual(version(1, 13))
    numbers.note(version(1, 14), at(0))
    expect(numbers.complete()).toEqual(version(1, 15))
  })

  it('do not go back for what comes twice or late', () => {
    const numbers = seen()
    numbers.note(version(1, 9), at(0))
    numbers.note(version(1, 10), at(0))
    expect([numbers.complete(), numbers.why(60_000)]).toEqual([version(1, 10), undefined])
  })

  it('of a snapshot stand for all before it, and close what lies behind it', () => {
    const numbers = seen()
    for (const seq of [12, 21]) numbers.note(version(1, seq), at(0))
    numbers.noteSnapshot(version(1, 20))
    expect(numbers.complete()).toEqual(version(1, 21))
    expect(numbers.why(60_000, version(1, 20))).toBeUndefined()
    numbers.noteSnapshot(version(1, 15))
    expect(numbers.complete()).toEqual(version(1, 21))
  })

  it('of an earlier term do not count in a later one', () => {
    const numbers = seen()
    numbers.note(version(1, 13), at(0))
    numbers.enterTerm(2, at(0))
    numbers.noteSnapshot(version(2, 1))
    numbers.note(version(1, 3), at(0))
    numbers.note(version(2, 2), at(0))
    expect(numbers.complete()).toEqual(version(2, 2))
    expect(numbers.why(60_000, version(2, 1))).toBeUndefined()
  })
})

describe('what is missing', () => {
  it('is everything before anything came', () => {
    expect(createSeenNumbers(version(0, 0)).missing(version(0, 0), at(0))).toBe('nothing is known of the cluster yet')
  })

  it.each([
    [4_999, undefined],
    [5_000, 'change 11 of term 1 never came'],
  ])('is a hole that has stood for %d ms, counted from the oldest change beyond it', (ms, want) => {
    const numbers = seen()
    numbers.note(version(1, 12), at(0))
    numbers.note(version(1, 13), at(3_000))
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
    expect(createSeenNumbers(version(2, 5)).missing(version(1, 1), at(60_000))).toBeUndefined()
  })
})
