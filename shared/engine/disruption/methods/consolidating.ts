import type { DecisionSettings } from '../../../model/clusterSnapshot.ts'
import type { Reason } from '../../../model/decision.ts'
import type { NodePool } from '../../../model/nodePool.ts'
import type { Relocation, RemovalTrial } from '../../scheduling/relocation/relocation.ts'
import type { Move } from '../moves/move.ts'
import type { Wave } from '../waves/wave.ts'
import type { Totals } from './balance.ts'
import type { IdleMachines } from './idleMachines.ts'

export type Consolidating = {
  readonly relocation: () => Relocation
  readonly wave: Wave
  readonly totals: (pool: NodePool) => Totals
  readonly idle: IdleMachines
  readonly settings: Pick<DecisionSettings, 'calm'>
  readonly refuse: (reason: Reason) => void
  /** Reports whether the steps of the decision are used up. Optional searches end then. */
  readonly isSpent: () => boolean
  /** Functions that take back the kept moves. They are called in reverse order. */
  readonly kept: (() => void)[]
}

/** Begins the move. No other move may count on its machines, nor on the machines that get its pods. */
export function keep(move: Move, trial: RemovalTrial, { wave, kept }: Consolidating): Move {
  wave.take(move.candidates, move)
  const onto = [...trial.receivingMachines()]
  wave.fill(onto)
  kept.push(trial.keep())
  return { ...move, receivingMachines: onto }
}
