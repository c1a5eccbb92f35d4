import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '../testing/virtualClock.ts'
import type { AnswerEnd } from './answerStream.ts'
import { createOpenAnswers } from './openAnswers.ts'

const SECOND = 1_000

function scene() {
  const clock = createVirtualClock()
  let changes = 0
  const answers = createOpenAnswers(clock, () => void changes++)
  return {
    clock,
    answers,
    changes: () => changes,
    /** Opens an answer. Returns a function that ends it. */
    open() {
      const { promise, resolve } = Promise.withResolvers<AnswerEnd>()
      answers.follow(promise)
      return async (end: AnswerEnd) => {
        resolve(end)
        await clock.advance(0)
      }
    },
    breakOne: async () => {
      answers.follow(Promise.resolve({ kind: 'broken' }))
      await clock.advance(0)
    },
  }
}

const done = (again?: number): AnswerEnd => ({ kind: 'done', again })

describe('the time to come', () => {
  it('is the earliest that an answer has asked for, until the shim has come', async () => {
    const { answers, clock, open } = scene()
    expect(answers.comeAt()).toBe(Number.POSITIVE_INFINITY)
    await open()(done(10 * SECOND))
    await clock.advance(SECOND)
    await open()(done(3 * SECOND))
    await open()(done(300 * SECOND))
    await open()(done())
    expect(answers.comeAt()).toBe(4 * SECOND)
    answers.came()
    expect(answers.comeAt()).toBe(Number.POSITIVE_INFINITY)
  })

  it('is now when an answer breaks, and later from one broken answer to the next, until one is complete', async () => {
    const { answers, clock, open, breakOne } = scene()
    const pauses: number[] = []
    for (let times = 0; times < 8; times++) {
      await breakOne()
      pauses.push(answers.comeAt() - clock.monotonic())
      answers.came()
    }
    expect(pauses).toEqual([0, 1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * SECOND))
    await open()(done(300 * SECOND))
    await breakOne()
    expect(answers.comeAt()).toBe(clock.monotonic())
  })

  it('is soon when no answer that is left says when: the app keeps one open for a caller that is gone', async () => {
    const { answers, clock, open } = scene()
    const pauses: number[] = []
    const other = open()
    await open()(done())
    expect(answers.comeAt(), 'another answer is open').toBe(Number.POSITIVE_INFINITY)
    await other(done(SECOND))
    answers.came()
    for (let times = 0; times < 3; times++) {
      await open()(done())
      pauses.push(answers.comeAt() - clock.monotonic())
      answers.came()
    }
    expect(pauses).toEqual([SECOND, 2 * SECOND, 4 * SECOND])
  })

  it('is not known from an app that answers at once', async () => {
    const { answers, clock, changes } = scene()
    answers.follow(undefined)
    await clock.advance(SECOND)
    expect([answers.comeAt(), changes()]).toEqual([Number.POSITIVE_INFINITY, 0])
  })

  it('waits while four answers are open, and is told when one of them ends', async () => {
    const { answers, changes, clock, open } = scene()
    const ends = [open(), open(), open(), open(), open()]
    await ends[0]?.(done(0))
    expect([answers.comeAt(), clock.monotonic()]).toEqual([Number.POSITIVE_INFINITY, 0])
    const before = changes()
    await ends[1]?.(done())
    expect([answers.comeAt(), changes() - before]).toEqual([0, 1])
  })

  it('is told when it changes', async () => {
    const { open, changes } = scene()
    await open()(done(SECOND))
    await open()({ kind: 'broken' })
    expect(changes()).toBe(2)
  })
})
