// A cluster for trying Joiner, in a resource group of its own. Creates nothing unless it is requested.
targetScope = 'subscription'

import { tokenOf } from 'types.bicep'

@description('Name of the azd environment. It is part of the name of the resource group.')
@minLength(1)
@maxLength(40)
param environmentName string

@description('Region of the cluster.')
@metadata({ azd: { type: 'location' } })
@minLength(1)
param location string

@description('Whether the cluster is made.')
@allowed(['true', 'false'])
param demoCluster string = 'false'

@description('Size of the two machines of the system pool.')
@minLength(1)
param vmSize string = 'Standard_D2as_v5'

@description('Object id of whoever deploys. It administers the cluster.')
param principalId string = ''

@description('What that is.')
@allowed(['User', 'ServicePrincipal'])
param principalType string = 'User'

@description('Added to the tags of all resources.')
param tags object = {}

var token = tokenOf(subscription().subscriptionId, environmentName, location)
var allTags = union(tags, { 'azd-env-name': environmentName })
var isMade = demoCluster == 'true'

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = if (isMade) {
  name: 'rg-joiner-demo-${environmentName}'
  location: location
  tags: allTags
}

module cluster 'modules/demoCluster.bicep' = if (isMade) {
  scope: group
  params: {
    name: 'aks-joiner-${token}'
    location: location
    tags: allTags
    vmSize: vmSize
    principalId: principalId
    principalType: principalType
  }
}

output JOINER_DEMO_CLUSTER_ID string = isMade ? cluster!.outputs.id : ''
