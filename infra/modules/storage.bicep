// Storage for the app's state, messages and package. No shared key gives access.
@minLength(3)
@maxLength(24)
param name string
param location string
param tags object

@description('Refuses all but private endpoints and services of Azure with an identity, such as Event Grid.')
param isPrivate bool
param appPrincipalId string

var builtIn = loadJsonContent('../roles.json').builtIn
// The host warns at every poll of a queue that is not there.
var queueNames = ['wake', 'interruption', 'interruption-poison']
var appRoles = [
  builtIn.storageBlobDataOwner
  builtIn.storageQueueDataContributor
  builtIn.storageTableDataContributor
]

resource account 'Microsoft.Storage/storageAccounts@2025-06-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: 'Standard_LRS' }
  properties: {
    accessTier: 'Hot'
    allowBlobPublicAccess: false
    allowCrossTenantReplication: false
    allowSharedKeyAccess: false
    defaultToOAuthAuthentication: true
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    publicNetworkAccess: 'Enabled'
    networkAcls: { bypass: 'AzureServices', defaultAction: isPrivate ? 'Deny' : 'Allow' }
  }

  resource blobs 'blobServices' = {
    name: 'default'

    resource containers 'containers' = [
      for container in ['app-package', 'joiner', 'dead-letters']: {
        name: container
        properties: { publicAccess: 'None' }
      }
    ]
  }

  resource queueService 'queueServices' = {
    name: 'default'

    resource queues 'queues' = [
      for queue in queueNames: {
        name: queue
      }
    ]
  }
}

resource assignments 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for roleId in appRoles: {
    name: guid(account.id, appPrincipalId, roleId)
    scope: account
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
      principalId: appPrincipalId
      principalType: 'ServicePrincipal'
    }
  }
]

output name string = account.name
output packageContainer string = '${account.properties.primaryEndpoints.blob}app-package'
