// One direction of a peering. Traffic flows once both networks have their direction.
param networkName string
param remoteNetworkId string
param name string

resource network 'Microsoft.Network/virtualNetworks@2025-05-01' existing = {
  name: networkName
}

resource peering 'Microsoft.Network/virtualNetworks/virtualNetworkPeerings@2025-05-01' = {
  parent: network
  name: name
  properties: {
    remoteVirtualNetwork: { id: remoteNetworkId }
    allowVirtualNetworkAccess: true
    allowForwardedTraffic: false
    allowGatewayTransit: false
    useRemoteGateways: false
  }
}
