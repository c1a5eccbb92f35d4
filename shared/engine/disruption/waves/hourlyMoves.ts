/** The limit on consolidation moves of a pool that begin within an hour. */
import { remembered } from '../../../base/remembered.ts'
import type { Reason } from '../../../model/decision.ts'
import type { BegunMove } from '../../../model/disruptionCommand.ts'
import type { NodePool } from '../../../model/nodePool.ts'
import { durationMs, type EpochMs, later } from '../../../model/units.ts'
import type { FleetSnapshot } from '../../cluster/fleetSnapshot.ts'
import { type CandidateWithCost, reasonOf } from '../candidates/candidate.ts'
import { markOfMap } from '../candidates/marks.ts'
import type { Move } from '../moves/move.ts'
import type { MoveRule } from '../moves/moveRule.ts'
import { calmSetting, nameOfSetting } from './calm.ts'

const HOUR = durationMs(3_600_000)

/** Reports whether a begun move still counts. */
export function isWithinHour({ beganAt }: BegunMove, now: EpochMs): boolean {
  return now < later(beganAt, HOUR)
}

export function hourlyMoves({ begunMoves = [], settings, takenAt }: FleetSnapshot): MoveRule {
  const lately = begunMoves.filter((each) => isWithinHour(each, takenAt))
  const begun = new Map<NodePool, number>()
  const wakes = new Set<EpochMs>()

  // Every candidate of a decision is asked, and pools are few.
  const limitOf = remembered((pool: NodePool) => calmSetting(pool, 'mostMovesAnHour', settings))

  function against({ claim, pool }: CandidateWithCost): Reason | undefined {
    const most = limitOf(pool)
    if (most === 0) return undefined
    const before = lately.flatMap(({ pools, beganAt }) => (pools.includes(pool.name) ? [beganAt] : [])).sort((one, other) => one - other)
    const count = before.length + (begun.get(pool) ?? 0)
    if (count < most) return undefined
    const from = later(before[count - most] ?? takenAt, HOUR)
    wakes.add(from)
    const seconds = Math.ceil((from - takenAt) / 1000)
    const message = `nodepool ${pool.name} lets moves of its nodes begin ${most} times an hour (${nameOfSetting(pool, 'mostMovesAnHour')}); the next may begin in ${seconds} s`
    return reasonOf(claim, 'DISRUPTION.CALM', message, { most, begun: count, seconds })
  }

  return {
    holdsNone: (pool, reason) => reason === 'Drifted' || limitOf(pool) === 0,
    refusal({ candidates, reason }) {
      if (reason === 'Drifted') return undefined
      for (const each of candidates) {
        const refused = against(each)
        if (refused !== undefined) return refused
      }
      return undefined
    },
    begin({ candidates, reason }) {
      if (reason === 'Drifted') return
      for (const pool of new Set(candidates.map((each) => each.pool))) begun.set(pool, (begun.get(pool) ?? 0) + 1)
    },
    wakes: () => [...wakes],
    mark: () => markOfMap(begun),
  }
}

/** The moves to remember: those of pools with a limit. */
export function begunMovesOf(moves: readonly Move[], { settings, takenAt }: FleetSnapshot): readonly BegunMove[] {
  return moves.flatMap(({ reason, candidates }): readonly BegunMove[] => {
    const pools = new Set(candidates.map(({ pool }) => pool))
    if (reason === 'Drifted' || ![...pools].some((pool) => calmSetting(pool, 'mostMovesAnHour', settings) > 0)) return []
    return [{ pools: [...pools].map(({ name }) => name).sort(), beganAt: takenAt }]
  })
}
