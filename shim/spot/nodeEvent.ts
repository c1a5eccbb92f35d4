import { defined } from '../../shared/base/defined.ts'
import { clusterId, nodeName } from '../../shared/model/ids.ts'
import { epochMs } from '../../shared/model/units.ts'
import { printScheduledEvent, SCHEDULED_EVENT_TYPE, SCHEDULED_EVENT_VERSION } from '../../shared/wire/eventGrid.ts'
import type { ScheduledEvent } from './scheduledEvents.ts'

/** A CloudEvent, which is the input schema of the topic. */
export type NodeEvent = {
  /** Same event, same id, whoever sends it and however often. */
  readonly id: string
  readonly type: string
  readonly source: string
  readonly subject: string
  readonly time: Date
  readonly extensionAttributes: { readonly dataversion: string }
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
    type: SCHEDULED_EVENT_TYPE,
    source: `joiner/clusters/${cluster}`,
    subject: `clusters/${cluster}/nodes/${node}`,
    time: new Date(now),
    extensionAttributes: { dataversion: SCHEDULED_EVENT_VERSION },
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

/** Events go to every machine of a placement group: only those that name this one count. */
export function concerns(event: ScheduledEvent, node: string): boolean {
  return event.resources.some((resource) => resource.toLowerCase() === node.toLowerCase())
}
