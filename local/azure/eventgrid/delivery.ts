import { messageOf } from '../../../shared/base/result.ts'
import { textAt } from '../json.ts'
import type { Delivery, GridEvent, Subscription } from './gridEvent.ts'

const ANSWER_MS = 30_000

/** Posts one event to the subscription's endpoint. Any 2xx counts as delivered. */
export async function deliver(subscription: Subscription, event: GridEvent, count: number): Promise<Delivery> {
  if (subscription.send !== undefined) return subscription.send(event, count)
  const isCloud = isCloudSchema(subscription)
  const body = isCloud ? cloudEvent(event) : [{ ...event, metadataVersion: '1' }]
  const sent = await post(subscription, 'POST', body, { 'aeg-event-type': 'Notification', 'aeg-delivery-count': String(count) })
  if (typeof sent === 'string') return { ok: false, status: 0, reason: sent }
  return sent.status >= 200 && sent.status < 300
    ? { ok: true }
    : { ok: false, status: sent.status, reason: `the endpoint answered ${sent.status}` }
}

/** Asks the endpoint whether it accepts events. Returns the reason if it does not. */
export async function handshake(subscription: Subscription): Promise<string | undefined> {
  if (isCloudSchema(subscription)) {
    const asked = await post(subscription, 'OPTIONS', undefined, { 'webhook-request-origin': 'eventgrid.azure.net' })
    if (typeof asked === 'string') return asked
    const origin = asked.headers.get('webhook-allowed-origin')
    if (asked.status === 200 && (origin === '*' || origin === 'eventgrid.azure.net')) return undefined
  }
  return validate(subscription)
}

/** The handshake of the Event Grid schema. The Functions trigger also answers it in the CloudEvents schema. */
async function validate(subscription: Subscription): Promise<string | undefined> {
  const code = crypto.randomUUID()
  const event: GridEvent = {
    id: crypto.randomUUID(),
    topic: '/local',
    eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent',
    eventTime: new Date().toISOString(),
    subject: '',
    dataVersion: '1',
    data: { validationCode: code },
  }
  const body = isCloudSchema(subscription) ? cloudEvent(event) : [{ ...event, metadataVersion: '1' }]
  const answer = await post(subscription, 'POST', body, { 'aeg-event-type': 'SubscriptionValidation' })
  if (typeof answer === 'string') return answer
  if (answer.status !== 200) return `the endpoint answered the validation with ${answer.status}, not 200`
  const parsed: unknown = await answer.json().catch(() => undefined)
  return textAt(parsed, 'validationResponse') === code ? undefined : 'the endpoint did not answer with the validation code'
}

async function post(
  subscription: Subscription,
  method: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Response | string> {
  try {
    return await fetch(subscription.endpoint, {
      method,
      headers: {
        'content-type': isCloudSchema(subscription) ? 'application/cloudevents+json; charset=utf-8' : 'application/json',
        'aeg-subscription-name': subscription.name.toUpperCase(),
        ...headers,
      },
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch (error) {
    return messageOf(error)
  }
}

function isCloudSchema(subscription: Subscription): boolean {
  return subscription.schema === 'CloudEventSchemaV1_0'
}

function cloudEvent({ id, topic, eventType, subject, eventTime, data }: GridEvent): object {
  return { specversion: '1.0', id, source: topic, type: eventType, subject, time: eventTime, data }
}
