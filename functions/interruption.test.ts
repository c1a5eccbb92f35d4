import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clusterId, nodeName, providerId } from '../shared/model/ids.ts'
import { printScheduledEvent, SCHEDULED_EVENT_TYPE } from '../shared/wire/eventGrid.ts'
import { node } from '../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim, nodeNameOf } from '../test/builders/nodeClaim.ts'
import { pod } from '../test/builders/pod.ts'
import type { EventDelivery } from './appDeps.ts'
import { createTestApp, NOW, noticeTopicOf, type TestApp } from './testing/testApp.ts'

const CLAIM = 'default-aaaaa'
const NODE = nodeNameOf(CLAIM)

type Changes = {
  readonly cluster?: string
  readonly node?: string
  readonly endsNode?: boolean
  readonly topic?: string
  readonly eventType?: string
}

function scheduled(changes: Changes = {}): object {
  const { cluster = 'alpha', node: name = NODE, endsNode = true, topic = noticeTopicOf('alpha') } = changes
  const { eventType = endsNode ? 'Preempt' : 'Freeze' } = changes
  const data = printScheduledEvent({
    cluster: clusterId(cluster),
    node: nodeName(name),
    eventId: 'e-1',
    eventType,
    endsNode,
    resources: [name],
  })
  return delivered('e-1', SCHEDULED_EVENT_TYPE, topic, data)
}

function annotated(resourceId: string, annotationName = 'VirtualMachinePreempted', topic = '/subscriptions/s'): object {
  const data = { resourceInfo: { properties: { targetResourceId: resourceId, annotationName } } }
  return delivered('e-2', 'Microsoft.ResourceNotifications.HealthResources.ResourceAnnotated', topic, data)
}

/** An event in the Event Grid schema, in which the service writes the topic. */
function delivered(id: string, eventType: string, topic: string, data: object): object {
  return { id, topic, subject: 's', eventType, eventTime: new Date(NOW).toISOString(), dataVersion: '1', metadataVersion: '1', data }
}

/** The event as a CloudEvent, in which the publisher writes every member. */
function asCloudEvent(event: object): object {
  const { id, topic, eventType, eventTime, data } = event as { readonly [name: string]: unknown }
  return { specversion: '1.0', id, source: topic, topic, type: eventType, time: eventTime, dataversion: '1', data }
}

const machine = (name: string, group = 'mc_alpha') =>
  `/subscriptions/s/resourceGroups/${group}/providers/Microsoft.Compute/virtualMachines/${name}`

/** Creates cluster alpha with one node that runs one pod. */
function running(shape: NodeClaimShape = {}, eventDelivery: EventDelivery = 'function'): TestApp {
  const app = createTestApp({ eventDelivery })
  const { objects } = app.worlds.alpha
  const status = { providerId: providerId(`azure://${machine(NODE)}`) }
  objects.put('nodeClaim', nodeClaim({ name: CLAIM, capacityType: 'spot', status, ...shape }))
  objects.put('node', node({ claim: CLAIM }))
  objects.put('pod', pod({ name: 'web', nodeName: NODE }))
  return app
}

function isEnding(app: TestApp): boolean {
  const claim = app.worlds.alpha.objects.get('nodeClaim', CLAIM)
  return claim === undefined || claim.meta.deletedAt !== undefined
}

/** The events above after changes by a person or an attacker: members may be missing, repeated in the other schema, or taken from another event. */
const anyEvent = fc
  .tuple(
    fc.constantFrom(scheduled(), annotated(machine(NODE)), asCloudEvent(scheduled()), asCloudEvent(annotated(machine(NODE)))),
    fc.dictionary(
      fc.constantFrom('topic', 'source', 'specversion', 'type', 'eventType', 'subject', 'id', 'dataVersion'),
      fc.oneof(
        fc.constantFrom(...['alpha', 'beta', 'gamma'].map(noticeTopicOf), '/subscriptions/other', '1.0', '1', SCHEDULED_EVENT_TYPE),
        fc.string(),
      ),
    ),
  )
  .map(([event, changes]): { readonly [name: string]: unknown } => ({ ...event, ...changes }))

