// The app may read the network of a subnet that machines may be in.
param networkId string
param token string
param principalId string
param roleId string

resource network 'Microsoft.Network/virtualNetworks@2025-05-01' existing = {
  name: last(split(networkId, '/'))
}

resource assignment 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(network.id, principalId, roleId)
  scope: network
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
    principalId: principalId
    principalType: 'ServicePrincipal'
    description: 'joiner-${token}'
  }
}
