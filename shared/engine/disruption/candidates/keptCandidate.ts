import type { Reason } from '../../../model/decision.ts'
import type { DisruptionCursor } from '../../../model/disruptionCursor.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'
import type { FleetSnapshot } from '../../cluster/fleetSnapshot.ts'
import type { CandidateWithCost } from './candidate.ts'
import type { BudgetsOf } from './podBudgets.ts'
import type { Trial } from './trial.ts'

/** A candidate that is kept between decisions, until its machine changes. */
export type KeptCandidate = CandidateWithCost & {
  /** Its position in the order in which candidates are tried. */
  readonly turn: DisruptionCursor
  /** From when its machine is quiet. Undefined if its pool never consolidates. */
  readonly quietAt: EpochMs | undefined
  readonly trial: Trial
  /** Answers about the candidate that later decisions use again. They go with the candidate. */
  readonly notes: Notes
}

type Notes = { verdict?: KeptVerdict }

/** The brake of drift is not part of a verdict: it depends on other machines of the pool. */
export type CandidateVerdict = {
  /** Why the machine stays, unless it goes for its drift. */
  readonly reason?: Reason
  /** True if no move of the machine may begin, whatever its state. */
  readonly isFrozen?: true
  /** True if the machine drifted and nothing protects it from going for its drift. */
  readonly mayDrift: boolean
  /** From when the machine is quiet, if nothing protects it and its pool consolidates. */
  readonly quietAt?: EpochMs
}

/** `rules`: the rules that the verdict was found by. */
export type KeptVerdict = { readonly rules: Rules; readonly verdict: CandidateVerdict }

/** What verdicts depend on beside the candidate. Equal rules are the same object. */
export type Rules = {
  readonly forbidden: string | undefined
  readonly calm: FleetSnapshot['settings']['calm']
  readonly podDisruptionBudget: readonly PodDisruptionBudget[]
  readonly budgetsOf: BudgetsOf
}
