import { defined } from '../../shared/base/values.ts'
import { clusterId, nodeName } from '../../shared/model/ids.ts'
import { epochMs } from '../../shared/model/units.ts'
import { printScheduledEvent, SCHEDULED_EVENT_TYPE, SCHEDULED_EVENT_VERSION } from '../../shared/wire/eventGrid.ts'
import type { ScheduledEvent } from './scheduledEvents.ts'

/** An event in Event Grid's own schema. Event Grid adds the topic, by which the app identifies the cluster. */
export type NodeEvent = {
  /** The same for every repeat of one scheduled event on one node. */
  readonly id: string
  readonly eventType: string
  readonly subject: string
  readonly eventTime: Date
  readonly dataVersion: string
  readonly data: object
}

const ENDS_NODE: ReadonlySet<string> = new Set(['Preempt', 'Terminate'])

export type NodeEventSource = { readonly cluster: string; readonly node: string; readonly now: number }

export function nodeEventOf(event: ScheduledEvent, { cluster, node, now }: NodeEventSource): NodeEvent {
  const { eventId, eventType, resources } = event
  const at = Date.parse(event.notBefore)
  const notBefore = Number.isFinite(at) ? epochMs(at) : undefined
  const endsNode = ENDS_NODE.has(eventType)
  return {
    id: `${cluster}/${node}/${eventId}`,
    eventType: SCHEDULED_EVENT_TYPE,
    subject: `clusters/${cluster}/nodes/${node}`,
    eventTime: new Date(now),
    dataVersion: SCHEDULED_EVENT_VERSION,
    data: printScheduledEvent({
      cluster: clusterId(cluster),
      node: nodeName(node),
      eventId,
      eventType,
      endsNode,
      resources,
      ...defined({ notBefore }),
    }),
  }
}

/** Reports whether the event names this node. All machines of a placement group see the events of all its machines. */
export function concerns(event: ScheduledEvent, node: string): boolean {
  return event.resources.some((resource) => resource.toLowerCase() === node.toLowerCase())
}
