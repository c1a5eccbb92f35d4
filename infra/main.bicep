// All of Joiner without the event subscriptions, which need the code of the app. They are in events.bicep.
targetScope = 'subscription'

import { cluster, customRoleOf, groupOf, networkIdOf, networkMode, tokenOf, topicNameOf } from 'types.bicep'

@description('Name of the azd environment. It is part of the name of the resource group.')
@minLength(1)
@maxLength(40)
param environmentName string

@description('Region of all resources. Flex Consumption must be available there.')
@metadata({ azd: { type: 'location' } })
@minLength(1)
param location string

@description('Clusters to make machines for.')
@minLength(1)
@maxLength(20)
param clusters cluster[]

@description('Added to the tags of all resources.')
param tags object = {}

@description('public: all is reached over the internet, by identity. vnet: the app leaves from one fixed address. private: storage and the app are reached from the virtual network only.')
param network networkMode = 'public'

@description('Ids of subnets to use instead of those of a new virtual network: app, delegated to Microsoft.App/environments, and with network private endpoints.')
param subnets object?

@description('Address space of the new virtual network, at least a /25. It must not overlap with networks of clusters.')
@minLength(9)
@maxLength(18)
param addressPrefix string = '10.250.0.0/24'

@description('small: nothing runs while nothing happens. fast: one instance always waits for posts of the shim, one for decisions.')
@allowed(['small', 'fast'])
param size string = 'small'

@description('Memory of an instance in MB.')
@allowed([512, 2048, 4096])
param instanceMemoryMB int = 2048

@description('Most instances of one function.')
@minValue(1)
@maxValue(1000)
param maximumInstanceCount int = 40

@description('Id of a Log Analytics workspace to use instead of a new one.')
param workspaceId string = ''

@description('Whether alert rules are made.')
@allowed(['on', 'off'])
param alerts string = 'on'

@description('Id of an action group that alerts notify instead of a new one.')
param actionGroupId string = ''

@description('Address that hears of alerts and of the budget. Empty: alerts are seen in the portal only, and owners of the resource group hear of the budget.')
@maxLength(254)
param alertEmail string = ''

@description('Id of the Event Grid system topic of the subscription to use instead of a new one. It needs a system-assigned identity. none: no health events.')
param healthTopicId string = ''

@description('GB a day at which the workspace stops to take logs.')
@minValue(1)
@maxValue(100)
param dailyCapGb int = 1

@description('Days for which logs are kept.')
@minValue(30)
@maxValue(730)
param retentionDays int = 30

@description('US dollars a month at which a budget of the resource group notifies. 0: no budget.')
@minValue(0)
@maxValue(100000)
param budget int = 0

@description('First day of the budget: the first day of a month.')
param budgetStart string = utcNow('yyyy-MM-01')

@description('custom: roles that hold what the app calls and nothing else. builtIn: wider roles of Azure, where no role may be defined.')
@allowed(['custom', 'builtIn'])
param rbac string = 'custom'

@description('function: Event Grid calls the app. queue: it writes to a storage queue that the app reads; always so with network private.')
@allowed(['function', 'queue'])
param eventDelivery string = 'function'

@description('serviceAccount: the forwarder shows a token of its service account and needs no identity here. entra: one of a managed identity.')
@allowed(['serviceAccount', 'entra'])
param shimAuth string = 'serviceAccount'

@description('Application ID URI of an app registration of yours, for which people and shims may bring tokens of the tenant. Needed where shimAuth is entra.')
@maxLength(255)
param entraAudience string = ''

@description('Namespace of the chart, and the name of its release.')
@minLength(1)
@maxLength(63)
param shimNamespace string = 'joiner'

@description('Settings of the app beside those the template gives, by name.')
param appSettings object = {}

