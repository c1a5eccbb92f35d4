// Private endpoints of the app and its storage in the virtual network.
param token string
param location string
param tags object
param storageName string
param siteName string
param subnetId string

@description('Network of the subnet.')
param networkId string

@description('Zone of private endpoints of function apps. It differs in clouds other than the public one.')
param siteZone string

@description('Networks of clusters, whose shims reach the app at its private address.')
param clusterNetworkIds array

var targets = [
  { group: 'blob', zone: 'privatelink.blob.${environment().suffixes.storage}', isSite: false }
  { group: 'queue', zone: 'privatelink.queue.${environment().suffixes.storage}', isSite: false }
  { group: 'sites', zone: siteZone, isSite: true }
]

resource storage 'Microsoft.Storage/storageAccounts@2025-06-01' existing = {
  name: storageName
}

resource site 'Microsoft.Web/sites@2024-11-01' existing = {
  name: siteName
}

resource zones 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for target in targets: {
    name: target.zone
    location: 'global'
    tags: tags
  }
]

resource links 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (target, at) in targets: {
    parent: zones[at]
    name: 'joiner-${token}'
    location: 'global'
    tags: tags
    properties: { registrationEnabled: false, virtualNetwork: { id: networkId } }
  }
]

resource clusterLinks 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for id in clusterNetworkIds: {
    parent: zones[indexOf(map(targets, target => target.group), 'sites')]
    name: 'joiner-${token}-${uniqueString(id)}'
    location: 'global'
    tags: tags
    properties: { registrationEnabled: false, virtualNetwork: { id: id } }
  }
]

resource endpoints 'Microsoft.Network/privateEndpoints@2025-05-01' = [
  for target in targets: {
    name: 'pe-joiner-${target.group}-${token}'
    location: location
    tags: tags
    properties: {
      subnet: { id: subnetId }
      privateLinkServiceConnections: [
        {
          name: target.group
          properties: { privateLinkServiceId: target.isSite ? site.id : storage.id, groupIds: [target.group] }
        }
      ]
    }
  }
]

resource zoneGroups 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2025-05-01' = [
  for (target, at) in targets: {
    parent: endpoints[at]
    name: 'default'
    properties: { privateDnsZoneConfigs: [{ name: target.group, properties: { privateDnsZoneId: zones[at].id } }] }
  }
]
