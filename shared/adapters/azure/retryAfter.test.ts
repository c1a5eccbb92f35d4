import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { armFailure } from './armFailure.ts'
import { retryAfterOf } from './retryAfter.ts'

const headers = (of: Readonly<Record<string, string>>) => new Headers(of)
const DATE = (at: number) => new Date(at).toUTCString()

describe('the wait that Azure asks for', () => {
  it.each([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['milliseconds', { 'retry-after-ms': '1500' }, 1_500],
    ['milliseconds of the x-ms header', { 'x-ms-retry-after-ms': '250' }, 250],
    ['milliseconds before seconds, which are rounded', { 'x-ms-retry-after-ms': '2500', 'retry-after': '2' }, 2_500],
    ['a date, counted from the date of the response', { 'retry-after': DATE(90_000), date: DATE(60_000) }, 30_000],
    ['a date, counted from now where the response has none', { 'retry-after': DATE(90_000) }, 50_000],
    ['a date that is over: no wait', { 'retry-after': DATE(1_000), date: DATE(60_000) }, undefined],
    ['no header', {}, undefined],
    ['an empty one', { 'retry-after': '' }, undefined],
    ['words', { 'retry-after': 'soon' }, undefined],
    ['less than nothing', { 'retry-after-ms': '-5' }, undefined],
  ])('%s', (_what, of, wait) => {
    expect(retryAfterOf(headers(of), 40_000)).toBe(wait)
  })

  it('is the same in the error of a call', () => {
    const any = fc.dictionary(
      fc.constantFrom('retry-after', 'retry-after-ms', 'x-ms-retry-after-ms', 'date'),
      fc.oneof(fc.nat().map(String), fc.nat().map(DATE), fc.constant('x')),
    )
    fc.assert(
      fc.property(any, (of) => {
        const error = { statusCode: 429, response: { headers: headers(of) } }
        expect(armFailure(error).retryAfterMs).toBe(retryAfterOf(headers(of)))
      }),
    )
  })
})
