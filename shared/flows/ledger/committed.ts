import type { Decision } from '../../model/decision.ts'
import type { Ledger } from '../../model/ledger.ts'
import type { CaughtUp } from '../state/catchUp.ts'
import type { Look } from './look.ts'

/** A decision that may be carried out: the ledger has it. */
export type Committed = {
  /** As committed; its newest intents are the decision's claims. */
  readonly ledger: Ledger
  readonly etag: string | undefined
  readonly snapshot: Look
  readonly decided: Decision
  readonly decideMs: number
  readonly caughtUp: CaughtUp
}

/** The ledger after a part of a decision was carried out. */
export type Progress = {
  readonly ledger: Ledger
  /** False when something was refused, and is to be tried again. */
  readonly isDone: boolean
}
