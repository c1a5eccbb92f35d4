import type { KubeApi } from './client/api.ts'
import type { Meta } from './client/objects.ts'
import { EVENTS } from './client/resource.ts'
import { timestamp } from './podState.ts'

export type EventText = { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string }

/** Writes events about objects. The same event within ten minutes only raises the count. A failure is logged, never thrown. */
export interface EventRecorder {
  record(subject: EventSubject, event: EventText): void
}

export type EventSubject = { readonly apiVersion: string; readonly kind: string; readonly metadata: Meta }

const SAME_NEWS_MS = 600_000

type Written = { readonly name: string; count: number; readonly at: number }

export function createEventRecorder(api: KubeApi, component: string, log: (line: string) => void): EventRecorder {
  const written = new Map<string, Written>()
  const write = async (subject: EventSubject, event: EventText) => {
    const now = Date.now()
    for (const [key, { at }] of written) if (now - at > SAME_NEWS_MS) written.delete(key)
    const key = JSON.stringify([subject.kind, subject.metadata.uid, event.reason, event.message])
    const namespace = subject.metadata.namespace ?? 'default'
    const known = written.get(key)
    if (known !== undefined) {
      known.count++
      const patch = { count: known.count, lastTimestamp: timestamp() }
      const answer = await api.patch(EVENTS, { namespace, name: known.name }, patch, 'merge')
      if (!answer.ok) written.delete(key)
      return
    }
    const name = `${subject.metadata.name}.${now.toString(16)}${written.size.toString(16)}`
    written.set(key, { name, count: 1, at: now })
    const answer = await api.create(EVENTS, eventObject(subject, event, { name, namespace, component }), namespace)
    if (!answer.ok) {
      written.delete(key)
      log(`event ${event.reason} for ${subject.kind.toLowerCase()}/${subject.metadata.name}: ${answer.error.message}`)
    }
  }
  return { record: (subject, event) => void write(subject, event) }
}

function eventObject(
  subject: EventSubject,
  event: EventText,
  place: { readonly name: string; readonly namespace: string; readonly component: string },
): object {
  const { name, namespace, component } = place
  const { metadata } = subject
  return {
    metadata: { name, namespace },
    involvedObject: {
      apiVersion: subject.apiVersion,
      kind: subject.kind,
      name: metadata.name,
      uid: metadata.uid,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    },
    ...event,
    count: 1,
    firstTimestamp: timestamp(),
    lastTimestamp: timestamp(),
    source: { component },
    reportingComponent: component,
    reportingInstance: component,
  }
}
