// The app may create and delete machines in the resource group of a cluster's nodes.
param token string
param principalId string
param roleIds array

resource assignments 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for (roleId, at) in roleIds: {
    name: guid(resourceGroup().id, token, 'nodeGroup', string(at))
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
      principalId: principalId
      principalType: 'ServicePrincipal'
    }
  }
]
