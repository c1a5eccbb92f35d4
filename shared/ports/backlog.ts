import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from './clock.ts'

/** The length of a queue. */
export type QueueBacklog = {
  readonly queue: string
  /** Approximate number of messages. Includes delayed messages and messages that a consumer has taken. */
  readonly messages: number
  /** When the message that has waited longest became available. Undefined if no message is available now. */
  readonly waitsSince?: EpochMs
}

/** The lengths of the queues of all clusters. */
export interface Backlog {
  /** Makes one request for each queue, and one more for each queue that is not empty. */
  look(signal: AbortSignalLike): Promise<readonly QueueBacklog[]>
}
