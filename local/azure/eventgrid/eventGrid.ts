import type { TokenIssuer } from '../entra/tokens.ts'
import type { HttpAnswer, HttpRequest } from '../httpServer.ts'
import { isRecord, textAt } from '../json.ts'
import type { Timeline } from '../timeline.ts'
import type { CloudEvent, Subscription } from './cloudEvent.ts'
import { deliver, handshake } from './delivery.ts'

export type DeadLetter = { readonly subscription: string; readonly event: CloudEvent; readonly attempts: number; readonly reason: string }

export interface EventGrid {
  respond(request: HttpRequest): Promise<HttpAnswer>
  /** Shakes hands with the endpoint first; the reason when it refuses. */
  subscribe(subscription: Subscription): Promise<{ readonly refused?: string }>
  publish(topic: 'custom' | 'health', event: CloudEvent): void
  readonly deadLetters: readonly DeadLetter[]
  readonly published: readonly CloudEvent[]
}

/** Waits before the next attempt, in emulated milliseconds. */
const RETRY_MS = [10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000]
const NO_RETRY = [400, 401, 413]

export function createEventGrid(topicKey: string, issuer: TokenIssuer, timeline: Timeline): EventGrid {
  const subscriptions = new Map<string, Subscription>()
  const deadLetters: DeadLetter[] = []
  const published: CloudEvent[] = []
  const attempt = async (subscription: Subscription, event: CloudEvent, count: number): Promise<void> => {
    const outcome = await deliver(subscription, event, count)
    if (outcome.ok) return
    const isLast = count + 1 >= (subscription.maxDeliveryAttempts ?? 30) || NO_RETRY.includes(outcome.status)
    if (isLast) deadLetters.push({ subscription: subscription.name, event, attempts: count + 1, reason: outcome.reason })
    else timeline.after(RETRY_MS[count] ?? 43_200_000, () => void attempt(subscription, event, count + 1))
  }
  const publish: EventGrid['publish'] = (topic, event) => {
    published.push(event)
    for (const subscription of subscriptions.values()) if (wants(subscription, topic, event)) void attempt(subscription, event, 0)
  }
  return {
    deadLetters,
    published,
    publish,
    async subscribe(subscription) {
      const refused = await handshake(subscription)
      if (refused !== undefined) return { refused }
      subscriptions.set(subscription.name, subscription)
      return {}
    },
    async respond(request) {
      if (request.url.pathname !== '/api/events' || request.method !== 'POST')
        return problem(404, `events are posted to /api/events, not ${request.method} ${request.url.pathname}`)
      const refused = await unauthorised(request, topicKey, issuer)
      if (refused !== undefined) return problem(401, refused)
      if (request.url.searchParams.get('api-version') !== '2018-01-01') return problem(400, 'api-version must be 2018-01-01')
      const events = eventsOf(request)
      if (typeof events === 'string') return problem(400, events)
      for (const event of events) publish('custom', event)
      return { status: 200 }
    },
  }
}

function wants(subscription: Subscription, topic: 'custom' | 'health', event: CloudEvent): boolean {
  return (
    (subscription.topics ?? [topic]).includes(topic) &&
    (subscription.includedEventTypes ?? [event.type]).includes(event.type) &&
    (event.subject ?? '').startsWith(subscription.subjectBeginsWith ?? '')
  )
}

async function unauthorised(request: HttpRequest, key: string, issuer: TokenIssuer): Promise<string | undefined> {
  const given = request.headers['aeg-sas-key']
  if (given !== undefined) return given === key ? undefined : 'the key in aeg-sas-key is wrong'
  const claims = await issuer.check(request.headers.authorization, ['https://eventgrid.azure.net'])
  return 'refused' in claims ? claims.refused : undefined
}

/** The topic takes CloudEvents, one or many. */
function eventsOf(request: HttpRequest): readonly CloudEvent[] | string {
  if (!/application\/cloudevents(-batch)?\+json/.test(request.headers['content-type'] ?? '')) {
    return `this topic takes application/cloudevents+json and application/cloudevents-batch+json, not ${request.headers['content-type']}`
  }
  const parsed: unknown = JSON.parse(request.body)
  const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  const events = list.map(eventOf)
  return events.every((event) => event !== undefined) ? events : 'each event needs specversion 1.0, id, source and type'
}

function eventOf(value: unknown): CloudEvent | undefined {
  const [id, source, type] = [textAt(value, 'id'), textAt(value, 'source'), textAt(value, 'type')]
  if (!isRecord(value) || id === undefined || source === undefined || type === undefined || value['specversion'] !== '1.0') return undefined
  return { ...value, id, source, type }
}

function problem(status: number, message: string): HttpAnswer {
  return { status, body: { error: { code: status === 401 ? 'Unauthorized' : 'BadRequest', message } } }
}
