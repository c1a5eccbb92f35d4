import type { NodeClaimName } from '../model/ids.ts'
import type { ClaimMessage, Doorbell } from '../model/message.ts'
import type { AbortSignalLike } from './clock.ts'

/**
 * Messages to be worked on later or by other processes, in no order. A delay beyond `LONGEST_DELAY` is cut to it. A queue that stores messages
 * delivers each at least once. A message that a process works on by itself is lost if the process dies.
 */
export interface WorkQueue {
  ring(doorbell: Doorbell, delayMs: number, signal: AbortSignalLike): Promise<void>
  send(message: ClaimMessage, delayMs: number, signal: AbortSignalLike): Promise<void>
  /**
   * Reports whether this process will look at the claim by itself, soon and until nothing is left to do. Undefined on a queue that only stores
   * messages.
   */
  follows?(claim: NodeClaimName): boolean
  /** Reports whether this process will work on the next messages by itself. Undefined on a queue that only stores messages. */
  hasRoom?(): boolean
}
