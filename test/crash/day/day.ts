/** A day of a cluster in virtual time: load changes, machines expire, drift, break and are interrupted, and the network is unreliable all day. */
import { durationMs } from '../../../shared/model/units.ts'
import { createRandom } from '../../agreement/random.ts'
import { catalog } from '../../builders/catalog.ts'
import { nodePool } from '../../builders/nodePool.ts'
import { createSimulation, type Simulation } from '../simulation.ts'
import { createCourse, type Troubles } from './course.ts'
import { createJudge, type Judge } from './judge.ts'
import { createLoads } from './loads.ts'
import { badNetwork, badPosts } from './troubles.ts'
import { createWorkload } from './workload.ts'

const MINUTE_MS = 60_000
const HOURS = 24
const TICK_MS = 1_000
const BOOT_MS = 60_000
const DELETE_MS = 10_000
const POD_EXIT_MS = 2_000
/** The default intervals of the timers. */
const RESYNC_MS = 60_000
const GC_MS = 120_000
/** The time between two looks of the judge. */
const LOOK_MS = 5_000
const EXPIRE_MS = 8 * 60 * MINUTE_MS
/** Longer than the interval between jobs, so that the machines for jobs stay. */
const QUIET_MS = 10 * MINUTE_MS
const BUDGET = 2
/** Boot time, plus a minute to decide and launch, plus a minute that a killed host or a lost message may cost. */
const PENDING_MS = BOOT_MS + 2 * MINUTE_MS
/** Every machine must be quiet first, and the budget allows only a few disruptions at a time. */
const ENDING_MINUTES = 60

export type DayOptions = {
  /** The number of nodes at noon. */
  readonly nodes: number
  readonly seed: number
  readonly troubles: Troubles
  /** Called after each hour. */
  readonly tell?: (simulation: Simulation, hour: number) => void
}

export type Day = Pick<Judge, 'longest' | 'repairs' | 'ends'> &
  Judge['calm']['counts'] & {
    readonly wrong: readonly string[]
    readonly claims: number
    readonly broken: number
    readonly interrupted: number
    readonly kills: number
    readonly failures: number
    readonly repairsBlocked: number
  }

export async function playDay({ nodes, seed, troubles, tell }: DayOptions): Promise<Day> {
  const random = createRandom(seed)
  const loads = createLoads(nodes)
  let minute = 0
  const simulation: Simulation = createSimulation({
    hosts: 2,
    tickMs: TICK_MS,
    bootMs: BOOT_MS,
    deleteMs: DELETE_MS,
    podExitMs: POD_EXIT_MS,
    resyncEveryMs: RESYNC_MS,
    gcEveryMs: GC_MS,
    instanceTypes: catalog().filter(({ name }) => !name.includes('pls')),
    delivery: badPosts(random, troubles.network),
    workload: () => keep(minute < HOURS * 60 ? loads.at(minute) : []),
    caller: async () => {
      await course.step()
      if (world.clock.now() % LOOK_MS < TICK_MS) await judge.look()
    },
  })
  const { world } = simulation
  const { objects } = world
  const keep = createWorkload(world)
  const judge = createJudge(world, { pendingMs: PENDING_MS, budget: BUDGET })
  const course = createCourse(simulation, random, troubles, judge.calm.caused)
  world.queues.deliverBy(badNetwork(random, troubles.network))
  const disruption = { budgets: [{ nodes: String(BUDGET) }], consolidateAfter: durationMs(QUIET_MS) }
  objects.put('nodePool', nodePool({ template: { expireAfter: durationMs(EXPIRE_MS) }, disruption }))
  let repairsBlocked = 0
  const pass = (): Promise<unknown> => simulation.runUntil(() => false, MINUTE_MS - TICK_MS)
  for (; minute < HOURS * 60; minute++) {
    if (loads.sinceChange(minute) === 0) judge.calm.caused()
    course.minute(minute)
    await pass()
    if (minute % 60 !== 59) continue
    repairsBlocked += objects.events.filter(({ event }) => event.reason === 'NodeRepairBlocked').length
    // An API server keeps Events for an hour.
    objects.events.length = 0
    objects.eventPlaces.clear()
    tell?.(simulation, (minute + 1) / 60)
  }
  judge.calm.caused()
  for (; minute < HOURS * 60 + ENDING_MINUTES; minute++) await pass()
  await judge.atTheEnd()
  return {
    wrong: judge.wrong(),
    longest: judge.longest,
    repairs: judge.repairs,
    ends: judge.ends,
    ...judge.calm.counts,
    claims: new Set(world.journal.entries.flatMap(({ operation, object }) => (operation === 'api.createClaim' ? [object] : []))).size,
    broken: course.broken(),
    interrupted: world.telemetry.events.filter(({ name }) => name === 'interruption.handled').length,
    kills: simulation.kills(),
    failures: simulation.failures.length,
    repairsBlocked,
  }
}
