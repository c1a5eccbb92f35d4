import { describe, expect, it } from 'vitest'
import { createNeighbours, type GroupRule, type HostRules } from './hostRules.ts'

const rules = (...own: readonly Partial<GroupRule>[]): HostRules => ({
  isFree: own.length === 0,
  ruleCount: 1,
  hostPorts: [],
  groups: own.map((each) => ({ ...NO_RULE, ...each })),
  tightest: undefined,
})

const NO_RULE: GroupRule = {
  group: 1,
  most: Number.POSITIVE_INFINITY,
  isSelf: false,
  maxSkew: Number.POSITIVE_INFINITY,
  isRepelled: false,
  isCounted: false,
  isOwned: false,
}
const FREE = rules()
/** Spreads over machines by the pods of group 1, to which it does not belong itself. */
const watcher = rules({ most: 2, maxSkew: 2 })
const watched = rules({ isCounted: true })

describe('neighbours on a machine that is being filled', () => {
  it('lets any number in of those whom no rule speaks of', () => {
    const neighbours = createNeighbours(2)
    neighbours.join(watcher, 1)
    expect(neighbours.room(FREE)).toBe(Number.POSITIVE_INFINITY)
  })

  it('takes no more pods beside one that is spread than it could come to itself, in whatever order the scheduler binds them', () => {
    const neighbours = createNeighbours(2)
    neighbours.join(watcher, 1)
    expect(neighbours.room(watched)).toBe(2)
    neighbours.join(watched, 1)
    expect(neighbours.room(watched)).toBe(1)
    neighbours.join(watched, 1)
    expect(neighbours.room(watched)).toBe(0)
    expect(neighbours.room(watcher)).toBeGreaterThan(0)
  })

  it('does not let one in that is spread where too many are', () => {
    const neighbours = createNeighbours(2)
    neighbours.join(watched, 3)
    expect(neighbours.room(watcher)).toBe(0)
  })

  it('forgets all of it with the next machine', () => {
    const neighbours = createNeighbours(2)
    neighbours.join(watcher, 1)
    neighbours.join(watched, 2)
    neighbours.clear()
    expect(neighbours.room(watched)).toBeGreaterThan(1_000)
  })
})
