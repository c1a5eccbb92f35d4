// The app may attach network interfaces of machines to a subnet.
param subnetId string
param token string
param principalId string
param roleId string

resource network 'Microsoft.Network/virtualNetworks@2025-05-01' existing = {
  name: split(subnetId, '/')[8]

  resource subnet 'subnets' existing = {
    name: last(split(subnetId, '/'))
  }
}

resource assignment 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(network::subnet.id, principalId, roleId)
  scope: network::subnet
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
    principalId: principalId
    principalType: 'ServicePrincipal'
    description: 'joiner-${token}'
  }
}
