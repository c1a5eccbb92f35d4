// Topics and event subscriptions that a deployment made. Their properties decide which events go where, and what happens to undelivered ones.
// https://learn.microsoft.com/azure/event-grid/event-filtering, delivery-and-retry and managed-service-identity.
import type { Arm } from '../arm/arm.ts'
import type { Document } from '../arm/armState.ts'
import { isAtOrUnder, parseResourcePath } from '../arm/resources/resourceId.ts'
import { documentsOf } from '../arm/resources/roleRules.ts'
import { at, listAt, recordAt, textAt } from '../json.ts'
import type { Topic } from './eventGrid.ts'
import type { DeadLetter, Delivery, GridEvent, Subscription } from './gridEvent.ts'
import type { Outlets } from './outlets.ts'

const TOPIC = 'Microsoft.EventGrid/topics'
const SYSTEM_TOPIC = 'Microsoft.EventGrid/systemTopics'
/** Public ids of roles that let the identity of a topic write to a queue or a container, and a principal publish to a topic. */
const SENDER = {
  queue: ['c6a89b2d-59bc-44d0-9896-0f6e12d7b80a', '974c5e8b-45b9-4653-ba55-5f855dd0fb88'],
  blob: ['ba92f5b4-2d11-453d-a403-e96b0029c9fe', 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'],
  topic: ['d5a91429-5739-47e2-a06b-3470a27159e7'],
}

export function topicNamed(arm: Arm, host: string): Topic | undefined {
  const found = documentsOf(arm, TOPIC).find((each) => textAt(each, 'properties.endpoint')?.startsWith(`https://${host}/`))
  return found === undefined ? undefined : { id: found.id }
}

export function publishProblem(arm: Arm, topicId: string, principalId: string): string | undefined {
  return hasRole(arm, principalId, topicId, SENDER.topic) ? undefined : `${principalId} may not publish to ${topicId}`
}

function hasRole(arm: Arm, principalId: string | undefined, id: string, roles: readonly string[]): boolean {
  return documentsOf(arm, 'Microsoft.Authorization/roleAssignments').some(
    (each) =>
      textAt(each, 'properties.principalId') === principalId &&
      isAtOrUnder(id, parseResourcePath(each.id)?.scope ?? '') &&
      roles.includes(textAt(each, 'properties.roleDefinitionId')?.split('/').at(-1) ?? ''),
  )
}

export function subscriptionsOf(arm: Arm, outlets: Outlets): readonly Subscription[] {
  return [TOPIC, SYSTEM_TOPIC].flatMap((type) =>
    documentsOf(arm, `${type}/eventSubscriptions`).flatMap((document) => {
      const owner = arm.state.documents.get(parseResourcePath(document.id)?.parent?.toLowerCase() ?? '')
      return owner === undefined ? [] : [subscriptionOf(arm, outlets, document, owner)]
    }),
  )
}

function subscriptionOf(arm: Arm, outlets: Outlets, document: Document, owner: Document): Subscription {
  const properties = recordAt(document, 'properties')
  const isSystem = parseResourcePath(owner.id)?.type === SYSTEM_TOPIC
  const types = listAt(properties, 'filter.includedEventTypes').filter((each) => typeof each === 'string')
  const destination = recordAt(properties, 'destination')
  const endpoint = outlets.functionUrl(textAt(destination, 'properties.resourceId') ?? '')
  const toQueue = recordAt(properties, 'deliveryWithResourceIdentity.destination')
  const principal = textAt(owner, 'identity.principalId')
  const attempts = at(properties, 'retryPolicy.maxDeliveryAttempts')
  const queue = textAt(toQueue, 'properties.queueName')
  const send = queue === undefined ? undefined : (event: GridEvent) => toStorageQueue(arm, outlets, { toQueue, queue, principal }, event)
  const notThere = (): Promise<Delivery> => Promise.resolve({ ok: false, status: 404, reason: 'the function is not there' })
  return {
    name: String(document['name']),
    endpoint: endpoint ?? '',
    topics: [isSystem ? 'health' : 'custom'],
    ...(types.length === 0 ? {} : { includedEventTypes: types }),
    ...(typeof attempts === 'number' ? { maxDeliveryAttempts: attempts } : {}),
    filter: (event) => (isSystem || event.topic.toLowerCase() === owner.id.toLowerCase()) && passes(recordAt(properties, 'filter'), event),
    ...(send === undefined && endpoint !== undefined ? {} : { send: send ?? notThere }),
    keepDead: (letter) => keepDead(arm, outlets, { properties, owner, principal }, letter),
  }
}

/** Prefixes ignore case unless the filter says otherwise. A condition on a member that the event lacks does not hold. */
function passes(filter: unknown, event: GridEvent): boolean {
  const prefix = textAt(filter, 'subjectBeginsWith') ?? ''
  const isExact = at(filter, 'isSubjectCaseSensitive') === true
  const fold = (text: string): string => (isExact ? text : text.toLowerCase())
  return fold(event.subject).startsWith(fold(prefix)) && listAt(filter, 'advancedFilters').every((each) => holds(each, event))
}

function holds(condition: unknown, event: GridEvent): boolean {
  const operator = textAt(condition, 'operatorType')
  if (operator !== 'StringIn') throw new Error(`this emulator does not know the filter ${operator}; it knows StringIn`)
  const value = textAt(event, textAt(condition, 'key') ?? '')?.toLowerCase()
  return listAt(condition, 'values').some((each) => typeof each === 'string' && each.toLowerCase() === value)
}

type ToQueue = { readonly toQueue: unknown; readonly queue: string; readonly principal: string | undefined }

async function toStorageQueue(arm: Arm, outlets: Outlets, { toQueue, queue, principal }: ToQueue, event: GridEvent): Promise<Delivery> {
  const storageId = textAt(toQueue, 'properties.resourceId') ?? ''
  const id = `${storageId}/queueServices/default/queues/${queue}`
  if (!hasRole(arm, principal, id, SENDER.queue)) return { ok: false, status: 403, reason: `the topic may not write to ${id}` }
  const ttl = at(toQueue, 'properties.queueMessageTimeToLiveInSeconds')
  const text = Buffer.from(JSON.stringify({ ...event, metadataVersion: '1' })).toString('base64')
  await outlets.enqueue(storageId, queue, text, typeof ttl === 'number' ? ttl : undefined)
  return { ok: true }
}

type Dead = { readonly properties: unknown; readonly owner: Document; readonly principal: string | undefined }

/** Writes one blob for each letter, under the topic, the subscription and the hour. Without the right to write it is lost, as in Azure. */
async function keepDead(arm: Arm, outlets: Outlets, { properties, owner, principal }: Dead, letter: DeadLetter): Promise<void> {
  const to = recordAt(properties, 'deadLetterWithResourceIdentity.deadLetterDestination.properties')
  const [storageId, container] = [textAt(to, 'resourceId'), textAt(to, 'blobContainerName')]
  if (storageId === undefined || container === undefined) return
  if (!hasRole(arm, principal, `${storageId}/blobServices/default/containers/${container}`, SENDER.blob)) return
  const { event, attempts, reason, subscription } = letter
  const [day = '', time = ''] = new Date().toISOString().split('T')
  const path = [
    owner['name'],
    subscription.toUpperCase(),
    ...day.split('-').map(Number),
    Number(time.slice(0, 2)),
    `${event.id}.json`,
  ].join('/')
  const body = [{ ...event, deadLetterReason: 'MaxDeliveryAttemptsExceeded', deliveryAttempts: attempts, lastDeliveryOutcome: reason }]
  await outlets.writeBlob(storageId, container, path, JSON.stringify(body))
}
