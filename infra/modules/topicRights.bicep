// The topics may write undelivered events to storage, and with a queue as destination all events.
param storageName string

@allowed(['function', 'queue'])
param events string

@description('Object ids of the identities of the topics.')
param principalIds array

var builtIn = loadJsonContent('../roles.json').builtIn
var roleType = 'Microsoft.Authorization/roleDefinitions'

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

resource deadLetterRights 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for principalId in principalIds: {
    name: guid(storage::blobs::deadLetters.id, principalId, builtIn.storageBlobDataContributor)
    scope: storage::blobs::deadLetters
    properties: {
      roleDefinitionId: subscriptionResourceId(roleType, builtIn.storageBlobDataContributor)
      principalId: principalId
      principalType: 'ServicePrincipal'
    }
  }
]

resource queueRights 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for principalId in principalIds: if (events == 'queue') {
    name: guid(storage::queueService::interruptions.id, principalId, builtIn.storageQueueDataMessageSender)
    scope: storage::queueService::interruptions
    properties: {
      roleDefinitionId: subscriptionResourceId(roleType, builtIn.storageQueueDataMessageSender)
      principalId: principalId
      principalType: 'ServicePrincipal'
    }
  }
]
