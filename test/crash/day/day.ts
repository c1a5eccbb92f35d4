/** A day of a cluster in virtual time: load changes, machines expire, drift, break and are interrupted, and the network is unreliable all day. */
import { durationMs } from '../../../shared/model/units.ts'
import { createRandom } from '../../agreement/random.ts'
import type { Simulation } from '../simulation.ts'
import { BOOT_MS, createCluster, MINUTE_MS, TICK_MS } from './cluster.ts'
import { createCourse, type Troubles } from './course.ts'
import { createJudge, type Judge } from './judge.ts'
import { createLoads } from './loads.ts'

const HOURS = 24
const EXPIRE_MS = 6 * 60 * MINUTE_MS
/** Karpenter's default budget. The smallest that lets two moves overlap. */
const BUDGET = { share: 0.1, least: 2 } as const
/** A node joins, registers and is initialized, and its pod is bound: each in a tick of the clock. */
const JOIN_MS = 5 * TICK_MS
/** A killed host or a lost message may cost a minute. */
const PENDING_MS = BOOT_MS + JOIN_MS + MINUTE_MS
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

export type Day = Pick<Judge, 'longest' | 'repairs' | 'pods' | 'ends'> &
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
  const budget = Math.max(BUDGET.least, Math.ceil(BUDGET.share * nodes))
  const { simulation, passMinute } = createCluster({
    random,
    network: troubles.network,
    budget,
    expireAfter: durationMs(EXPIRE_MS),
    loads: () => (minute < HOURS * 60 ? loads.at(minute) : []),
    step: () => course.step(),
    look: () => judge.look(),
  })
  const { world } = simulation
  const { objects } = world
  const judge = createJudge(world, { pendingMs: PENDING_MS, struckMs: PENDING_MS + MINUTE_MS, budget })
  const course = createCourse(simulation, random, troubles, judge.calm.caused)
  let repairsBlocked = 0
  for (; minute < HOURS * 60; minute++) {
    if (loads.sinceChange(minute) === 0) judge.calm.caused()
    course.minute(minute)
    await passMinute()
    if (minute % 60 !== 59) continue
    judge.atTheHour()
    repairsBlocked += objects.events.filter(({ event }) => event.reason === 'NodeRepairBlocked').length
    // An API server keeps Events for an hour.
    objects.events.length = 0
    objects.eventPlaces.clear()
    tell?.(simulation, (minute + 1) / 60)
  }
  judge.calm.caused()
  for (; minute < HOURS * 60 + ENDING_MINUTES; minute++) await passMinute()
  await judge.atTheEnd()
  return {
    wrong: judge.wrong(),
    longest: judge.longest,
    repairs: judge.repairs,
    pods: judge.pods,
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
