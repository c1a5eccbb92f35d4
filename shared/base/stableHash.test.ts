import { describe, expect, it } from 'vitest'
import { stableName, stableNames, stableNumber } from './stableHash.ts'

describe('stable names', () => {
  it('are those of whole objects, of any length', () => {
    const name = stableNames({ cluster: 'a "quoted" one', decision: 7 }, 'index')
    for (const length of [1, 5, 10, 11, 13]) {
      for (const index of [0, 9, 10, 4711]) {
        expect(name(index, length)).toBe(stableName({ index, decision: 7, cluster: 'a "quoted" one' }, length))
        expect(name(index, length)).toHaveLength(length)
      }
    }
  })

  it('begin alike whatever their length', () => {
    expect(stableName('seed', 13)).toMatch(new RegExp(`^${stableName('seed', 5)}`))
  })

  it('are the same in every version', () => {
    expect(stableName({ cluster: 'alpha', claim: 'default-1' }, 13)).toBe(KNOWN)
  })
})

const KNOWN = 'x7zhqxml4v49t'

describe('stableNumber', () => {
  it('is the same everywhere, below 2^32, and spreads texts that are nearly alike', () => {
    expect([stableNumber(''), stableNumber('default-a eastus-1')]).toEqual([stableNumber(''), stableNumber('default-a eastus-1')])
    const firsts = Array.from({ length: 3_000 }, (_, claim) => {
      const zones = [1, 2, 3].map((zone) => ({ zone, turn: stableNumber(`default-${claim} eastus-${zone}`) }))
      expect(zones.every(({ turn }) => Number.isInteger(turn) && turn >= 0 && turn < 2 ** 32)).toBe(true)
      return zones.sort((one, other) => one.turn - other.turn)[0]?.zone
    })
    const counts = [1, 2, 3].map((zone) => firsts.filter((first) => first === zone).length)
    expect(Math.min(...counts)).toBeGreaterThan(900)
  })
})
