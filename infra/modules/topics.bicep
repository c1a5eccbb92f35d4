// One topic for each cluster, because a notice is only trusted for machines of that cluster. One topic for the health of machines.
import { cluster, topicNameOf } from '../types.bicep'

param token string
param location string
param tags object
param clusters cluster[]
param storageName string

@allowed(['function', 'queue'])
param events string

@description('Id of the health topic of the subscription where there is one already; empty makes one.')
param healthTopicId string

var builtIn = loadJsonContent('../roles.json').builtIn
var roleType = 'Microsoft.Authorization/roleDefinitions'
var hasOwnHealthTopic = empty(healthTopicId)
var usedHealthTopicId = hasOwnHealthTopic ? health.id : healthTopicId

resource storage 'Microsoft.Storage/storageAccounts@2025-06-01' existing = {
  name: storageName

  resource blobs 'blobServices' existing = {
    name: 'default'

    resource deadLetters 'containers' existing = {
      name: 'dead-letters'
    }
  }

  resource queueService 'queueServices' existing = {
    name: 'default'

    resource interruptions 'queues' existing = {
      name: 'interruption'
    }
  }
}

// The Event Grid schema, not CloudEvents: Event Grid itself writes into it from which topic an event comes.
resource topics 'Microsoft.EventGrid/topics@2025-02-15' = [
  for each in clusters: {
    name: topicNameOf(token, each.id)
    location: location
    tags: tags
    identity: { type: 'SystemAssigned' }
    properties: {
      disableLocalAuth: true
      inputSchema: 'EventGridSchema'
      minimumTlsVersionAllowed: '1.2'
      publicNetworkAccess: 'Enabled'
    }
  }
]

resource health 'Microsoft.EventGrid/systemTopics@2025-02-15' = if (hasOwnHealthTopic) {
  name: 'egst-joiner-${token}'
  location: 'global'
  tags: tags
  identity: { type: 'SystemAssigned' }
  properties: {
    source: subscription().id
    topicType: 'Microsoft.ResourceNotifications.HealthResources'
  }
}

resource sharedHealth 'Microsoft.EventGrid/systemTopics@2025-02-15' existing = if (!hasOwnHealthTopic) {
  name: last(split(healthTopicId, '/'))
  scope: resourceGroup(hasOwnHealthTopic ? resourceGroup().name : split(healthTopicId, '/')[4])
}

resource deadLetterRights 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for (each, at) in clusters: {
    name: guid(storage::blobs::deadLetters.id, topics[at].id, builtIn.storageBlobDataContributor)
    scope: storage::blobs::deadLetters
    properties: {
      roleDefinitionId: subscriptionResourceId(roleType, builtIn.storageBlobDataContributor)
      principalId: topics[at].identity.principalId
      principalType: 'ServicePrincipal'
    }
  }
]

resource queueRights 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for (each, at) in clusters: if (events == 'queue') {
    name: guid(storage::queueService::interruptions.id, topics[at].id, builtIn.storageQueueDataMessageSender)
    scope: storage::queueService::interruptions
    properties: {
      roleDefinitionId: subscriptionResourceId(roleType, builtIn.storageQueueDataMessageSender)
      principalId: topics[at].identity.principalId
      principalType: 'ServicePrincipal'
    }
  }
]

resource healthDeadLetterRights 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(storage::blobs::deadLetters.id, usedHealthTopicId, builtIn.storageBlobDataContributor)
  scope: storage::blobs::deadLetters
  properties: {
    roleDefinitionId: subscriptionResourceId(roleType, builtIn.storageBlobDataContributor)
    principalId: hasOwnHealthTopic ? health!.identity.principalId : sharedHealth!.identity.principalId
    principalType: 'ServicePrincipal'
  }
}

resource healthQueueRights 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (events == 'queue') {
  name: guid(storage::queueService::interruptions.id, usedHealthTopicId, builtIn.storageQueueDataMessageSender)
  scope: storage::queueService::interruptions
  properties: {
    roleDefinitionId: subscriptionResourceId(roleType, builtIn.storageQueueDataMessageSender)
    principalId: hasOwnHealthTopic ? health!.identity.principalId : sharedHealth!.identity.principalId
    principalType: 'ServicePrincipal'
  }
}

output topicIds array = [for (each, at) in clusters: topics[at].id]
output endpoints array = [for (each, at) in clusters: topics[at].properties.endpoint]
output healthTopicId string = usedHealthTopicId
