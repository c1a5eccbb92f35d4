import { describe, expect, it } from 'vitest'
import { type Day, playDay } from './day.ts'

/**
 * `DAY_SEEDS` is the number of days to play, and `DAY_SEED` names a single one. `DAY_NODES` adds a day with this number of nodes at noon: 1,000 nodes
 * take some ten minutes of processor time.
 */
const { DAY_SEEDS = '1', DAY_SEED, DAY_NODES } = process.env
const SEEDS = DAY_SEED === undefined ? Array.from({ length: Number(DAY_SEEDS) }, (_, index) => index + 1) : [Number(DAY_SEED)]
const SMALL = { nodes: 15, troubles: { network: 0.05, struck: 0.15, unhealthy: 0.08, spot: 0.3 } }
const LARGE = { network: 0.05, struck: 0.15, unhealthy: 0.02, spot: 0.3 }
const HOUR_MS = 3_600_000
const MS_OF_A_NODE = 60_000
/** The nodes that two troubles may make late, as a share of the pods that wait. All pods of one node are late by the same troubles. */
const LATE = 0.001

describe('24 hours in virtual time', () => {
  it.each(SEEDS)(
    'nothing is without an owner, waits too long, goes in a circle or is left over (seed %i)',
    async (seed) => {
      const day = await playDay({ ...SMALL, seed })
      expectGood(day)
      expect(day.repairs.repairs).toBeGreaterThan(5)
      expect(day.interrupted).toBeGreaterThan(5)
    },
    SMALL.nodes * MS_OF_A_NODE,
  )

  if (DAY_NODES !== undefined)
    it(
      `the same holds with ${DAY_NODES} nodes`,
      async () => expectGood(await playDay({ nodes: Number(DAY_NODES), troubles: LARGE, seed: 1 })),
      Number(DAY_NODES) * MS_OF_A_NODE,
    )
})

function expectGood(day: Day): void {
  expect(day.wrong).toEqual([])
  expect(day.pods.late).toBeLessThanOrEqual(LATE * day.pods.waited)
  // Checks that the day had the events that the judge must see.
  expect([...day.ends.keys()].sort()).toEqual(['Drifted', 'Empty', 'Expired', 'Underutilized', 'Unhealthy'])
  expect(day.repairs.brokenMs).toBeGreaterThan(HOUR_MS / 4)
  expect(day.repairsBlocked).toBeGreaterThan(0)
  expect(day.kills).toBeGreaterThan(50)
  expect(day.failures).toBeGreaterThan(50)
  expect(day.calmMs).toBeGreaterThan(HOUR_MS / 2)
}
