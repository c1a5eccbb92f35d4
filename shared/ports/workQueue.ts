import type { NodeClaimName } from '../model/ids.ts'
import type { EpochMs } from '../model/units.ts'
import type { ClaimRequest, DecideRequest } from '../model/work.ts'

/**
 * The work of one cluster in this process, by key: `decide`, and `claim/NAME` for each claim. A key is there once, however often it is added, and never
 * runs twice at a time. What the requests of a key say is kept until its next run. All of it is lost if the process dies: the timer finds the work again.
 */
export interface WorkQueue {
  /** Adds the key `decide`. It runs when the batch window closes. */
  decide(request: DecideRequest): void
  /** Adds the key `decide` for a time. Of several times the earliest counts: the decision that it brings asks for the next one. */
  decideAt(at: EpochMs): void
  /** Adds the key `decide` for each of the times, in the place of earlier such times. */
  decideAtEach(times: readonly EpochMs[]): void
  /** Adds the key `decide` with back-off: a decision could not be made, or not be carried out in full. */
  retryDecide(): void
  /** Ends the back-off of the key `decide`. */
  forgetDecide(): void
  /** Adds the key of a claim. */
  reconcile(request: ClaimRequest, delayMs?: number): void
  /** Reports whether this process runs the claim by itself, soon and until nothing is left to do. */
  follows(claim: NodeClaimName): boolean
  /** Reports whether the process ends: it begins no more work. */
  isShuttingDown(): boolean
}
