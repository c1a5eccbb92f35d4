// Subscriptions to Azure's health events about machines in the resource groups of nodes.
import { deadLetterOf, functionDestination, queueDestination, retryPolicy } from '../delivery.bicep'

param token string
param topicName string
param nodeResourceGroups string[]
param appId string
param storageId string

@allowed(['function', 'queue'])
param eventDelivery string

var toQueue = eventDelivery == 'queue'

resource topic 'Microsoft.EventGrid/systemTopics@2025-02-15' existing = {
  name: topicName
}

resource subscriptions 'Microsoft.EventGrid/systemTopics/eventSubscriptions@2025-02-15' = [
  for nodeGroup in nodeResourceGroups: {
    parent: topic
    name: 'joiner-${token}-${uniqueString(toLower(nodeGroup))}'
    properties: {
      eventDeliverySchema: 'EventGridSchema'
      destination: toQueue ? null : functionDestination(appId)
      deliveryWithResourceIdentity: toQueue ? queueDestination(storageId) : null
      deadLetterWithResourceIdentity: deadLetterOf(storageId)
      retryPolicy: retryPolicy
      filter: {
        subjectBeginsWith: '${subscription().id}/resourceGroups/${nodeGroup}/providers/Microsoft.Compute/virtualMachines/'
        isSubjectCaseSensitive: false
        includedEventTypes: ['Microsoft.ResourceNotifications.HealthResources.ResourceAnnotated']
        advancedFilters: [
          {
            operatorType: 'StringIn'
            key: 'data.resourceInfo.properties.annotationName'
            values: ['VirtualMachinePreempted', 'VirtualMachineDeallocationInitiated']
          }
        ]
      }
    }
  }
]