var token = tokenOf(subscription().subscriptionId, environmentName, location)
var allTags = union(tags, { 'azd-env-name': environmentName })
var names = {
  group: 'rg-joiner-${environmentName}'
  identity: 'id-joiner-${token}'
  storage: 'stjoiner${token}'
  plan: 'plan-joiner-${token}'
  site: 'func-joiner-${token}'
  network: 'vnet-joiner-${token}'
  workspace: 'log-joiner-${token}'
  component: 'appi-joiner-${token}'
}
// Tokens of a service account are for one app: no other app accepts them.
var audience = empty(entraAudience) ? 'api://joiner-${token}' : entraAudience
var builtIn = loadJsonContent('roles.json').builtIn
var events = network == 'private' ? 'queue' : eventDelivery
// DNS zones for private endpoints of function apps.
var siteZones = {
  AzureCloud: 'privatelink.azurewebsites.net'
  AzureUSGovernment: 'privatelink.azurewebsites.us'
  AzureChinaCloud: 'privatelink.chinacloudsites.cn'
}
var subnetIds = union(flatten(map(clusters, one => one.subnetIds)), [])
// Of identities in the group of the nodes, the app has the rights by its role there.
var foreignIds = map(clusters, one => filter(one.identityIds, id => groupOf(id) != toLower(one.nodeResourceGroup)))
// Azure ignores the case of ids, so that two clusters with one set get one assignment.
var diskEncryptionSetIds = union(
  map(filter(clusters, one => one.?diskEncryptionSetId != null), one => toLower(one.?diskEncryptionSetId ?? '')),
  []
)
var hasOwnNetwork = network != 'public' && subnets == null
// The app's own network is peered with the clusters' networks if one of the two cannot reach the other over the internet.
var privateClusters = filter(clusters, one => one.?privateDnsZoneId != null)
var toJoin = !hasOwnNetwork ? [] : (network == 'private' ? clusters : privateClusters)
var clusterNetworkIds = union(map(flatten(map(toJoin, one => one.subnetIds)), id => networkIdOf(id)), [])
var clusterZoneIds = hasOwnNetwork ? union(map(privateClusters, one => toLower(one.?privateDnsZoneId ?? '')), []) : []

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {
  name: names.group
  location: location
  tags: allTags
}

module identity 'modules/identity.bicep' = {
  scope: group
  params: { name: names.identity, location: location, tags: allTags }
}

module telemetry 'modules/telemetry.bicep' = {
  scope: group
  params: {
    workspaceName: names.workspace
    componentName: names.component
    location: location
    tags: allTags
    workspaceId: workspaceId
    dailyCapGb: dailyCapGb
    retentionDays: retentionDays
    #disable-next-line what-if-short-circuiting // an assignment cannot be changed: a new principal needs a new name
    appPrincipalId: identity.outputs.principalId
  }
}

module virtualNetwork 'modules/network.bicep' = if (hasOwnNetwork) {
  scope: group
  params: { name: names.network, token: token, location: location, tags: allTags, addressPrefix: addressPrefix }
}

module peerings 'modules/peering.bicep' = [
  for id in clusterNetworkIds: {
    scope: group
    params: {
      networkName: names.network
      remoteNetworkId: id
      name: 'joiner-${uniqueString(id)}'
    }
    dependsOn: [virtualNetwork]
  }
]

module clusterPeerings 'modules/peering.bicep' = [
  for id in clusterNetworkIds: {
    name: 'joiner-peering-${token}-${uniqueString(id)}'
    scope: resourceGroup(split(id, '/')[2], split(id, '/')[4])
    params: {
      networkName: last(split(id, '/'))
      remoteNetworkId: virtualNetwork!.outputs.id
      name: 'joiner-${token}'
    }
  }
]

module clusterZoneLinks 'modules/zoneLink.bicep' = [
  for id in clusterZoneIds: {
    name: 'joiner-zone-${token}-${uniqueString(id)}'
    scope: resourceGroup(split(id, '/')[2], split(id, '/')[4])
    params: {
      zoneName: last(split(id, '/'))
      name: 'joiner-${token}'
      tags: allTags
      networkId: virtualNetwork!.outputs.id
    }
  }
]

module storage 'modules/storage.bicep' = {
  scope: group
  params: {
    name: names.storage
    location: location
    tags: allTags
    isPrivate: network == 'private'
    #disable-next-line what-if-short-circuiting // an assignment cannot be changed: a new principal needs a new name
    appPrincipalId: identity.outputs.principalId
  }
}

module topics 'modules/topics.bicep' = {
  scope: group
  params: {
    token: token
    location: location
    tags: allTags
    clusters: clusters
    healthTopicId: healthTopicId
  }
}

