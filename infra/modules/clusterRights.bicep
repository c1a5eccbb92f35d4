// The app may read the facts of the cluster itself.
param clusterName string
param token string
param principalId string
param roleId string

resource managedCluster 'Microsoft.ContainerService/managedClusters@2026-05-01' existing = {
  name: clusterName
}

resource assignment 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(managedCluster.id, principalId, roleId)
  scope: managedCluster
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
    principalId: principalId
    principalType: 'ServicePrincipal'
    description: 'joiner-${token}'
  }
}
