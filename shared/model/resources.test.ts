import { describe, expect, it } from 'vitest'
import { add, fits, isZero, maxOf, minOf, nonZero, type Resources, subtract, sum } from './resources.ts'

describe('arithmetic', () => {
  const table: { [name: string]: { got: Resources; want: Resources } } = {
    'a sum has what either names': { got: add({ cpu: 1, memory: 2 }, { cpu: 3, pods: 4 }), want: { cpu: 4, memory: 2, pods: 4 } },
    'a difference has what the left side names': {
      got: subtract({ cpu: 1, memory: 2 }, { cpu: 3, pods: 4 }),
      want: { cpu: -2, memory: 2 },
    },
    'the sum of nothing is nothing': { got: sum([]), want: {} },
    'the sum of many': { got: sum([{ cpu: 1 }, { cpu: 2, pods: 1 }, { pods: 1 }]), want: { cpu: 3, pods: 2 } },
    'the larger has what either names': { got: maxOf({ cpu: 1, memory: 2 }, { cpu: 3, pods: 4 }), want: { cpu: 3, memory: 2, pods: 4 } },
    'the smaller has what both name': { got: minOf({ cpu: 1, memory: 2 }, { cpu: 3, pods: 4 }), want: { cpu: 1 } },
    'without zeros': { got: nonZero({ cpu: 0, memory: 2 }), want: { memory: 2 } },
  }
  for (const [name, { got, want }] of Object.entries(table)) it(name, () => expect(got).toEqual(want))

  it('nothing and zeros are zero', () => {
    expect([isZero({}), isZero({ cpu: 0 }), isZero({ cpu: 0, pods: 1 })]).toEqual([true, true, false])
  })
})

describe('requests fit', () => {
  const table: { [name: string]: { requests: Resources; free: Resources; want: boolean } } = {
    'when all of them are free': { requests: { cpu: 1, pods: 1 }, free: { cpu: 1, pods: 1, memory: 5 }, want: true },
    'not when one is not': { requests: { cpu: 2, pods: 1 }, free: { cpu: 1, pods: 1 }, want: false },
    'not when the place does not have the resource': { requests: { 'nvidia.com/gpu': 1 }, free: { cpu: 1 }, want: false },
    'when none of a resource the place does not have is asked for': { requests: { 'nvidia.com/gpu': 0 }, free: { cpu: 1 }, want: true },
    'not where the place is overdrawn in anything': { requests: { cpu: 1 }, free: { cpu: 5, memory: -1 }, want: false },
  }
  for (const [name, { requests, free, want }] of Object.entries(table)) it(name, () => expect(fits(requests, free)).toBe(want))
})