module topicRights 'modules/topicRights.bicep' = {
  scope: group
  params: {
    storageName: names.storage
    events: events
    #disable-next-line what-if-short-circuiting // an assignment cannot be changed: a new principal needs a new name
    principalIds: concat(topics.outputs.principalIds, healthTopicId == 'none' ? [] : [topics.outputs.healthPrincipalId])
  }
  dependsOn: [storage]
}

module spotIdentities 'modules/spotIdentity.bicep' = [
  for each in clusters: {
    scope: group
    params: {
      name: 'id-joiner-spot-${token}-${each.name}'
      location: location
      tags: allTags
      oidcIssuer: each.oidcIssuer
      namespace: shimNamespace
      topicName: topicNameOf(token, each.id)
      withForwarder: shimAuth == 'entra'
    }
    dependsOn: [topics]
  }
]

module site 'modules/site.bicep' = {
  scope: group
  params: {
    name: names.site
    planName: names.plan
    location: location
    tags: union(allTags, { 'azd-service-name': 'app' })
    identityId: identity.outputs.id
    identityClientId: identity.outputs.clientId
    storageName: names.storage
    packageContainer: storage.outputs.packageContainer
    subnetId: network == 'public' ? '' : (subnets == null ? virtualNetwork!.outputs.appSubnetId : subnets!.app)
    isPrivate: network == 'private'
    size: size
    instanceMemoryMB: instanceMemoryMB
    maximumInstanceCount: maximumInstanceCount
    connectionString: telemetry.outputs.connectionString
    workbookId: workbook.outputs.id
    workspaceId: telemetry.outputs.workspaceId
    clusters: clusters
    topicIds: topics.outputs.topicIds
    shimPrincipalIds: [for (each, at) in clusters: spotIdentities[at].outputs.principalId]
    shimAuth: shimAuth
    shimNamespace: shimNamespace
    audience: audience
    entraAudience: entraAudience
    events: events
    settings: appSettings
  }
}

module privateEndpoints 'modules/privateEndpoints.bicep' = if (network == 'private') {
  scope: group
  params: {
    token: token
    location: location
    tags: allTags
    storageName: names.storage
    siteName: names.site
    subnetId: subnets == null ? virtualNetwork!.outputs.endpointsSubnetId : subnets!.endpoints
    networkId: networkIdOf(subnets == null ? virtualNetwork!.outputs.endpointsSubnetId : subnets!.endpoints)
    siteZone: siteZones[environment().name]
    clusterNetworkIds: clusterNetworkIds
  }
  dependsOn: [storage, site]
}

module roles 'modules/roles.bicep' = if (rbac == 'custom') {
  params: {
    token: token
    subnetSubscriptionIds: union(map(subnetIds, id => toLower(split(id, '/')[2])), [])
  }
}

module subscriptionRights 'modules/subscriptionRights.bicep' = {
  params: {
    token: token
    #disable-next-line what-if-short-circuiting // an assignment cannot be changed: a new principal needs a new name
    principalId: identity.outputs.principalId
    roleId: rbac == 'custom' ? customRoleOf(subscription().id, token, 'subscription') : builtIn.reader
  }
  dependsOn: [roles]
}

module nodeGroupRights 'modules/nodeGroupRights.bicep' = [
  for each in clusters: {
    name: 'joiner-node-group-${token}-${uniqueString(toLower(each.id))}'
    scope: resourceGroup(each.nodeResourceGroup)
    params: {
      token: token
      #disable-next-line what-if-short-circuiting // an assignment cannot be changed: a new principal needs a new name
      principalId: identity.outputs.principalId
      roleIds: rbac == 'custom'
        ? [customRoleOf(subscription().id, token, 'nodeGroup')]
        : [builtIn.virtualMachineContributor, builtIn.networkContributor, builtIn.managedIdentityOperator]
    }
    dependsOn: [roles]
  }
]

module clusterRights 'modules/clusterRights.bicep' = [
  for each in clusters: {
    name: 'joiner-cluster-${token}-${uniqueString(toLower(each.id))}'
    scope: resourceGroup(split(each.id, '/')[4])
    params: {
      token: token
      clusterName: last(split(each.id, '/'))
      #disable-next-line what-if-short-circuiting // an assignment cannot be changed: a new principal needs a new name
      principalId: identity.outputs.principalId
      roleId: rbac == 'custom' ? customRoleOf(subscription().id, token, 'cluster') : builtIn.reader
    }
    dependsOn: [roles]
  }
]

