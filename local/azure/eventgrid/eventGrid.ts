import type { TokenIssuer } from '../entra/tokens.ts'
import type { HttpAnswer, HttpRequest } from '../httpServer.ts'
import { isRecord, textAt } from '../json.ts'
import type { Timeline } from '../timeline.ts'
import { deliver, handshake } from './delivery.ts'
import type { DeadLetter, GridEvent, Subscription } from './gridEvent.ts'

export interface EventGrid {
  respond(request: HttpRequest): Promise<HttpAnswer>
  /** Makes the handshake with the endpoint first. Returns the reason if the endpoint refuses. */
  subscribe(subscription: Subscription): Promise<{ readonly refused?: string }>
  publish(topic: 'custom' | 'health', event: GridEvent): void
  readonly deadLetters: readonly DeadLetter[]
  readonly published: readonly GridEvent[]
}

/** Waits before the next attempt, in emulated milliseconds. */
const RETRY_MS = [10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000]
const NO_RETRY = [400, 401, 413]

/** A custom topic. Each event that is published to it gets its `id` as topic. Without a key it takes Entra tokens. */
export type Topic = { readonly id: string; readonly key?: string }

export type EventGridOptions = {
  /** Returns the topic whose endpoint has this host name. Undefined if there is none. */
  readonly topicOf: (host: string) => Topic | undefined
  /** Returns why this principal may not publish to the topic. Undefined if it may. */
  readonly refusalOf: (topic: Topic, principalId: string) => string | undefined
  /** Returns the subscriptions that a deployment made, in addition to those of `subscribe`. */
  readonly madeSubscriptions: () => readonly Subscription[]
  readonly issuer: TokenIssuer
  readonly timeline: Timeline
}

export function createEventGrid({ topicOf, refusalOf, madeSubscriptions, issuer, timeline }: EventGridOptions): EventGrid {
  const subscriptions = new Map<string, Subscription>()
  const deadLetters: DeadLetter[] = []
  const published: GridEvent[] = []
  const attempt = async (subscription: Subscription, event: GridEvent, count: number): Promise<void> => {
    const outcome = await deliver(subscription, event, count)
    if (outcome.ok) return
    const isLast = count + 1 >= (subscription.maxDeliveryAttempts ?? 30) || NO_RETRY.includes(outcome.status)
    if (isLast) {
      const letter = { subscription: subscription.name, event, attempts: count + 1, reason: outcome.reason }
      deadLetters.push(letter)
      await subscription.keepDead?.(letter)
    } else timeline.after(RETRY_MS[count] ?? 43_200_000, () => void attempt(subscription, event, count + 1))
  }
  const publish: EventGrid['publish'] = (from, event) => {
    published.push(event)
    for (const subscription of [...subscriptions.values(), ...madeSubscriptions()])
      if (wants(subscription, from, event)) void attempt(subscription, event, 0)
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
      const topic = topicOf((request.headers.host ?? '').replace(/:\d+$/, ''))
      if (topic === undefined) return problem(404, `there is no topic ${request.headers.host}`)
      const refused = await unauthorised(request, topic, issuer, refusalOf)
      if (refused !== undefined) return problem(401, refused)
      if (request.url.searchParams.get('api-version') !== '2018-01-01') return problem(400, 'api-version must be 2018-01-01')
      const events = eventsOf(request, topic.id)
      if (typeof events === 'string') return problem(400, events)
      for (const event of events) publish('custom', event)
      return { status: 200 }
    },
  }
}

function wants(subscription: Subscription, topic: 'custom' | 'health', event: GridEvent): boolean {
  return (
    (subscription.topics ?? [topic]).includes(topic) &&
    (subscription.includedEventTypes ?? [event.eventType]).includes(event.eventType) &&
    event.subject.startsWith(subscription.subjectBeginsWith ?? '') &&
    (subscription.filter?.(event) ?? true)
  )
}

async function unauthorised(
  request: HttpRequest,
  topic: Topic,
  issuer: TokenIssuer,
  refusalOf: EventGridOptions['refusalOf'],
): Promise<string | undefined> {
  const given = request.headers['aeg-sas-key']
  if (given !== undefined) return given === topic.key ? undefined : 'the key in aeg-sas-key is wrong'
  const claims = await issuer.check(request.headers.authorization, ['https://eventgrid.azure.net'])
  return 'refused' in claims ? claims.refused : refusalOf(topic, claims.oid)
}

/** The topic accepts a list in the Event Grid schema, and writes itself into each event. */
function eventsOf(request: HttpRequest, topic: string): readonly GridEvent[] | string {
  const type = request.headers['content-type']
  if (!/^application\/json(;|$)/.test(type ?? '')) return `this topic takes the Event Grid schema as application/json, not ${type}`
  const list: unknown = JSON.parse(request.body)
  if (!Array.isArray(list)) return 'the body must be a list of events'
  if (list.some((each) => ![undefined, topic].includes(textAt(each, 'topic')))) return `topic is written by the service; it is ${topic}`
  const events = list.map((each) => eventOf(each, topic))
  return events.every((event) => event !== undefined) ? events : 'each event needs id, subject, eventType, eventTime and dataVersion'
}

function eventOf(value: unknown, topic: string): GridEvent | undefined {
  const text = (name: string) => textAt(value, name)
  const [id, subject, eventType, eventTime, dataVersion] = [
    text('id'),
    text('subject'),
    text('eventType'),
    text('eventTime'),
    text('dataVersion'),
  ]
  if (!isRecord(value) || !id || subject === undefined || !eventType || !eventTime || dataVersion === undefined) return undefined
  return { id, topic, subject, eventType, eventTime, dataVersion, data: value['data'] }
}

function problem(status: number, message: string): HttpAnswer {
  return { status, body: { error: { code: status === 401 ? 'Unauthorized' : 'BadRequest', message } } }
}
