import type { NodeClaimName } from '../model/ids.ts'
import type { ClaimMessage, Doorbell } from '../model/message.ts'
import type { AbortSignalLike } from './clock.ts'

/**
 * Hints for later or for others, in no order. A delay beyond `LONGEST_DELAY` is cut to it. A queue that stores them gives each at least once; what a
 * process works on by itself is lost with the process.
 */
export interface WorkQueue {
  ring(doorbell: Doorbell, delayMs: number, signal: AbortSignalLike): Promise<void>
  send(message: ClaimMessage, delayMs: number, signal: AbortSignalLike): Promise<void>
  /** Whether this process will look at the claim by itself, soon and until nothing is left to do. A queue that only stores does not say. */
  follows?(claim: NodeClaimName): boolean
  /** Whether this process will work on the next messages by itself. A queue that only stores does not say. */
  hasRoom?(): boolean
}
