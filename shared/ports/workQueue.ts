import type { NodeClaimName } from '../model/ids.ts'
import type { ClaimMessage, Doorbell } from '../model/message.ts'
import type { AbortSignalLike } from './clock.ts'

/** Hints for later or for others: at least once, in no order. A delay beyond `LONGEST_DELAY` is cut to it. */
export interface WorkQueue {
  ring(doorbell: Doorbell, delayMs: number, signal: AbortSignalLike): Promise<void>
  send(message: ClaimMessage, delayMs: number, signal: AbortSignalLike): Promise<void>
  /** Whether this process will look at the claim by itself, soon and until nothing is left to do. A queue that only stores does not say. */
  follows?(claim: NodeClaimName): boolean
}
