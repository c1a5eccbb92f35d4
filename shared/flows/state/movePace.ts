import type { DecisionContext } from '../../engine/scheduling/snapshot/decisionContext.ts'
import type { Decision } from '../../model/decision.ts'
import { durationMs, later } from '../../model/units.ts'

/** When the disruption of nodes with pods is planned next, and after which node it goes on. */
export type MovePace = Pick<DecisionContext, 'movesFrom' | 'movesAfter'>

/** The time between two rounds over all nodes. Karpenter's disruption controller polls at the same interval if nothing happens. */
const BETWEEN_ROUNDS = durationMs(10_000)

/** The pace after a decision. While nodes of the round wait for their turn, the next decision plans disruption again. */
export function paceAfter({ takenAt, movesFrom, movesAfter }: DecisionContext, { turn }: Decision): MovePace {
  if (movesFrom !== undefined && movesFrom > takenAt) return { movesFrom, ...(movesAfter === undefined ? {} : { movesAfter }) }
  return turn === undefined ? { movesFrom: later(takenAt, BETWEEN_ROUNDS) } : { movesAfter: turn }
}
