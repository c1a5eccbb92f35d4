// A small AKS cluster with what Joiner needs: Azure CNI overlay with Cilium, Entra, OIDC issuer, workload identity, and no provisioner of AKS's own.
@minLength(1)
@maxLength(63)
param name string
param location string
param tags object
param vmSize string

@description('Object id of its administrator; empty for none.')
param principalId string

@allowed(['User', 'ServicePrincipal'])
param principalType string

var roleId = loadJsonContent('../roles.json').builtIn.aksClusterAdministrator

resource managedCluster 'Microsoft.ContainerService/managedClusters@2026-05-01' = {
  name: name
  location: location
  tags: tags
  sku: { name: 'Base', tier: 'Free' }
  identity: { type: 'SystemAssigned' }
  properties: {
    dnsPrefix: name
    enableRBAC: true
    disableLocalAccounts: true
    aadProfile: { managed: true, enableAzureRBAC: true, tenantID: tenant().tenantId }
    oidcIssuerProfile: { enabled: true }
    securityProfile: { workloadIdentity: { enabled: true } }
    nodeProvisioningProfile: { mode: 'Manual' }
    agentPoolProfiles: [
      {
        name: 'system'
        mode: 'System'
        type: 'VirtualMachineScaleSets'
        osType: 'Linux'
        vmSize: vmSize
        count: 2
        nodeTaints: ['CriticalAddonsOnly=true:NoSchedule']
      }
    ]
    networkProfile: {
      networkPlugin: 'azure'
      networkPluginMode: 'overlay'
      networkDataplane: 'cilium'
      networkPolicy: 'cilium'
      outboundType: 'loadBalancer'
      loadBalancerSku: 'standard'
    }
    autoUpgradeProfile: { upgradeChannel: 'patch', nodeOSUpgradeChannel: 'NodeImage' }
  }
}

resource administrator 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(principalId)) {
  name: guid(managedCluster.id, principalId, roleId)
  scope: managedCluster
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
    principalId: principalId
    principalType: principalType
  }
}

output id string = managedCluster.id
