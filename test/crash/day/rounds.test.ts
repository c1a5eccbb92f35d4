import { expect, it } from 'vitest'
import { playRounds } from './rounds.ts'

/** The number of nodes that the pods need without waves. 60 nodes take a minute of processor time. */
const NODES = Number(process.env['ROUND_NODES'] ?? '60')
const MS_OF_A_NODE = 60_000
/** The first rounds build the cluster. */
const SETTLED_AFTER = 3
/**
 * The share by which the nodes at the end of a later round may be more than those of the third: one wave of moves may be under way. They may be fewer,
 * since moves go on to merge nodes into larger ones: from 49 to 30 within the day of seed 1.
 */
const TOLERANCE = 0.2

it(
  'a day of equal hours with jobs, releases, waves of replicas and reclaimed spot machines ends no hour with more nodes, and has no circle',
  async () => {
    const { rounds, wrong, longestChain } = await playRounds({ nodes: NODES, seed: 1, network: 0.05 })
    expect(wrong).toEqual([])
    const counts = rounds.slice(SETTLED_AFTER - 1).map(({ nodes }) => nodes)
    const [third = 0] = counts
    expect(counts.filter((count) => count > (1 + TOLERANCE) * third)).toEqual([])
    // Checks that each hour had moves, and that the judge saw them.
    expect(rounds.filter(({ made, moved }) => made === 0 || moved === 0)).toEqual([])
    expect(longestChain).toBeGreaterThan(0)
  },
  NODES * MS_OF_A_NODE,
)
