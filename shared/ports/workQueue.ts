import type { ClaimMessage, Doorbell } from '../model/message.ts'
import type { AbortSignalLike } from './clock.ts'

/** Hints for later or for others: at least once, in no order. A delay beyond `LONGEST_DELAY` is cut to it. */
export interface WorkQueue {
  ring(doorbell: Doorbell, delayMs: number, signal: AbortSignalLike): Promise<void>
  send(message: ClaimMessage, delayMs: number, signal: AbortSignalLike): Promise<void>
}
