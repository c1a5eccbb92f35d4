// Subscriptions to the notices that nodes publish about their own machines.
import { deadLetterOf, functionDestination, queueDestination, retryPolicy } from '../delivery.bicep'

param topicNames string[]
param appName string
param storageName string

@allowed(['function', 'queue'])
param eventDelivery string

var toQueue = eventDelivery == 'queue'

resource site 'Microsoft.Web/sites@2024-11-01' existing = {
  name: appName
}

resource storage 'Microsoft.Storage/storageAccounts@2025-06-01' existing = {
  name: storageName
}

resource topics 'Microsoft.EventGrid/topics@2025-02-15' existing = [
  for name in topicNames: {
    name: name
  }
]

resource subscriptions 'Microsoft.EventGrid/topics/eventSubscriptions@2025-02-15' = [
  for (name, at) in topicNames: {
    parent: topics[at]
    name: 'joiner'
    properties: {
      eventDeliverySchema: 'EventGridSchema'
      destination: toQueue ? null : functionDestination(site.id)
      deliveryWithResourceIdentity: toQueue ? queueDestination(storage.id) : null
      deadLetterWithResourceIdentity: deadLetterOf(storage.id)
      retryPolicy: retryPolicy
      filter: { includedEventTypes: ['Joiner.NodeScheduledEvent'] }
    }
  }
]
