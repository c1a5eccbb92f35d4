// The function app, on Flex Consumption.
import { cluster } from '../types.bicep'

@minLength(2)
@maxLength(60)
param name string
param planName string
param location string
param tags object
param identityId string
param identityClientId string
param storageName string
param packageContainer string

@description('Subnet that the traffic of the app leaves through; empty for none.')
param subnetId string

@description('Admits only callers that come through a private endpoint.')
param isPrivate bool

@allowed(['small', 'fast'])
param size string

@allowed([512, 2048, 4096])
param instanceMemoryMB int

@minValue(1)
@maxValue(1000)
param maximumInstanceCount int
param connectionString string
param workbookId string
param workspaceId string
param clusters cluster[]
param topicIds array
param shimPrincipalIds array

@allowed(['serviceAccount', 'entra'])
param shimAuth string
param shimNamespace string

@description('Whom tokens of service accounts of clusters are made for.')
param audience string

@description('Whom tokens of the tenant are made for; empty where none is taken.')
param entraAudience string

@allowed(['function', 'queue'])
param events string

@description('Settings that stand above those of the template.')
param settings object

var entries = map(
  range(0, length(clusters)),
  at =>
    union(
      {
        id: clusters[at].name
        resourceId: clusters[at].id
        eventGridTopicId: topicIds[at]
        shimServiceAccount: '${shimNamespace}/joiner-shim'
        readerServiceAccount: '${shimNamespace}/joiner-reader'
        allowedShimIdentities: shimAuth == 'entra' ? [shimPrincipalIds[at]] : []
      },
      clusters[at].?overrides ?? {}
    )
)
var entra = empty(entraAudience) ? {} : { ENTRA_AUDIENCE: entraAudience }
var given = {
  AzureWebJobsStorage__accountName: storage.name
  AzureWebJobsStorage__blobServiceUri: storage.properties.primaryEndpoints.blob
  AzureWebJobsStorage__queueServiceUri: storage.properties.primaryEndpoints.queue
  AzureWebJobsStorage__tableServiceUri: storage.properties.primaryEndpoints.table
  AzureWebJobsStorage__credential: 'managedidentity'
  AzureWebJobsStorage__clientId: identityClientId
  APPLICATIONINSIGHTS_CONNECTION_STRING: connectionString
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${identityClientId};Authorization=AAD'
  AZURE_CLIENT_ID: identityClientId
  WORKBOOK_ID: workbookId
  LOG_WORKSPACE_ID: workspaceId
  PORTAL_ENDPOINT: environment().portal
  ARM_ENDPOINT: environment().resourceManager
  ENTRA_AUTHORITY: environment().authentication.loginEndpoint
  ENTRA_TENANT_ID: tenant().tenantId
  SHIM_AUTH: shimAuth
  SHIM_AUDIENCE: audience
  EVENT_DELIVERY: events
  JOINER_CLUSTERS: string(entries)
}

// A spot machine is evicted half a minute after its notice. So a queue of notices must be polled more often than the queues of host.json.
var watching = events == 'queue' ? { AzureFunctionsJobHost__extensions__queues__maxPollingInterval: '00:00:01' } : {}

resource storage 'Microsoft.Storage/storageAccounts@2025-06-01' existing = {
  name: storageName
}

resource plan 'Microsoft.Web/serverfarms@2024-11-01' = {
  name: planName
  location: location
  tags: tags
  kind: 'functionapp'
  sku: { name: 'FC1', tier: 'FlexConsumption' }
  properties: { reserved: true }
}

resource site 'Microsoft.Web/sites@2024-11-01' = {
  name: name
  location: location
  tags: tags
  kind: 'functionapp,linux'
  identity: { type: 'UserAssigned', userAssignedIdentities: { '${identityId}': {} } }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    clientAffinityEnabled: false
    publicNetworkAccess: isPrivate ? 'Disabled' : 'Enabled'
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    siteConfig: { minTlsVersion: '1.2', ftpsState: 'Disabled' }
    functionAppConfig: {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: packageContainer
          authentication: { type: 'UserAssignedIdentity', userAssignedIdentityResourceId: identityId }
        }
      }
      runtime: { name: 'node', version: '24' }
      scaleAndConcurrency: {
        instanceMemoryMB: instanceMemoryMB
        maximumInstanceCount: maximumInstanceCount
        alwaysReady: size == 'fast'
          ? [{ name: 'http', instanceCount: 1 }, { name: 'function:timer', instanceCount: 1 }]
          : []
        // A shim has up to four answers open, each for 25 s at most, and more for a moment while it posts changes. 100 leaves room for 20 clusters
        // and for questions of people. The default goes by memory: 4 for 512 MB, 16 for 2,048 MB, 32 for 4,096 MB (learn.microsoft.com,
        // functions-concurrency, HTTP trigger concurrency, read in November 2026). So one shim would start a second instance of 512 MB, and four
        // shims one of 2,048 MB, which have to load the clusters again.
        triggers: { http: { perInstanceConcurrency: 100 } }
      }
    }
  }

  resource appSettings 'config' = {
    name: 'appsettings'
    properties: union(given, entra, watching, settings)
  }

  // Deployment uses Entra tokens.
  resource ftp 'basicPublishingCredentialsPolicies' = {
    name: 'ftp'
    properties: { allow: false }
  }

  resource scm 'basicPublishingCredentialsPolicies' = {
    name: 'scm'
    properties: { allow: false }
  }
}

output name string = site.name
output id string = site.id
output endpoint string = 'https://${site.properties.defaultHostName}'
