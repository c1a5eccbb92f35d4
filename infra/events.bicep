// The second layer: the event subscriptions. Event Grid checks that the function exists, so the code is deployed before.
targetScope = 'subscription'

import { cluster, topicNameOf } from 'types.bicep'

@description('Resource group of the first layer.')
@minLength(1)
@maxLength(90)
param resourceGroupName string

@description('Letters in the names of the first layer.')
@minLength(13)
@maxLength(13)
param token string

@description('Clusters of the first layer.')
@minLength(1)
@maxLength(20)
param clusters cluster[]

@description('Name of the function app.')
param appName string

@description('Name of its storage account.')
param storageName string

@description('How the first layer lets events come.')
@allowed(['function', 'queue'])
param eventDelivery string

@description('Id of the health topic of the subscription, or none.')
param healthTopicId string

@description('Whether the code of the app is there, so that Event Grid finds the function. Before, nothing is made.')
@allowed(['true', 'false'])
param appDeployed string = 'true'

var subscriptionId = subscription().subscriptionId
var hasHealthTopic = healthTopicId != 'none'

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' existing = {
  name: resourceGroupName
}

module notices 'modules/noticeSubscriptions.bicep' = if (appDeployed == 'true') {
  name: 'joiner-notices-${token}'
  scope: group
  params: {
    topicNames: map(clusters, each => topicNameOf(token, each.id))
    appName: appName
    storageName: storageName
    eventDelivery: eventDelivery
  }
}

module health 'modules/healthSubscriptions.bicep' = if (appDeployed == 'true' && hasHealthTopic) {
  name: 'joiner-health-${token}'
  scope: resourceGroup(hasHealthTopic ? split(healthTopicId, '/')[4] : resourceGroupName)
  params: {
    token: token
    topicName: last(split(healthTopicId, '/'))
    nodeResourceGroups: map(clusters, each => each.nodeResourceGroup)
    appId: resourceId(subscriptionId, resourceGroupName, 'Microsoft.Web/sites', appName)
    storageId: resourceId(subscriptionId, resourceGroupName, 'Microsoft.Storage/storageAccounts', storageName)
    eventDelivery: eventDelivery
  }
}
