/** When in a day what goes wrong. */

import type { Node } from '../../../shared/model/node.ts'
import type { Random } from '../../agreement/random.ts'
import type { Simulation } from '../simulation.ts'
import { isCalm } from './loads.ts'
import { createSpotWaves } from './spotWaves.ts'
import { breakNodes, darken, heal, orphan, strike } from './troubles.ts'

export type Troubles = {
  /** Of the messages, posts and notices: lost, doubled or late. */
  readonly network: number
  /** Hosts that die, writes and readings that fail: how likely in a minute. */
  readonly struck: number
  /** Of the nodes, each busy hour. */
  readonly unhealthy: number
  /** Of the spot machines, every third hour. */
  readonly spot: number
}

/** A zone is out for 25 minutes: longer than a silent node is tolerated. */
const OUTAGE = { hour: 3, from: 10, to: 35, zone: 'eastus-2' } as const
/** Half of the nodes are broken at once, far more than the breaker lets be repaired; after a while most are well again. */
const PLAGUE = { hour: 10, from: 10, to: 35, healed: 0.8 } as const
const DRIFT = { hour: 12, at: 10 } as const
const BREAK_AT = 20
const ORPHAN = { every: 4, at: 30 } as const
const SPOT = { every: 3, at: 45 } as const

export type Course = {
  /** At the beginning of each minute of the day. */
  minute(minute: number): void
  /** In each tick. */
  step(): Promise<void>
  readonly broken: () => number
}

/** Nothing happens in calm hours, but for strikes and the bad network. */
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
    if (is(OUTAGE.hour, OUTAGE.from)) dark = darken(world, OUTAGE.zone)
    else if (is(OUTAGE.hour, OUTAGE.to)) heal(world, dark)
    else if (is(PLAGUE.hour, PLAGUE.from)) ill = breakNodes(world, random, everyOther)
    else if (is(PLAGUE.hour, PLAGUE.to)) heal(world, random.some(ill, PLAGUE.healed))
    else if (is(DRIFT.hour, DRIFT.at)) drift()
    else if (minute === BREAK_AT && hour !== OUTAGE.hour && hour !== PLAGUE.hour)
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
      if (random.chance(troubles.struck)) strike(world, random)
      const hour = Math.floor(minute / 60)
      if (!isCalm(hour) && act(hour, minute % 60)) caused()
    },
  }
}

function everyOther(nodes: readonly Node[]): readonly Node[] {
  return nodes.filter((_, index) => index % 2 === 0)
}
