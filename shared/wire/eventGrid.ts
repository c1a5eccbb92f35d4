import { err, ok, type Result } from '../base/result.ts'
import { defined, ownValue } from '../base/values.ts'
import { type ClusterId, type NodeName, nodeName } from '../model/ids.ts'
import { type Problem, problem } from '../model/problem.ts'
import { type EpochMs, epochMs } from '../model/units.ts'
import { type Codec, decode, fail, flag, isObject, list, NO_ITEMS, oneOf, optional, orElse, record, text } from './codec.ts'
import { clusterIdText } from './objects/shared.ts'

/** What an Event Grid event reports about a machine, and the topic that it came from. */
export type InterruptionEvent = SaidOfMachine & {
  /**
   * Resource id of the topic, or of the subscription for Azure's own events, in lower case, as written by Event Grid. Undefined in the CloudEvents
   * schema, in which the publisher writes every member.
   */
  readonly topic?: string
}

type SaidOfMachine =
  /** Joiner's own event: the metadata service of a node announced maintenance or eviction of its machine. */
  | NodeScheduledEvent
  /** Azure annotated a machine, for example as preempted. */
  | {
      readonly kind: 'annotated'
      readonly eventId: string
      readonly at: EpochMs
      readonly resourceId: string
      readonly annotation: string
      readonly context?: string
      readonly category?: string
    }
  | {
      readonly kind: 'availability'
      readonly eventId: string
      readonly at: EpochMs
      readonly resourceId: string
      readonly state: AvailabilityState
      readonly before?: AvailabilityState
    }
  | { readonly kind: 'other'; readonly eventId: string; readonly at: EpochMs; readonly type: string }

export type NodeScheduledEvent = {
  readonly kind: 'scheduled'
  readonly eventId: string
  readonly at: EpochMs
  readonly cluster: ClusterId
  readonly node: NodeName
  /** Azure's name of the event: Preempt, Terminate, Freeze, Reboot, Redeploy. */
  readonly eventType: string
  /** True if the machine will be removed. False if it is only paused, restarted or moved. */
  readonly endsNode: boolean
  /** Undefined: at any moment. */
  readonly notBefore?: EpochMs
  /** Names of the affected machines. */
  readonly resources: readonly string[]
}

export type AvailabilityState = 'Available' | 'Unavailable' | 'Degraded' | 'Unknown'

export const SCHEDULED_EVENT_TYPE = 'Joiner.NodeScheduledEvent'
export const SCHEDULED_EVENT_VERSION = '1'

/** Parses an event in the CloudEvents or the Event Grid schema. An event of an unknown type is `other`. */
export function parseInterruption(json: unknown): Result<InterruptionEvent, Problem> {
  const outer = decode(outerCodec, flattened(json), { object: OBJECT })
  if (!outer.ok) return outer
  const said = saidIn(outer.value)
  if (!said.ok) return said
  return ok(defined({ ...said.value, topic: outer.value.topic?.toLowerCase() }))
}

function saidIn(outer: Outer): Result<SaidOfMachine, Problem> {
  const { type } = outer
  if (type === SCHEDULED_EVENT_TYPE) return scheduled(outer)
  if (type === `${HEALTH}.ResourceAnnotated`) return annotated(outer)
  if (type === `${HEALTH}.AvailabilityStatusChanged`) return availability(outer)
  return ok({ kind: 'other', eventId: outer.id, at: outer.time, type })
}

/** Returns the `data` of Joiner's own event. */
export function printScheduledEvent(event: Omit<NodeScheduledEvent, 'kind' | 'at'>): object {
  const { cluster, node, eventId, eventType, endsNode, notBefore, resources } = event
  const when = notBefore === undefined ? undefined : new Date(notBefore).toISOString()
  return defined({ cluster, node, eventId, eventType, endsNode, notBefore: when, resources })
}

const OBJECT = 'event'
const HEALTH = 'Microsoft.ResourceNotifications.HealthResources'

const ENDS_NODE: ReadonlySet<string> = new Set(['Preempt', 'Terminate'])

type Outer = {
  readonly id: string
  readonly type: string
  readonly time: EpochMs
  readonly version?: string
  readonly topic?: string
  readonly data: unknown
}

/** Times from Azure have up to seven digits for the fraction of a second. */
const time: Codec<EpochMs> = {
  read: (json, trail) => {
    const ms = typeof json === 'string' ? Date.parse(json) : Number.NaN
    return Number.isSafeInteger(ms) ? epochMs(ms) : fail(trail, 'must be a time as in 2026-01-31T12:00:00Z')
  },
  write: (value) => new Date(value).toISOString(),
}

