/** The schedule of a day's troubles. */

import type { Node } from '../../../shared/model/node.ts'
import type { Random } from '../../agreement/random.ts'
import type { Simulation } from '../simulation.ts'
import { isCalm } from './loads.ts'
import { createSpotWaves } from './spotWaves.ts'
import { breakNodes, failZone, heal, injectFault, orphan } from './troubles.ts'

export type Troubles = {
  /** Share of the messages, posts and interruption notices that are lost, doubled or late. */
  readonly network: number
  /** Probability per minute of a strike: a host dies, or a write or read fails. */
  readonly struck: number
  /** Share of the nodes that break in each busy hour. */
  readonly unhealthy: number
  /** Share of the spot machines that are interrupted, every third hour. */
  readonly spot: number
}

/** A zone is out for 25 minutes, longer than a silent node is tolerated. */
const OUTAGE = { hour: 3, from: 10, to: 35, zone: 'eastus-2' } as const
/** Half of the nodes break at once, far more than the circuit breaker allows to be repaired. Later most are healthy again. */
const MASS_FAILURE = { hour: 10, from: 10, to: 35, healed: 0.8 } as const
const DRIFT = { hour: 12, at: 10 } as const
const BREAK_AT = 20
const ORPHAN = { every: 4, at: 30 } as const
const SPOT = { every: 3, at: 45 } as const

export type Course = {
  /** Called at the beginning of each minute of the day. */
  minute(minute: number): void
  /** Called in each tick. */
  step(): Promise<void>
  readonly broken: () => number
}

/** The troubles of a day. In calm hours there are only strikes and the bad network. */
export function createCourse(simulation: Simulation, random: Random, troubles: Troubles, caused: () => void): Course {
  const { world } = simulation
  const { objects } = world
  const waves = createSpotWaves(simulation, random, troubles.network)
  let broken = 0
  let dark: readonly Node[] = []
  let ill: readonly Node[] = []

  function drift(): void {
    for (const pool of objects.all('nodePool')) {
      objects.put('nodePool', { ...pool, template: { ...pool.template, labels: { 'example.com/generation': '2' } } })
    }
  }

  function act(hour: number, minute: number): boolean {
    const is = (when: number, at: number): boolean => hour === when && minute === at
    if (is(OUTAGE.hour, OUTAGE.from)) dark = failZone(world, OUTAGE.zone)
    else if (is(OUTAGE.hour, OUTAGE.to)) heal(world, dark)
    else if (is(MASS_FAILURE.hour, MASS_FAILURE.from)) ill = breakNodes(world, random, everyOther)
    else if (is(MASS_FAILURE.hour, MASS_FAILURE.to)) heal(world, random.some(ill, MASS_FAILURE.healed))
    else if (is(DRIFT.hour, DRIFT.at)) drift()
    else if (minute === BREAK_AT && hour !== OUTAGE.hour && hour !== MASS_FAILURE.hour)
      broken += breakNodes(world, random, (well) => random.some(well, troubles.unhealthy)).length
    else if (minute === SPOT.at && hour % SPOT.every === 1) waves.begin(troubles.spot)
    else if (minute === ORPHAN.at && hour % ORPHAN.every === 1) orphan(world, random)
    else return false
    return true
  }

  return {
    broken: () => broken,
    step: waves.step,
    minute(minute) {
      if (random.chance(troubles.struck)) injectFault(world, random)
      const hour = Math.floor(minute / 60)
      if (!isCalm(hour) && act(hour, minute % 60)) caused()
    },
  }
}

function everyOther(nodes: readonly Node[]): readonly Node[] {
  return nodes.filter((_, index) => index % 2 === 0)
}
