import type { Retired } from '../shared/adapters/storage/retired.ts'
import type { EventDelivery } from './appDeps.ts'
import { INTERRUPTION_QUEUE } from './interruption.ts'

/** Queues that the app sends to. */
export const WORK_QUEUES = ['reconcile', 'nodeclaim'] as const

/** Returns the other queues that functions read. The Functions host and Event Grid send to them. */
export function otherQueues(eventDelivery: EventDelivery): readonly string[] {
  const others = eventDelivery === 'queue' ? [INTERRUPTION_QUEUE] : []
  return [...others, ...[...WORK_QUEUES, ...others].map((queue) => `${queue}-poison`)]
}

/** What the app of version 0.1 used for explanations. */
export const RETIRED: Retired = { queues: ['explain', 'explain-poison'], blobs: ['explanations/'] }
