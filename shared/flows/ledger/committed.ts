import type { Decision } from '../../model/decision.ts'
import type { Ledger } from '../../model/ledger.ts'
import type { CaughtUp } from '../state/catchUp.ts'
import type { DecisionInput } from './decisionInput.ts'

/** A decision that may be carried out, because it is saved in the ledger. */
export type Committed = {
  /** The ledger as saved. Its newest intents are the claims of the decision. */
  readonly ledger: Ledger
  readonly etag: string | undefined
  readonly snapshot: DecisionInput
  readonly decided: Decision
  readonly decideMs: number
  readonly caughtUp: CaughtUp
}

/** The outcome of carrying out a part of a decision. */
export type Progress = {
  readonly ledger: Ledger
  /** False if something was refused and must be tried again. */
  readonly isDone: boolean
}