// Clusters may share a subnet, and an assignment can be created only once.
module subnetRights 'modules/subnetRights.bicep' = [
  for each in subnetIds: {
    name: 'joiner-subnet-${token}-${uniqueString(toLower(each))}'
    scope: resourceGroup(split(each, '/')[2], split(each, '/')[4])
    params: {
      token: token
      subnetId: each
      #disable-next-line what-if-short-circuiting // an assignment cannot be changed: a new principal needs a new name
      principalId: identity.outputs.principalId
      roleId: rbac == 'custom' ? customRoleOf(subscription().id, token, 'subnet') : builtIn.networkContributor
    }
    dependsOn: [roles]
  }
]

module networkRights 'modules/networkRights.bicep' = [
  for each in union(map(subnetIds, id => networkIdOf(id)), []): {
    name: 'joiner-network-${token}-${uniqueString(each)}'
    scope: resourceGroup(split(each, '/')[2], split(each, '/')[4])
    params: {
      token: token
      networkId: each
      #disable-next-line what-if-short-circuiting // an assignment cannot be changed: a new principal needs a new name
      principalId: identity.outputs.principalId
      roleId: rbac == 'custom' ? customRoleOf(subscription().id, token, 'network') : builtIn.reader
    }
    dependsOn: [roles]
  }
]

module identityRights 'modules/identityRights.bicep' = [
  for each in union(flatten(foreignIds), []): {
    name: 'joiner-identity-${token}-${uniqueString(toLower(each))}'
    scope: resourceGroup(split(each, '/')[2], split(each, '/')[4])
    params: {
      token: token
      identityName: last(split(each, '/'))
      #disable-next-line what-if-short-circuiting // an assignment cannot be changed: a new principal needs a new name
      principalId: identity.outputs.principalId
      roleId: builtIn.managedIdentityOperator
    }
  }
]

module diskRights 'modules/diskRights.bicep' = [
  for each in diskEncryptionSetIds: {
    name: 'joiner-disks-${token}-${uniqueString(each)}'
    scope: resourceGroup(split(each, '/')[2], split(each, '/')[4])
    params: {
      token: token
      setName: last(split(each, '/'))
      #disable-next-line what-if-short-circuiting // an assignment cannot be changed: a new principal needs a new name
      principalId: identity.outputs.principalId
      roleId: builtIn.reader
    }
  }
]

module workbook 'modules/workbook.bicep' = {
  scope: group
  params: { token: token, location: location, tags: allTags, workspaceId: telemetry.outputs.workspaceId }
}

module alertRules 'modules/alerts.bicep' = if (alerts == 'on') {
  scope: group
  params: {
    token: token
    location: location
    tags: allTags
    workspaceId: telemetry.outputs.workspaceId
    actionGroupId: actionGroupId
    email: alertEmail
    topicIds: topics.outputs.topicIds
  }
}

module budgetOfGroup 'modules/budget.bicep' = if (budget > 0) {
  scope: group
  params: { amount: max(budget, 1), start: budgetStart, email: alertEmail }
}

output AZURE_RESOURCE_GROUP string = group.name
output JOINER_TOKEN string = token
output JOINER_TENANT_ID string = tenant().tenantId
output JOINER_APP_NAME string = site.outputs.name
output JOINER_APP_ENDPOINT string = site.outputs.endpoint
output JOINER_APP_PRINCIPAL_ID string = identity.outputs.principalId
output JOINER_APP_CLIENT_ID string = identity.outputs.clientId
output JOINER_AUDIENCE string = audience
output JOINER_STORAGE_NAME string = storage.outputs.name
output JOINER_EVENT_DELIVERY string = events
output JOINER_HEALTH_TOPIC_ID string = topics.outputs.healthTopicId
output JOINER_OUTBOUND_ADDRESS string = hasOwnNetwork ? virtualNetwork!.outputs.outboundAddress : ''
output JOINER_LOG_WORKSPACE_ID string = telemetry.outputs.workspaceId
output JOINER_WORKBOOK_ID string = workbook.outputs.id
output JOINER_TOPIC_ENDPOINTS array = topics.outputs.endpoints
output JOINER_SHIM_CLIENT_IDS array = [for (each, at) in clusters: spotIdentities[at].outputs.clientId]
