import type { DecisionContext } from '../../engine/scheduling/snapshot/decisionContext.ts'
import type { Decision } from '../../model/decision.ts'
import { durationMs, later } from '../../model/units.ts'

/** When the disruption of nodes with pods is planned next, and after which node it goes on. */
export type DisruptionPace = Pick<DecisionContext, 'disruptionResumesAt' | 'disruptionCursor'>

/** The time between two rounds over all nodes. Karpenter's disruption controller polls at the same interval if nothing happens. */
const BETWEEN_ROUNDS = durationMs(10_000)

/** The pace after a decision. While nodes of the round wait for their turn, the next decision plans disruption again. */
export function paceAfter({ takenAt, disruptionResumesAt, disruptionCursor }: DecisionContext, { turn }: Decision): DisruptionPace {
  if (disruptionResumesAt !== undefined && disruptionResumesAt > takenAt)
    return { disruptionResumesAt, ...(disruptionCursor === undefined ? {} : { disruptionCursor }) }
  return turn === undefined ? { disruptionResumesAt: later(takenAt, BETWEEN_ROUNDS) } : { disruptionCursor: turn }
}
