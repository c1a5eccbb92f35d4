import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Document } from '../../local/azure/arm/armState.ts'
import type { GridEvent } from '../../local/azure/eventgrid/gridEvent.ts'
import { type LocalAzure, startAzure } from '../../local/azure/startAzure.ts'
import { eventually } from '../builders/eventually.ts'

const PRINCIPAL = 'principal-of-topic'
const QUEUE_SENDER = 'c6a89b2d-59bc-44d0-9896-0f6e12d7b80a'
const BLOB_CONTRIBUTOR = 'ba92f5b4-2d11-453d-a403-e96b0029c9fe'
const queued: { readonly queue: string; readonly event: GridEvent; readonly ttl: number | undefined }[] = []
const blobs: { readonly path: string; readonly text: string }[] = []
let azure: LocalAzure
let group: string

beforeAll(async () => {
  azure = await startAzure({
    speed: 10_000,
    outlets: {
      functionUrl: () => undefined,
      enqueue: async (_storage, queue, text, ttl) =>
        void queued.push({ queue, ttl, event: JSON.parse(Buffer.from(text, 'base64').toString('utf8')) }),
      writeBlob: async (_storage, container, path, text) => void blobs.push({ path: `${container}/${path}`, text }),
    },
  })
  group = `/subscriptions/${azure.subscriptionId}/resourceGroups/rg/providers`
})
afterAll(() => azure.close())
beforeEach(() => {
  queued.length = 0
  blobs.length = 0
  for (const { id } of azure.resources()) if (id.startsWith(group)) azure.putResource({ id, type: 'gone' })
})

const storageId = (): string => `${group}/Microsoft.Storage/storageAccounts/st`
const topicId = (): string => `${group}/Microsoft.EventGrid/topics/t1`
const systemId = (): string => `${group}/Microsoft.EventGrid/systemTopics/s1`
const event = (over: Partial<GridEvent> = {}): GridEvent => ({
  id: 'e1',
  topic: topicId(),
  eventType: 'Wanted',
  subject: '/Machines/one',
  eventTime: '2026-01-01T00:00:00Z',
  dataVersion: '1',
  data: { kind: 'Preempted' },
  ...over,
})

function assign(scope: string, role: string): void {
  const roleDefinitionId = `/subscriptions/${azure.subscriptionId}/providers/Microsoft.Authorization/roleDefinitions/${role}`
  const id = `${scope}/providers/Microsoft.Authorization/roleAssignments/${role}`
  azure.putResource({ id, type: 'Microsoft.Authorization/roleAssignments', properties: { principalId: PRINCIPAL, roleDefinitionId } })
}

function subscribe(owner: string, properties: object): void {
  azure.putResource({ id: owner, name: owner.split('/').at(-1), identity: { principalId: PRINCIPAL } })
  const deadLetterDestination = { properties: { resourceId: storageId(), blobContainerName: 'dead-letters' } }
  const document: Document = {
    id: `${owner}/eventSubscriptions/sub`,
    name: 'sub',
    properties: { retryPolicy: { maxDeliveryAttempts: 2 }, deadLetterWithResourceIdentity: { deadLetterDestination }, ...properties },
  }
  azure.putResource(document)
}

const toQueue = (): object => ({
  deliveryWithResourceIdentity: {
    destination: { properties: { resourceId: storageId(), queueName: 'q', queueMessageTimeToLiveInSeconds: 600 } },
  },
})

describe('a subscription that a deployment made', () => {
  it('puts events into its queue, for as long as it says, by the identity of its topic', async () => {
    assign(`${storageId()}/queueServices/default/queues/q`, QUEUE_SENDER)
    subscribe(topicId(), toQueue())
    azure.eventGrid.publish('custom', event())
    await eventually(() => expect(queued).toHaveLength(1))
    expect(queued).toEqual([{ queue: 'q', ttl: 600, event: { ...event(), metadataVersion: '1' } }])
  })

  it('takes what its filter lets through, and of its own topic only', async () => {
    assign(storageId(), QUEUE_SENDER)
    subscribe(topicId(), { ...toQueue(), filter: { includedEventTypes: ['Wanted'] } })
    azure.eventGrid.publish('custom', event({ eventType: 'Other' }))
    azure.eventGrid.publish('custom', event({ topic: `${topicId()}-other` }))
    azure.eventGrid.publish('health', event())
    azure.eventGrid.publish('custom', event({ id: 'last' }))
    await eventually(() => expect(queued).toHaveLength(1))
    expect(queued.map((each) => each.event.id)).toEqual(['last'])
  })

  it('of a system topic goes by prefix without regard to case, and by members of the event', async () => {
    assign(storageId(), QUEUE_SENDER)
    const advancedFilters = [{ operatorType: 'StringIn', key: 'data.kind', values: ['preempted'] }]
    subscribe(systemId(), { ...toQueue(), filter: { subjectBeginsWith: '/machines/', advancedFilters } })
    azure.eventGrid.publish('health', event({ subject: '/disks/one' }))
    azure.eventGrid.publish('health', event({ data: { kind: 'Moved' } }))
    azure.eventGrid.publish('health', event({ data: undefined }))
    azure.eventGrid.publish('health', event({ id: 'last' }))
    await eventually(() => expect(queued).toHaveLength(1))
    expect(queued.map((each) => each.event.id)).toEqual(['last'])
  })

  it.each([
    ['whose topic may not write there', toQueue, /may not write/],
    [
      'whose function is not there',
      () => ({ destination: { properties: { resourceId: `${group}/Microsoft.Web/sites/a/functions/f` } } }),
      /not there/,
    ],
  ])('%s keeps the event as a blob after its last attempt', async (_sentence, properties, reason) => {
    assign(storageId(), BLOB_CONTRIBUTOR)
    subscribe(topicId(), properties())
    azure.eventGrid.publish('custom', event())
    await eventually(() => expect(blobs).toHaveLength(1))
    expect(queued).toEqual([])
    expect(blobs[0]?.path).toMatch(/^dead-letters\/t1\/SUB\/\d{4}\/\d+\/\d+\/\d+\/e1\.json$/)
    const [letter] = JSON.parse(blobs[0]?.text ?? '[]')
    expect(letter).toMatchObject({ id: 'e1', deliveryAttempts: 2, lastDeliveryOutcome: expect.stringMatching(reason) })
  })
})