const anyData: Codec<unknown> = {
  read: (json, trail) => (isObject(json) ? json : fail(trail, 'must be an object')),
  write: (value) => value,
}

const outerCodec: Codec<Outer> = record<Outer>({
  id: text,
  type: text,
  time,
  version: optional(text),
  topic: optional(text),
  data: anyData,
})

/** Converts both schemas to the same member names. */
function flattened(json: unknown): unknown {
  if (!isObject(json)) return json
  // names of CloudEvents extensions are all lower case
  const { id, type, eventType, time: at, eventTime, dataVersion, dataversion, data } = json
  return { id, type: type ?? eventType, time: at ?? eventTime, version: dataVersion ?? dataversion, topic: stampedTopic(json), data }
}

/**
 * Returns the topic if Event Grid wrote it. In the Event Grid schema the service writes the topic and refuses an event with another topic. An event
 * with CloudEvents members came in the other schema, in which any publisher may write `topic` as an extension.
 */
function stampedTopic(json: { readonly [name: string]: unknown }): unknown {
  const isCloudEvent = ['specversion', 'source', 'type', 'time'].some((name) => ownValue(json, name) !== undefined)
  return isCloudEvent ? undefined : json['topic']
}

type ScheduledData = Omit<NodeScheduledEvent, 'kind' | 'at' | 'endsNode'> & { readonly endsNode?: boolean }

const scheduledData: Codec<ScheduledData> = record<ScheduledData>({
  cluster: clusterIdText,
  node: { read: (json, trail) => nodeName(text.read(json, trail)), write: (value) => value },
  eventId: text,
  eventType: text,
  endsNode: optional(flag),
  notBefore: optional(time),
  resources: orElse(list(text), NO_ITEMS),
})

function scheduled({ version, time: at, data }: Outer): Result<SaidOfMachine, Problem> {
  const number = Number(version ?? SCHEDULED_EVENT_VERSION)
  if (!(number <= Number(SCHEDULED_EVENT_VERSION))) {
    const message = `${OBJECT}: version ${version} is newer than this program knows (${SCHEDULED_EVENT_VERSION}); update the program`
    return err(problem('INPUT.UNSUPPORTED_VERSION', message, { object: OBJECT, path: 'dataVersion' }))
  }
  const parsed = decode(scheduledData, data, { object: SCHEDULED_EVENT_TYPE })
  if (!parsed.ok) return parsed
  const endsNode = parsed.value.endsNode ?? ENDS_NODE.has(parsed.value.eventType)
  return ok({ kind: 'scheduled', at, ...parsed.value, endsNode })
}

type HealthProperties = {
  readonly targetResourceId: string
  readonly annotationName?: string
  readonly context?: string
  readonly category?: string
  readonly availabilityState?: AvailabilityState
  readonly previousAvailabilityState?: AvailabilityState
}

const state: Codec<AvailabilityState> = oneOf('Available', 'Unavailable', 'Degraded', 'Unknown')

type HealthData = { readonly resourceInfo: { readonly properties: HealthProperties } }

const healthData: Codec<HealthData> = record<HealthData>({
  resourceInfo: record<HealthData['resourceInfo']>({
    properties: record<HealthProperties>({
      targetResourceId: text,
      annotationName: optional(text),
      context: optional(text),
      category: optional(text),
      availabilityState: optional(state),
      previousAvailabilityState: optional(state),
    }),
  }),
})

function annotated({ id, type, time: at, data }: Outer): Result<SaidOfMachine, Problem> {
  const parsed = decode(healthData, data, { object: type })
  if (!parsed.ok) return parsed
  const { targetResourceId, annotationName, context, category } = parsed.value.resourceInfo.properties
  if (annotationName === undefined) return missing(type, 'annotationName')
  return ok(
    defined({ kind: 'annotated' as const, eventId: id, at, resourceId: targetResourceId, annotation: annotationName, context, category }),
  )
}

function availability({ id, type, time: at, data }: Outer): Result<SaidOfMachine, Problem> {
  const parsed = decode(healthData, data, { object: type })
  if (!parsed.ok) return parsed
  const { targetResourceId, availabilityState, previousAvailabilityState } = parsed.value.resourceInfo.properties
  if (availabilityState === undefined) return missing(type, 'availabilityState')
  return ok(
    defined({
      kind: 'availability' as const,
      eventId: id,
      at,
      resourceId: targetResourceId,
      state: availabilityState,
      before: previousAvailabilityState,
    }),
  )
}

function missing(object: string, member: string): Result<never, Problem> {
  const path = `data.resourceInfo.properties.${member}`
  return err(problem('INPUT.INVALID', `${object}: ${path} is missing`, { object, path }))
}
