import { describe, expect, it } from 'vitest'
import { textOf } from '../shared/base/result.ts'
import { createLog } from './log.ts'

describe('the log', () => {
  it('is one line of JSON an entry', () => {
    const lines: string[] = []
    const log = createLog((line) => lines.push(line))
    log.info('a')
    log.warn('b', { count: 1 })
    log.error('c')
    expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true)
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      { time, level: 'info', message: 'a' },
      { time, level: 'warn', message: 'b', count: 1 },
      { time, level: 'error', message: 'c' },
    ])
  })
})

describe('the text of what was thrown', () => {
  it.each([
    [new TypeError('broken'), 'broken'],
    [new TypeError(''), 'TypeError'],
    [new TypeError('broken', { cause: new RangeError('too far', { cause: 'text' }) }), 'broken: too far: text'],
    ['text', 'text'],
    [undefined, 'undefined'],
  ])('of %o is %j', (thrown, text) => {
    expect(textOf(thrown)).toBe(text)
  })
})
