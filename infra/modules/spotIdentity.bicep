// The identity of the shim in one cluster. It may publish to the topic of that cluster and do nothing else in Azure.
@minLength(3)
@maxLength(128)
param name string
param location string
param tags object
param oidcIssuer string
param namespace string
param topicName string

@description('Whether the forwarder shows a token of this identity too.')
param withForwarder bool

var roleId = loadJsonContent('../roles.json').builtIn.eventGridDataSender
var accounts = withForwarder ? ['joiner-spot', 'joiner-shim'] : ['joiner-spot']

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' = {
  name: name
  location: location
  tags: tags

  // Azure refuses two credentials of one identity that are written at the same time.
  @batchSize(1)
  resource credentials 'federatedIdentityCredentials' = [
    for account in accounts: {
      name: account
      properties: {
        issuer: oidcIssuer
        subject: 'system:serviceaccount:${namespace}:${account}'
        audiences: ['api://AzureADTokenExchange']
      }
    }
  ]
}

resource topic 'Microsoft.EventGrid/topics@2025-02-15' existing = {
  name: topicName
}

resource sender 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(topic.id, identity.id, roleId)
  scope: topic
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
    principalId: identity.properties.principalId
    principalType: 'ServicePrincipal'
  }
}

output clientId string = identity.properties.clientId
output principalId string = identity.properties.principalId
