// The app may make machines whose disks are encrypted with a disk encryption set.
param setName string
param token string
param principalId string
param roleId string

resource set 'Microsoft.Compute/diskEncryptionSets@2024-03-02' existing = {
  name: setName
}

resource assignment 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(set.id, principalId, roleId)
  scope: set
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
    principalId: principalId
    principalType: 'ServicePrincipal'
    description: 'joiner-${token}'
  }
}
