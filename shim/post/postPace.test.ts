import { describe, expect, it } from 'vitest'
import { createPostPace } from './postPace.ts'

/** Posts one after another, each as soon as it may start. Returns the pause after each of them. */
function pausesAfter(tookMs: readonly number[], windowMs = 100): readonly number[] {
  const pace = createPostPace(windowMs)
  let start = 0
  return tookMs.map((took) => {
    const end = start + took
    pace.note({ start, end })
    start = Math.max(end, pace.nextStart())
    return Math.round(start - end)
  })
}

describe('the pause between posts', () => {
  it('lets the first post start at once', () => {
    expect(createPostPace(100).nextStart()).toBeLessThan(0)
  })

  it('is the rest of the window while posts take as long as the quickest post', () => {
    expect(pausesAfter([10, 10, 10])).toEqual([90, 90, 90])
    expect(pausesAfter([250, 250, 250])).toEqual([0, 0, 0])
  })

  it('is 16 times the delay of a post that takes longer than the quickest, at most 300 ms', () => {
    expect(pausesAfter([10, 12, 20, 25, 60, 400])).toEqual([90, 88, 160, 239, 300, 300])
  })

  it('is short again after a quick post', () => {
    expect(pausesAfter([10, 400, 10])).toEqual([90, 300, 90])
  })

  it('becomes short again when the way to the app has become longer for good, though one post was quick', () => {
    const pauses = pausesAfter([1, ...Array.from({ length: 3_000 }, () => 60)])
    expect(pauses[1]).toBe(300)
    expect(pauses.at(-1)).toBe(40)
  })
})
