// Lets a virtual network resolve the names of a private DNS zone that exists.
param zoneName string
param name string
param tags object
param networkId string

resource zone 'Microsoft.Network/privateDnsZones@2024-06-01' existing = {
  name: zoneName
}

resource link 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = {
  parent: zone
  name: name
  location: 'global'
  tags: tags
  properties: { registrationEnabled: false, virtualNetwork: { id: networkId } }
}