/** Reports whether only a publisher to the right topic could have written the event. */
function isAuthentic(event: { readonly [name: string]: unknown }): boolean {
  const isNotice = event['eventType'] === SCHEDULED_EVENT_TYPE
  return event['specversion'] === undefined && event['topic'] === (isNotice ? noticeTopicOf('alpha') : '/subscriptions/s')
}

/** The ways in which an event reaches the handler. The result must be the same. */
const WAYS: readonly (readonly [string, EventDelivery, (event: object) => unknown])[] = [
  ['by Event Grid', 'function', (event) => event],
  ['by the queue, as the worker reads JSON', 'queue', (event) => event],
  ['by the queue, as text', 'queue', (event) => JSON.stringify(event)],
  ['by the queue, as base64', 'queue', (event) => Buffer.from(JSON.stringify(event)).toString('base64')],
]

describe.each(WAYS)('interruption %s', (_way, eventDelivery, shown) => {
  const start = (shape: NodeClaimShape = {}): TestApp => running(shape, eventDelivery)
  const deliver = (app: TestApp, event: object): Promise<unknown> => app.run('interruption', shown(event))

  it('ends no machine for an event that Event Grid did not mark as of its topic, whatever else the event says', async () => {
    await fc.assert(
      fc.asyncProperty(anyEvent, async (event) => {
        const app = start()
        await deliver(app, event)
        if (!isAuthentic(event)) expect(isEnding(app)).toBe(false)
      }),
    )
  })

  it.each<[string, NodeClaimShape, object]>([
    ['a node of a machine that is no spot machine', { capacityType: 'on-demand' }, scheduled()],
    ['a node of a machine of which nobody knows yet what it is', { stage: 'created' }, scheduled()],
    [
      'Azure of another machine of that name',
      { status: { providerId: providerId('azure:///subscriptions/s/x') } },
      annotated(machine(NODE)),
    ],
  ])('does not believe %s, and says so', async (_, shape, event) => {
    const app = start(shape)
    const before = app.worlds.alpha.journal.entries.length
    await deliver(app, event)
    expect(app.worlds.alpha.journal.entries.length).toBe(before)
    expect(app.worlds.alpha.telemetry.lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('is ignored') }])
  })

  it('says which event it did not believe, and by which rule', async () => {
    const app = start()
    await deliver(app, scheduled({ topic: noticeTopicOf('beta') }))
    const said = { level: 'warn', message: expect.stringContaining('eventGridTopicId'), fields: { code: 'INPUT.FORBIDDEN', path: 'topic' } }
    expect(app.worlds.alpha.telemetry.lines).toMatchObject([said])
  })

  it.each([
    ['the node announces its end', scheduled()],
    ['Azure marks the machine as preempted', annotated(machine(NODE, 'MC_alpha'))],
  ])('closes the node, ends the claim, moves the pods and asks for the replacement when %s', async (_, event) => {
    const app = start()
    await deliver(app, event)
    const { objects } = app.worlds.alpha
    expect(objects.get('node', NODE)?.taints).toContainEqual({ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' })
    expect(isEnding(app)).toBe(true)
    expect(objects.get('pod', 'default/web')).toBeUndefined()
    const { queue } = app.covers.alpha
    expect([queue.get(), queue.get()]).toMatchObject([
      { key: 'decide', requests: [{ because: 'interruption' }] },
      { key: `claim/${CLAIM}`, request: { isFollowed: true } },
    ])
  })

  it('does the same once when the event comes twice', async () => {
    const app = start()
    await deliver(app, scheduled())
    await deliver(app, scheduled())
    expect(app.worlds.alpha.objects.get('node', NODE)?.taints.filter(({ key }) => key === 'karpenter.sh/disrupted')).toHaveLength(1)
  })

  it.each([
    ['a node of another cluster', scheduled({ cluster: 'beta' })],
    ['a node of this cluster by the topic of another', scheduled({ topic: noticeTopicOf('beta') })],
    ['a node of this cluster by a topic that nobody configured', scheduled({ topic: noticeTopicOf('gamma') })],
    ['a node of this cluster by the events of its subscription', scheduled({ topic: '/subscriptions/s' })],
    ['a notice as a CloudEvent, whatever it says of its source', asCloudEvent(scheduled())],
    ['an annotation by the topic of the nodes', annotated(machine(NODE), undefined, noticeTopicOf('alpha'))],
    ['an annotation of another subscription', annotated(machine(NODE), undefined, '/subscriptions/other')],
    ['an annotation as a CloudEvent', asCloudEvent(annotated(machine(NODE)))],
    ['an annotation of what is no machine', annotated(`${machine('x')}/extensions/${NODE}`)],
    ['a cluster nobody knows', scheduled({ cluster: 'gamma' })],
    ['a claim nobody knows', scheduled({ node: nodeNameOf('default-zzzzz') })],
    ['a machine of another resource group', annotated(machine(NODE, 'other'))],
    ['a mark that ends no machine', annotated(machine(NODE), 'VirtualMachineRebootInitiated')],
    ['an event of another kind', { id: 'e', type: 'Microsoft.Storage.BlobCreated', time: new Date(NOW).toISOString(), data: {} }],
    ['nonsense', { hello: 'world' }],
  ])('changes nothing on %s', async (_, event) => {
    const app = start()
    const before = app.worlds.alpha.journal.entries.length
    await deliver(app, event)
    expect(app.worlds.alpha.journal.entries.length).toBe(before)
    expect(isEnding(app)).toBe(false)
  })

  it.each([
    ['SpotInterrupted', true, scheduled()],
    ['SpotInterrupted', true, annotated(machine(NODE))],
    ['InstanceTerminating', true, scheduled({ eventType: 'Terminate' })],
    ['InstanceTerminating', true, scheduled({ eventType: 'NewKind' })],
    ['InstanceStopping', true, annotated(machine(NODE), 'VirtualMachineDeallocationInitiated')],
    ['InstanceUnhealthy', false, scheduled({ endsNode: false })],
    ['InstanceUnhealthy', false, scheduled({ endsNode: false, eventType: 'Reboot' })],
    ['InstanceUnhealthy', false, scheduled({ endsNode: false, eventType: 'Redeploy' })],
    ['InstanceUnhealthy', false, scheduled({ endsNode: false, eventType: 'NewKind' })],
  ])('tells node and nodeclaim %s, and ends the machine: %s', async (reason, ends, event) => {
    const app = start()
    await deliver(app, event)
    await deliver(app, event)
    const { events } = app.worlds.alpha.objects
    const told = events.filter((each) => each.event.type === 'Warning').map((each) => [each.event.subject.kind, each.event.reason])
    expect(told).toEqual([
      ['nodeClaim', reason],
      ['node', reason],
    ])
    expect(isEnding(app)).toBe(ends)
    const claim = app.worlds.alpha.objects.get('nodeClaim', CLAIM)
    const marks = (claim?.status.conditions ?? []).filter(({ type }) => type === 'DisruptionReason')
    expect(marks.map((each) => each.reason)).toEqual(ends ? [reason] : [])
    const evicted = events.filter((each) => each.event.reason === 'Evicted').map((each) => each.event.message)
    expect(evicted).toEqual(ends ? [expect.stringContaining(`nodeclaim ${CLAIM} ends (${reason}: Azure `)] : [])
  })

  it('notes what it did not understand, with the field', async () => {
    const app = start()
    await deliver(app, { ...scheduled(), data: { cluster: 'alpha', node: 7 } })
    expect(app.worlds.alpha.telemetry.lines).toMatchObject([{ level: 'warn', fields: { code: 'INPUT.INVALID', path: 'node' } }])
  })
})

describe('the trigger of interruption', () => {
  it.each<[EventDelivery, string]>([
    ['function', 'eventGrid'],
    ['queue', 'queue'],
  ])('with EVENT_DELIVERY %s is %s', (eventDelivery, trigger) => {
    const { triggers } = createTestApp({ eventDelivery })
    expect(triggers.get('interruption')).toBe(trigger)
    expect(triggers.has('poison-interruption')).toBe(eventDelivery === 'queue')
  })

  it.each([7, 'no JSON', 'bm8gSlNPTg==', '', '[]', null])('notes the message %j, which is no event', async (message) => {
    const app = createTestApp({ eventDelivery: 'queue' })
    await app.run('interruption', message)
    expect(app.worlds.alpha.telemetry.lines).toMatchObject([{ level: 'warn', fields: { code: 'INPUT.INVALID' } }])
  })
})
