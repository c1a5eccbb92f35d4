// A network for the app. All its traffic leaves from one fixed address, which an API server with authorized ranges can admit.
param name string
param token string
param location string
param tags object

@minLength(9)
@maxLength(18)
param addressPrefix string

resource address 'Microsoft.Network/publicIPAddresses@2025-05-01' = {
  name: 'pip-joiner-${token}'
  location: location
  tags: tags
  sku: { name: 'Standard', tier: 'Regional' }
  properties: { publicIPAllocationMethod: 'Static', publicIPAddressVersion: 'IPv4' }
}

resource gateway 'Microsoft.Network/natGateways@2025-05-01' = {
  name: 'ng-joiner-${token}'
  location: location
  tags: tags
  sku: { name: 'Standard' }
  properties: { idleTimeoutInMinutes: 4, publicIpAddresses: [{ id: address.id }] }
}

resource network 'Microsoft.Network/virtualNetworks@2025-05-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: [addressPrefix] }
    subnets: [
      {
        name: 'app'
        properties: {
          addressPrefix: cidrSubnet(addressPrefix, 26, 0)
          defaultOutboundAccess: false
          natGateway: { id: gateway.id }
          delegations: [{ name: 'app', properties: { serviceName: 'Microsoft.App/environments' } }]
        }
      }
      {
        name: 'endpoints'
        properties: { addressPrefix: cidrSubnet(addressPrefix, 26, 1), defaultOutboundAccess: false }
      }
    ]
  }
}

output id string = network.id
output appSubnetId string = '${network.id}/subnets/app'
output endpointsSubnetId string = '${network.id}/subnets/endpoints'
output outboundAddress string = address.properties.ipAddress
