import type { EventDelivery } from './appDeps.ts'
import { INTERRUPTION_QUEUE } from './interruption.ts'

/** Queues that the app sends to. */
export const WORK_QUEUES = ['reconcile', 'nodeclaim'] as const

/** Returns the other queues that functions read. The Functions host and Event Grid send to them. */
export function otherQueues(eventDelivery: EventDelivery): readonly string[] {
  return eventDelivery === 'queue' ? [INTERRUPTION_QUEUE, `${INTERRUPTION_QUEUE}-poison`] : []
}

/**
 * What an earlier version used for explanations and for work that failed. The host makes a poison queue of `WORK_QUEUES` again for a message over
 * which processes died. Nobody reads it.
 */
export const RETIRED = {
  queues: ['explain', 'explain-poison', ...WORK_QUEUES.map((queue) => `${queue}-poison`)],
  blobs: ['explanations/'],
}
