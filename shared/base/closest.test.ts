import { describe, expect, it } from 'vitest'
import { closest } from './text.ts'

describe('the closest words', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['LOG_LEVL', ['LOG_LEVEL', 'PLACEMENT'], ['LOG_LEVEL']],
    ['log_level', ['LOG_LEVEL'], ['LOG_LEVEL']],
    ['idle', ['BATCH_IDLE_DURATION', 'PLACEMENT'], ['BATCH_IDLE_DURATION']],
    ['ab', ['xaby'], ['xaby']],
    ['', ['abc'], []],
    ['anything', [], []],
    ['something else', ['LOG_LEVEL'], []],
  ])('to %j of %j are %j', (word, known, expected) => expect(closest(word, known)).toEqual(expected))

  it('are three at most, the nearest first', () => {
    expect(closest('abcd', ['abxy', 'abcx', 'abcd', 'axcd', 'zzzzzzzz'])).toEqual(['abcd', 'abcx', 'axcd'])
  })
})
