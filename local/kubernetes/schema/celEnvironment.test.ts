import { describe, expect, it } from 'vitest'
import { compileRule } from './celEnvironment.ts'

/** Integers are CEL integers (bigint), all other numbers are doubles. */
const LISTS: readonly [rule: string, list: readonly unknown[], answer: unknown][] = [
  ['isSorted()', [1n, 2n, 2n], true],
  ['isSorted()', [2n, 1n], false],
  ['isSorted()', [1.5, 2.5], true],
  ['isSorted()', [2.5, 1.5], false],
  ['isSorted()', ['a', 'b'], true],
  ['isSorted()', ['b', 'a'], false],
  // Values that cannot be compared are never in a wrong order.
  ['isSorted()', [true, false], true],
  ['isSorted()', [1n, false], true],
  ['min()', ['b', 'a', 'c'], 'a'],
  ['max()', ['b', 'c', 'a'], 'c'],
  ['min()', [2.5, 1.5], 1.5],
  ['max()', [1n, 3n, 2n], 3n],
  ['sum()', [1n, 2n], 3n],
  ['sum()', [1.5, 2.5], 4],
]

describe('a rule about a list', () => {
  it.each(LISTS)('%s of %o is %o', (rule, list, answer) => expect(compileRule(`self.${rule}`)({ self: list })).toEqual(answer))
})
