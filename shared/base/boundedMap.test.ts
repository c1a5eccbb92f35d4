import { expect, it } from 'vitest'
import { createBoundedMap } from './boundedMap.ts'

it('holds so many entries, and lets go first what was set longest ago', () => {
  const recent = createBoundedMap<string, number>(2)
  recent.set('a', 1)
  recent.set('b', 2)
  recent.set('a', 3)
  recent.set('c', 4)
  expect(['a', 'b', 'c'].map(recent.get)).toEqual([3, undefined, 4])
  recent.delete('a')
  recent.set('d', 5)
  expect(['a', 'c', 'd'].map(recent.get)).toEqual([undefined, 4, 5])
})
