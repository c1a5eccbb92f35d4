import type { HostFunction } from '../app/hostFunction.ts'
import type { TypedData } from '../app/rpc.ts'
import { messageOf } from '../base/hostLog.ts'
import { type HostKeys, isKey, keyOfRequest } from './hostKeys.ts'
import { type HttpAnswer, type HttpRequest, jsonAnswer } from './httpFront.ts'

export const EVENT_GRID_PATH = '/runtime/webhooks/eventgrid'

export type EventGridWebhookOptions = {
  readonly functions: readonly HostFunction[]
  readonly keys: HostKeys
  readonly run: (target: HostFunction, data: TypedData, metadata: { readonly [name: string]: TypedData }) => Promise<unknown>
}

/** Answers at the endpoint to which Event Grid delivers: `?functionName=<name>&code=<system key>`. */
export async function answerEventGrid(request: HttpRequest, options: EventGridWebhookOptions): Promise<HttpAnswer> {
  const refused = refusal(keyOfRequest(request.headers['x-functions-key'], request.url.searchParams), options.keys)
  if (refused !== undefined) return refused
  const name = request.url.searchParams.get('functionName')?.toLowerCase()
  const target = options.functions.find(
    (candidate) => candidate.trigger.kind === 'eventGrid' && !candidate.disabled && candidate.name.toLowerCase() === name,
  )
  if (target === undefined) return { status: 404, body: `cannot find function: '${name}'` }
  if (request.method === 'OPTIONS') return cloudEventsHandshake(request)
  const header = request.headers['aeg-event-type']
  const type = typeof header === 'string' ? header.toLowerCase() : ''
  if (type === 'unsubscribe') return { status: 202 }
  if (type !== 'subscriptionvalidation' && type !== 'notification') return { status: 400, body: `aeg-event-type '${type}' is not known` }
  const events = eventsOf(await request.readBody())
  if (events === undefined) return { status: 500, body: 'the body is not an event, nor an array of events' }
  return type === 'notification' ? notify(target, events, options) : validate(events)
}

function refusal(key: string | undefined, keys: HostKeys): HttpAnswer | undefined {
  if (isKey(key, keys.system) || isKey(key, keys.master)) return undefined
  return { status: isKey(key, keys.host) ? 403 : 401 }
}

/** Runs one invocation for each event, in parallel. One failed invocation fails the whole delivery. */
async function notify(target: HostFunction, events: readonly object[], options: EventGridWebhookOptions): Promise<HttpAnswer> {
  const runs = await Promise.allSettled(
    events.map((event) =>
      options.run(target, { json: JSON.stringify(event) }, { data: { json: JSON.stringify(member(event, 'data') ?? null) } }),
    ),
  )
  const failed = runs.find((run) => run.status === 'rejected')
  return failed === undefined ? { status: 202 } : { status: 500, body: messageOf(failed.reason) }
}

/** The handshake of the CloudEvents schema, for a sender that names itself. */
function cloudEventsHandshake(request: HttpRequest): HttpAnswer {
  const origin = request.headers['webhook-request-origin']
  return { status: 200, headers: typeof origin === 'string' ? { 'webhook-allowed-origin': origin } : {} }
}

/** Answers the handshake. In the CloudEvents schema `data` may be a text that holds JSON. */
function validate(events: readonly object[]): HttpAnswer {
  const data = member(events[0], 'data')
  const parsed: unknown = typeof data === 'string' ? parseJson(data) : data
  const validationCode = member(parsed, 'validationCode')
  return typeof validationCode === 'string'
    ? jsonAnswer(200, { validationResponse: validationCode })
    : { status: 400, body: 'data.validationCode is missing' }
}

function eventsOf(body: Buffer): readonly object[] | undefined {
  const value = parseJson(body.toString('utf8'))
  const events: readonly unknown[] = Array.isArray(value) ? value : [value]
  const objects = events.filter((event) => typeof event === 'object' && event !== null)
  return objects.length === events.length && objects.length > 0 ? objects : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined
}
