import type { DecisionContext } from '../../engine/scheduling/snapshot/decisionContext.ts'
import type { Decision } from '../../model/decision.ts'
import { durationMs, later } from '../../model/units.ts'

/** When moves of nodes with pods are planned next, and which machine has the first turn. */
export type MovePace = Pick<DecisionContext, 'movesFrom' | 'movesAfter'>

/** From one round to the next, in which every machine had its turn: Karpenter plans moves as often where nothing happens. */
const BETWEEN_ROUNDS = durationMs(10_000)

/** How it goes on after a decision. While machines wait for their turn, the next decision plans moves again. */
export function paceAfter({ takenAt, movesFrom, movesAfter }: DecisionContext, { turn }: Decision): MovePace {
  if (movesFrom !== undefined && movesFrom > takenAt) return { movesFrom, ...(movesAfter === undefined ? {} : { movesAfter }) }
  return turn === undefined ? { movesFrom: later(takenAt, BETWEEN_ROUNDS) } : { movesAfter: turn }
}
