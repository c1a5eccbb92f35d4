import { send } from '../../shared/kubeclient/http.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { trustedJson } from '../trustedJson.ts'

/** One entry of the instance metadata service's list of scheduled events. */
export type ScheduledEvent = {
  readonly eventId: string
  readonly eventType: string
  readonly resources: readonly string[]
  readonly status: string
  /** A time in RFC 1123, as the platform writes it. Empty once the event has started. */
  readonly notBefore: string
}

type EventsJson = {
  readonly Events?: readonly {
    readonly EventId?: string
    readonly EventType?: string
    readonly Resources?: readonly string[]
    readonly EventStatus?: string
    readonly NotBefore?: string
  }[]
}

/** Longest silence, in milliseconds. The first call on a machine turns scheduled events on and may take two minutes. */
const SILENCE_MS = 125_000
const API_VERSION = '2020-07-01'

export async function readScheduledEvents(endpoint: URL, signal: AbortSignal): Promise<readonly ScheduledEvent[]> {
  // an endpoint may have a path of its own: the local stack serves every machine from one address
  const url = new URL(`${endpoint.pathname.replace(/\/$/, '')}/metadata/scheduledevents`, endpoint)
  url.searchParams.set('api-version', API_VERSION)
  const answer = await send(
    { method: 'GET', url, headers: { metadata: 'true', accept: 'application/json' }, silenceMs: SILENCE_MS },
    signal,
  )
  if (answer.status !== 200) {
    throw new Fault(
      'read scheduled events',
      problem('NETWORK.FAILED', `the metadata service answered ${answer.status}: ${answer.text.slice(0, 200)}`),
    )
  }
  return parse(answer.text)
}

/** An event without an id cannot be told from others and is left out. */
function parse(text: string): readonly ScheduledEvent[] {
  const { Events = [] } = trustedJson<EventsJson>(text)
  return Events.flatMap(({ EventId, EventType = '', Resources = [], EventStatus = '', NotBefore = '' }) =>
    EventId === undefined
      ? []
      : [{ eventId: EventId, eventType: EventType, resources: Resources, status: EventStatus, notBefore: NotBefore }],
  )
}
