import { describe, expect, it } from 'vitest'
import { parseTimeSpan } from './timeSpan.ts'

describe('a time span of .NET', () => {
  it.each([
    ['00:00:00', 0],
    ['00:00:00.1', 100],
    ['00:00:02.0000005', 2_000],
    ['00:01:00', 60_000],
    ['1:02:03', 3_723_000],
    ['23:59:59.999', 86_399_999],
    ['1.00:00:00', 86_400_000],
    ['10.23:00:00', 946_800_000],
    ['0:5:9', 309_000],
  ])('%s is %i ms', (text, ms) => expect(parseTimeSpan(text)).toBe(ms))

  it.each([
    '',
    '24:00:00',
    '99:00:00',
    '00:60:00',
    '00:00:60',
    '00:00',
    '5',
    '-00:00:01',
    '00:00:00.',
    '00:00:00.12345678',
    ' 00:00:00',
    '1:00:00:00',
  ])('%s is none', (text) => expect(parseTimeSpan(text)).toBeUndefined())
})
