import type { ClaimMessage, Doorbell } from '../model/message.ts'
import type { AbortSignalLike } from './clock.ts'

/** Hints for later or for others: at least once, in no order. A delay beyond `LONGEST_DELAY` is cut to it. */
export interface WorkQueue {
  ring(doorbell: Doorbell, delayMs: number, signal: AbortSignalLike): Promise<unknown>
  send(message: ClaimMessage, delayMs: number, signal: AbortSignalLike): Promise<unknown>
}

/** A message that waits in the queue. */
export interface StoredMessage {
  /** Takes it back, so that nobody gets it. One that somebody has by now is theirs: then nothing is done. */
  takeBack(signal: AbortSignalLike): Promise<void>
}

/** A queue that outlives its processes, and knows what it was given. */
export interface StoredQueue extends WorkQueue {
  ring(doorbell: Doorbell, delayMs: number, signal: AbortSignalLike): Promise<StoredMessage>
  send(message: ClaimMessage, delayMs: number, signal: AbortSignalLike): Promise<StoredMessage>
}
