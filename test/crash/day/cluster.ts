import type { DurationOrNever } from '../../../shared/model/nodePool.ts'
import { durationMs } from '../../../shared/model/units.ts'
import type { Random } from '../../agreement/random.ts'
import { catalog } from '../../builders/catalog.ts'
import { nodePool } from '../../builders/nodePool.ts'
import { createSimulation, type Simulation } from '../simulation.ts'
import { badNetwork, badPosts } from './troubles.ts'
import { createWorkload, type Load } from './workload.ts'

export const MINUTE_MS = 60_000
export const TICK_MS = 1_000
export const BOOT_MS = 60_000
const DELETE_MS = 10_000
const POD_EXIT_MS = 2_000
/** The default intervals of the timers. */
const RESYNC_MS = 60_000
const GC_MS = 120_000
/** The time between two looks of a judge. */
const LOOK_MS = 5_000
/** Longer than the interval between jobs, so that the machines for jobs stay. */
const QUIET_MS = 10 * MINUTE_MS

export type ClusterOptions = {
  readonly random: Random
  /** Share of the messages and posts that are lost, doubled or late. */
  readonly network: number
  /** The most nodes that moves may take at a time. */
  readonly budget: number
  readonly expireAfter: DurationOrNever
  /** The loads at each time. */
  readonly loads: () => readonly Load[]
  /** Called in each tick. */
  readonly step?: () => Promise<void>
  /** Called every few seconds. */
  readonly look: () => Promise<void>
}

export type Cluster = { readonly simulation: Simulation; passMinute(): Promise<void> }

/** A cluster with one NodePool, two hosts of the app, and a network that is unreliable all day. */
export function createCluster({ random, network, budget, expireAfter, loads, step, look }: ClusterOptions): Cluster {
  const simulation: Simulation = createSimulation({
    hosts: 2,
    tickMs: TICK_MS,
    bootMs: BOOT_MS,
    deleteMs: DELETE_MS,
    podExitMs: POD_EXIT_MS,
    resyncEveryMs: RESYNC_MS,
    gcEveryMs: GC_MS,
    instanceTypes: catalog().filter(({ name }) => !name.includes('pls')),
    delivery: badPosts(random, network),
    workload: () => keep(loads()),
    caller: async () => {
      await step?.()
      if (world.clock.now() % LOOK_MS < TICK_MS) await look()
    },
  })
  const { world } = simulation
  const keep = createWorkload(world)
  simulation.deliverBy(badNetwork(random, network))
  const disruption = { budgets: [{ nodes: String(budget) }], consolidateAfter: durationMs(QUIET_MS) }
  world.objects.put('nodePool', nodePool({ template: { expireAfter }, disruption }))
  return {
    simulation,
    passMinute: async () => void (await simulation.runUntil(() => false, MINUTE_MS - TICK_MS)),
  }
}
