import { describe, expect, it } from 'vitest'
import { playDay } from './day.ts'

/** `DAY_SEEDS` is the number of days to play, `DAY_SEED` names a single one, and `DAY_NODES` is the number of nodes at noon. */
const { DAY_SEEDS = '1', DAY_SEED, DAY_NODES = '15' } = process.env
const SEEDS = DAY_SEED === undefined ? Array.from({ length: Number(DAY_SEEDS) }, (_, index) => index + 1) : [Number(DAY_SEED)]
const TROUBLES = { network: 0.05, struck: 0.15, unhealthy: 0.08, spot: 0.3 }
const HOUR_MS = 3_600_000

describe('24 hours in virtual time', () => {
  it.each(SEEDS)(
    'nothing is without an owner, waits too long, goes in a circle or is left over (seed %i)',
    async (seed) => {
      const day = await playDay({ nodes: Number(DAY_NODES), seed, troubles: TROUBLES })
      expect(day.wrong).toEqual([])
      // Checks that the day had the events that the judge must see.
      expect([...day.ends.keys()].sort()).toEqual(['Drifted', 'Empty', 'Expired', 'Underutilized', 'Unhealthy'])
      expect(day.repairs.repairs).toBeGreaterThan(5)
      expect(day.repairs.brokenMs).toBeGreaterThan(HOUR_MS / 4)
      expect(day.repairsBlocked).toBeGreaterThan(0)
      expect(day.interrupted).toBeGreaterThan(5)
      expect(day.kills).toBeGreaterThan(50)
      expect(day.failures).toBeGreaterThan(50)
      expect(day.calmMs).toBeGreaterThan(HOUR_MS / 2)
    },
    Number(DAY_NODES) * 60_000,
  )
})
