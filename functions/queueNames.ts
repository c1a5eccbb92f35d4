import type { EventDelivery } from './appDeps.ts'
import { INTERRUPTION_QUEUE } from './interruption.ts'

/** The queue by which a process that ends hands its work over. */
export const WAKE_QUEUE = 'wake'

/** Returns the queues that functions read. The Functions host and Event Grid send to the queues of events. */
export function queueNames(eventDelivery: EventDelivery): readonly string[] {
  return eventDelivery === 'queue' ? [WAKE_QUEUE, INTERRUPTION_QUEUE, `${INTERRUPTION_QUEUE}-poison`] : [WAKE_QUEUE]
}

const FORMER = ['explain', 'reconcile', 'nodeclaim']

/**
 * What an earlier version used for explanations, for messages about work, and for work that failed. The timer finds the work of their messages. The host
 * makes the poison queue of `WAKE_QUEUE` for a message over which processes died. Nobody reads it.
 */
export const RETIRED = {
  queues: [...FORMER, ...[...FORMER, WAKE_QUEUE].map((queue) => `${queue}-poison`)],
  blobs: ['explanations/'],
}
