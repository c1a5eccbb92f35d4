import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clusterId, nodeName } from '../model/ids.ts'
import { epochMs } from '../model/units.ts'
import { parseInterruption, printScheduledEvent, SCHEDULED_EVENT_TYPE, SCHEDULED_EVENT_VERSION } from './eventGrid.ts'

const VM = '/subscriptions/s/resourceGroups/mc/providers/Microsoft.Compute/virtualMachines/joiner-a'
const TIME = '2026-11-03T19:20:37.9245071Z'
const AT = Date.parse('2026-11-03T19:20:37.924Z')

const annotated = {
  resourceInfo: {
    type: 'Microsoft.ResourceHealth/resourceAnnotations',
    properties: { targetResourceId: VM, annotationName: 'VirtualMachinePreempted', context: 'Platform Initiated', category: 'Unplanned' },
  },
}
const changed = {
  resourceInfo: { properties: { targetResourceId: VM, availabilityState: 'Unavailable', previousAvailabilityState: 'Available' } },
}
const scheduled = {
  cluster: 'blue',
  node: 'joiner-a',
  eventId: 'e1',
  eventType: 'Preempt',
  notBefore: '2026-11-03T19:21:00Z',
  resources: ['joiner-a'],
}

const cloudEvent = (type: string, data: unknown): unknown => ({
  specversion: '1.0',
  id: 'i',
  source: '/subscriptions/s',
  subject: VM,
  type,
  time: TIME,
  data,
})
const gridEvent = (type: string, data: unknown, dataVersion = '1'): unknown => ({
  id: 'i',
  topic: '/subscriptions/s',
  subject: VM,
  eventType: type,
  eventTime: TIME,
  dataVersion,
  metadataVersion: '1',
  data,
})
const HEALTH = 'Microsoft.ResourceNotifications.HealthResources'

describe('an event', () => {
  const annotation = {
    kind: 'annotated',
    eventId: 'i',
    at: AT,
    resourceId: VM,
    annotation: 'VirtualMachinePreempted',
    context: 'Platform Initiated',
    category: 'Unplanned',
  }
  const availability = { kind: 'availability', eventId: 'i', at: AT, resourceId: VM, state: 'Unavailable', before: 'Available' }
  const notice = { kind: 'scheduled', at: AT, ...scheduled, notBefore: Date.parse('2026-11-03T19:21:00Z'), endsNode: true }
  const table: { [name: string]: { json: unknown; want: object } } = {
    'of an annotation as a CloudEvent': { json: cloudEvent(`${HEALTH}.ResourceAnnotated`, annotated), want: annotation },
    'of an annotation in the Event Grid schema': { json: gridEvent(`${HEALTH}.ResourceAnnotated`, annotated), want: annotation },
    'of a change of availability as a CloudEvent': { json: cloudEvent(`${HEALTH}.AvailabilityStatusChanged`, changed), want: availability },
    'of a change of availability in the Event Grid schema': {
      json: gridEvent(`${HEALTH}.AvailabilityStatusChanged`, changed),
      want: availability,
    },
    'of our own as a CloudEvent': { json: cloudEvent(SCHEDULED_EVENT_TYPE, scheduled), want: notice },
    'of our own in the Event Grid schema': { json: gridEvent(SCHEDULED_EVENT_TYPE, scheduled), want: notice },
    'that only pauses the machine': {
      json: gridEvent(SCHEDULED_EVENT_TYPE, { ...scheduled, eventType: 'Freeze' }),
      want: { ...notice, eventType: 'Freeze', endsNode: false },
    },
    'of another type': {
      json: cloudEvent('Microsoft.Resources.ResourceWriteSuccess', {}),
      want: { kind: 'other', eventId: 'i', at: AT, type: 'Microsoft.Resources.ResourceWriteSuccess' },
    },
  }
  for (const [name, { json, want }] of Object.entries(table))
    it(name, () => expect(parseInterruption(json)).toMatchObject({ ok: true, value: want }))
})

describe('an event is refused', () => {
  const table: { [name: string]: { json: unknown; want: object } } = {
    'without a type': { json: { id: 'i', time: TIME, data: {} }, want: { code: 'INPUT.INVALID', path: 'type' } },
    'with a time that is none': { json: { id: 'i', type: 't', time: 'now', data: {} }, want: { path: 'time' } },
    'of our own for a cluster that cannot be': {
      json: cloudEvent(SCHEDULED_EVENT_TYPE, { ...scheduled, cluster: 'Blue!' }),
      want: { path: 'cluster' },
    },
    'of our own without a node': { json: cloudEvent(SCHEDULED_EVENT_TYPE, { ...scheduled, node: undefined }), want: { path: 'node' } },
    'of our own in a newer version': { json: gridEvent(SCHEDULED_EVENT_TYPE, scheduled, '2'), want: { code: 'INPUT.UNSUPPORTED_VERSION' } },
    'of an annotation without a name': {
      json: cloudEvent(`${HEALTH}.ResourceAnnotated`, changed),
      want: { path: 'data.resourceInfo.properties.annotationName' },
    },
    'of an unknown state': {
      json: cloudEvent(`${HEALTH}.AvailabilityStatusChanged`, {
        resourceInfo: { properties: { targetResourceId: VM, availabilityState: 'Sick' } },
      }),
      want: { path: 'resourceInfo.properties.availabilityState' },
    },
  }
  for (const [name, { json, want }] of Object.entries(table))
    it(name, () => expect(parseInterruption(json)).toMatchObject({ ok: false, error: want }))

  it('but nothing makes it throw', () => {
    fc.assert(fc.property(fc.jsonValue(), (json) => void expect(typeof parseInterruption(json).ok).toBe('boolean')))
  })
})

it('our own event survives printing and parsing', () => {
  const event = {
    cluster: clusterId('blue'),
    node: nodeName('joiner-a'),
    eventId: 'e',
    eventType: 'Preempt',
    endsNode: true,
    notBefore: epochMs(1_700_000_000_000),
    resources: ['joiner-a'],
  }
  const json = gridEvent(SCHEDULED_EVENT_TYPE, printScheduledEvent(event), SCHEDULED_EVENT_VERSION)
  expect(parseInterruption(json)).toEqual({ ok: true, value: { kind: 'scheduled', at: AT, topic: '/subscriptions/s', ...event } })
})

describe('the topic of an event', () => {
  const topicOf = (json: unknown) => {
    const parsed = parseInterruption(json)
    return parsed.ok ? parsed.value.topic : parsed.error
  }
  const ours = gridEvent(SCHEDULED_EVENT_TYPE, scheduled) as { readonly [name: string]: unknown }

  it('is what Event Grid wrote, in lower case', () => {
    expect(topicOf({ ...ours, topic: '/subscriptions/S/x' })).toBe('/subscriptions/s/x')
  })

  it('is none where the publisher may have written it: whatever names a CloudEvent has', () => {
    const cloud = cloudEvent(SCHEDULED_EVENT_TYPE, scheduled) as { readonly [name: string]: unknown }
    expect(topicOf({ ...cloud, topic: '/subscriptions/s' })).toBeUndefined()
    for (const name of ['specversion', 'source', 'type', 'time']) {
      expect([name, topicOf({ ...ours, type: SCHEDULED_EVENT_TYPE, time: TIME, [name]: cloud[name] })]).toEqual([name, undefined])
    }
  })
})
