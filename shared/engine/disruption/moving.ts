import type { Reason } from '../../model/decision.ts'
import type { DisruptionCursor } from '../../model/disruptionCursor.ts'
import type { EpochMs } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleetSnapshot.ts'
import type { IdleMachines } from './methods/idleMachines.ts'
import type { Move } from './moves/move.ts'
import type { NextWave } from './nextWave.ts'
import type { PlannedMachine } from './planned/plannedTaints.ts'
import type { Planner } from './verdicts/classifyCandidates.ts'
import type { TriedLooks } from './verdicts/triedLooks.ts'
import type { Waiting } from './verdicts/waitingReasons.ts'
import type { Wave } from './waves/wave.ts'

/** What moves of machines with pods are planned with. */
export type Moving = {
  readonly snapshot: FleetSnapshot
  readonly planner: Planner
  readonly wave: Wave
  readonly refuse: (reason: Reason) => void
  /** The moves that the same decision has begun already. */
  readonly begun: readonly Move[]
  readonly triedLooks: TriedLooks
  readonly idle: IdleMachines
  /** The machines with the taint of planned nodes. Undefined if no machine gets the taint. */
  readonly planned: readonly PlannedMachine[] | undefined
}

/** `turn`: see `Decision.turn`. `wakes`: the times from which more machines may go. */
export type Moves = {
  readonly moves: readonly Move[]
  readonly wakes: readonly EpochMs[]
  readonly turn: DisruptionCursor | undefined
  /** Machines that are not tried by this decision, and why: it places pods first, or their turn comes later. In the order of their turns. */
  readonly waiting: Waiting
  /** The machines that go next. Undefined if this decision does not tell. */
  readonly next?: NextWave
}
