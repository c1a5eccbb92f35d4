/** Spot interruptions come in waves. Each has a notice, which may be lost, and the machine is gone half a minute later. */
import { interrupt } from '../../../shared/flows/lifecycle/interrupt.ts'
import type { NodeClaimName } from '../../../shared/model/ids.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import { durationMs, type EpochMs, later } from '../../../shared/model/units.ts'
import type { Random } from '../../agreement/random.ts'
import type { Simulation } from '../simulation.ts'
import { badNetwork } from './troubles.ts'

const NEVER = new AbortController().signal
/** The notices of one wave come within this time. */
const WAVE_MS = 5_000
const NOTICE_MS = 30_000
const TWICE_MS = 2_000
/** Event Grid delivers a failed notice again after this time. */
const AGAIN_MS = 10_000

export type SpotWaves = {
  /** Interrupts a share of all spot machines. */
  begin(share: number): void
  /** Called in each tick. */
  step(): Promise<void>
}

type Due = { readonly at: EpochMs; readonly claim: NodeClaimName; readonly what: 'notice' | 'loss' }

export function createSpotWaves(simulation: Simulation, random: Random, troubled: number): SpotWaves {
  const network = badNetwork(random, troubled)
  let due: Due[] = []
  return {
    begin(share) {
      const { objects, clock } = simulation.world
      const spot = objects.all('nodeClaim').filter(({ meta }) => meta.labels[LABEL.capacityType] === 'spot' && meta.deletedAt === undefined)
      for (const { name } of random.some(spot, share)) {
        const at = later(clock.now(), durationMs(random.int(WAVE_MS)))
        const delivery = network()
        const notices = delivery === 'never' ? [] : delivery === 'twice' ? [0, TWICE_MS] : [delivery === 'once' ? 0 : delivery.laterMs]
        due.push(...notices.map((ms): Due => ({ at: later(at, durationMs(ms)), claim: name, what: 'notice' })))
        due.push({ at: later(at, durationMs(NOTICE_MS)), claim: name, what: 'loss' })
      }
    },
    async step() {
      const now = simulation.clock.now()
      const ripe = due.filter(({ at }) => at <= now)
      if (ripe.length === 0) return
      due = due.filter(({ at }) => at > now)
      for (const { claim, what } of ripe) if (what === 'loss') simulation.world.machines.lose(claim)
      await Promise.all(ripe.flatMap(({ claim, what }) => (what === 'notice' ? [notify(claim)] : [])))
    },
  }

  async function notify(claim: NodeClaimName): Promise<void> {
    const isTaken = await simulation.perform((deps) => interrupt(deps, noticeOf(claim), NEVER))
    if (!isTaken) due.push({ at: later(simulation.clock.now(), durationMs(AGAIN_MS)), claim, what: 'notice' })
  }
}

function noticeOf(claim: NodeClaimName) {
  return { claim, saidBy: 'node', when: 'announced', eventId: `day-${claim}`, reason: 'a spot machine is taken' } as const
}
