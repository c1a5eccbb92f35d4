/** The limit on consolidation moves of a pool that begin within an hour. */
import type { Reason } from '../../model/decision.ts'
import type { BegunMove } from '../../model/disruptionCommand.ts'
import { CALM_ANNOTATION } from '../../model/labels.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import type { Sight } from '../cluster/sight.ts'
import { calmOf } from './calm.ts'
import { reasonOf, type Weighed } from './candidate.ts'
import { markOfMap } from './marks.ts'
import type { Move } from './move.ts'

const HOUR = durationMs(3_600_000)

export interface HourlyMoves {
  /** Why no other move of the machines may begin. Undefined if it may. */
  refusal(machines: readonly Weighed[]): Reason | undefined
  /** Records that one move of the machines begins. */
  begin(machines: readonly Weighed[]): void
  /** The times from which moves that were refused may begin. */
  wakes(): readonly EpochMs[]
  /** Returns a function that takes back the moves that begin after this call. */
  mark(): () => void
}

/** Reports whether a begun move still counts. */
export function isWithinHour({ beganAt }: BegunMove, now: EpochMs): boolean {
  return now < later(beganAt, HOUR)
}

export function hourlyMoves({ begunMoves = [], settings, takenAt }: Sight): HourlyMoves {
  const lately = begunMoves.filter((each) => isWithinHour(each, takenAt))
  const begun = new Map<NodePool, number>()
  const wakes = new Set<EpochMs>()

  function against({ claim, pool }: Weighed): Reason | undefined {
    const most = mostMovesOf(pool, settings)
    if (most === 0) return undefined
    const before = lately.flatMap(({ pools, beganAt }) => (pools.includes(pool.name) ? [beganAt] : [])).sort((one, other) => one - other)
    const count = before.length + (begun.get(pool) ?? 0)
    if (count < most) return undefined
    const from = later(before[count - most] ?? takenAt, HOUR)
    wakes.add(from)
    const seconds = Math.ceil((from - takenAt) / 1000)
    const message = `nodepool ${pool.name} lets moves of its nodes begin ${most} times an hour (${nameIn(pool)}); the next may begin in ${seconds} s`
    return reasonOf(claim, 'DISRUPTION.CALM', message, { most, begun: count, seconds })
  }

  return {
    refusal(machines) {
      for (const each of machines) {
        const reason = against(each)
        if (reason !== undefined) return reason
      }
      return undefined
    },
    begin(machines) {
      for (const pool of new Set(machines.map((each) => each.pool))) begun.set(pool, (begun.get(pool) ?? 0) + 1)
    },
    wakes: () => [...wakes],
    mark: () => markOfMap(begun),
  }
}

/** The moves to remember: those of pools with a limit. */
export function begunMovesOf(moves: readonly Move[], { settings, takenAt }: Sight): readonly BegunMove[] {
  return moves.flatMap(({ reason, candidates }): readonly BegunMove[] => {
    const pools = new Set(candidates.map(({ pool }) => pool))
    if (reason === 'Drifted' || ![...pools].some((pool) => mostMovesOf(pool, settings) > 0)) return []
    return [{ pools: [...pools].map(({ name }) => name).sort(), beganAt: takenAt }]
  })
}

function mostMovesOf(pool: NodePool, settings: Sight['settings']): number {
  const calm = calmOf(pool, settings)
  return 'problem' in calm ? 0 : calm.mostMovesAnHour
}

/** The setting that holds for the pool: its own annotation, or the setting of the app. */
function nameIn({ meta: { annotations } }: NodePool): string {
  return annotations[CALM_ANNOTATION.mostMovesAnHour] === undefined ? 'MOST_MOVES_AN_HOUR' : CALM_ANNOTATION.mostMovesAnHour
}
