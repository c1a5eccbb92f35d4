// One topic for each cluster, because a notice is only trusted for machines of that cluster. One topic for the health of machines.
import { cluster, topicNameOf } from '../types.bicep'

param token string
param location string
param tags object
param clusters cluster[]

@description('Id of the health topic of the subscription where there is one already; none where there can be none; empty makes one.')
param healthTopicId string

var hasOwnHealthTopic = empty(healthTopicId)
var hasSharedHealthTopic = !hasOwnHealthTopic && healthTopicId != 'none'

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

resource sharedHealth 'Microsoft.EventGrid/systemTopics@2025-02-15' existing = if (hasSharedHealthTopic) {
  name: last(split(healthTopicId, '/'))
  scope: resourceGroup(hasSharedHealthTopic ? split(healthTopicId, '/')[4] : resourceGroup().name)
}

output topicIds array = [for (each, at) in clusters: topics[at].id]
output endpoints array = [for (each, at) in clusters: topics[at].properties.endpoint]
output principalIds array = [for (each, at) in clusters: topics[at].identity.principalId]
output healthTopicId string = hasOwnHealthTopic ? health.id : healthTopicId
output healthPrincipalId string = hasOwnHealthTopic
  ? health!.identity.principalId
  : (hasSharedHealthTopic ? sharedHealth!.identity.principalId : '')
