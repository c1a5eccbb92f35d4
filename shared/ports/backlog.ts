import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from './clock.ts'

/** How much of a queue is not done. */
export type QueueBacklog = {
  readonly queue: string
  /** All there are, about: those that wait for their time and those somebody works on too. */
  readonly messages: number
  /** When the one that waits longest could first be taken. Absent where none can be taken now. */
  readonly waitsSince?: EpochMs
}

/** What waits in the queues of all clusters. */
export interface Backlog {
  /** One request for each queue, and one more for each that is not empty. */
  look(signal: AbortSignalLike): Promise<readonly QueueBacklog[]>
}
