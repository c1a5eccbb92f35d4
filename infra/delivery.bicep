// Where events go: to the function, or to the queue that it reads.

@export()
@description('Of an event that could not be delivered for a day, the topic writes a blob.')
func deadLetterOf(storageId string) object => {
  identity: { type: 'SystemAssigned' }
  deadLetterDestination: {
    endpointType: 'StorageBlob'
    properties: { resourceId: storageId, blobContainerName: 'dead-letters' }
  }
}

@export()
func functionDestination(appId string) object => {
  endpointType: 'AzureFunction'
  properties: { resourceId: '${appId}/functions/interruption', maxEventsPerBatch: 1 }
}

@export()
@description('A notice is worth nothing when its machine is gone: ten minutes at most.')
func queueDestination(storageId string) object => {
  identity: { type: 'SystemAssigned' }
  destination: {
    endpointType: 'StorageQueue'
    properties: { resourceId: storageId, queueName: 'interruption', queueMessageTimeToLiveInSeconds: 600 }
  }
}

@export()
@description('Event Grid tries again after 10 s, 30 s, 1 min, 5 min and 10 min, and then gives up: by then the resync has seen it.')
var retryPolicy = { eventTimeToLiveInMinutes: 60, maxDeliveryAttempts: 10 }
