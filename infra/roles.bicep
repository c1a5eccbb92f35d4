// The definitions of the app's roles, before the layer that assigns them: for some minutes, parts of Azure do not know a new role.
targetScope = 'subscription'

import { cluster, tokenOf } from 'types.bicep'

@description('Name of the azd environment.')
@minLength(1)
@maxLength(40)
param environmentName string

@description('Region of the deployment.')
@metadata({ azd: { type: 'location' } })
@minLength(1)
param location string

@description('Clusters to make machines for.')
@minLength(1)
@maxLength(20)
param clusters cluster[]

@description('custom: the roles are made. builtIn: Azure has them.')
@allowed(['custom', 'builtIn'])
param rbac string = 'custom'

var subnetIds = flatten(map(clusters, one => one.subnetIds))

module roles 'modules/roles.bicep' = if (rbac == 'custom') {
  params: {
    token: tokenOf(subscription().subscriptionId, environmentName, location)
    subnetSubscriptionIds: union(map(subnetIds, id => toLower(split(id, '/')[2])), [])
  }
}

output JOINER_ROLE_IDS array = rbac == 'custom' ? roles!.outputs.ids : []
