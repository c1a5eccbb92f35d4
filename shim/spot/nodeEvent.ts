import { defined } from '../../shared/base/defined.ts'
import type { ScheduledEvent } from './scheduledEvents.ts'

/** The Event Grid event `Joiner.NodeScheduledEvent`. */
export const NODE_EVENT_TYPE = 'Joiner.NodeScheduledEvent'
export const NODE_EVENT_VERSION = '1'

export type NodeEvent = {
  /** Same event, same id, whoever sends it and however often. */
  readonly id: string
  readonly eventType: typeof NODE_EVENT_TYPE
  readonly dataVersion: typeof NODE_EVENT_VERSION
  readonly subject: string
  readonly eventTime: Date
  readonly data: NodeEventData
}

export type NodeEventData = {
  readonly cluster: string
  readonly node: string
  readonly eventId: string
  readonly eventType: string
  /** The machine goes away. False: it is only paused, restarted or moved. */
  readonly endsNode: boolean
  readonly notBefore?: string
  readonly resources: readonly string[]
}

const ENDS_NODE: ReadonlySet<string> = new Set(['Preempt', 'Terminate'])

export type NodeEventSource = { readonly cluster: string; readonly node: string; readonly now: number }

export function nodeEventOf(event: ScheduledEvent, { cluster, node, now }: NodeEventSource): NodeEvent {
  const { eventId, eventType, resources } = event
  const at = Date.parse(event.notBefore)
  const notBefore = Number.isFinite(at) ? new Date(at).toISOString() : undefined
  return {
    id: `${cluster}/${node}/${eventId}`,
    eventType: NODE_EVENT_TYPE,
    dataVersion: NODE_EVENT_VERSION,
    subject: `clusters/${cluster}/nodes/${node}`,
    eventTime: new Date(now),
    data: { cluster, node, eventId, eventType, endsNode: ENDS_NODE.has(eventType), ...defined({ notBefore }), resources },
  }
}

/** Events go to every machine of a placement group: only those that name this one count. */
export function concerns(event: ScheduledEvent, node: string): boolean {
  return event.resources.some((resource) => resource.toLowerCase() === node.toLowerCase())
}
