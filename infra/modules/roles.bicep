// The roles of the app: exactly what it does in Azure. Names of roles are unique in a tenant, so they end with the token.
targetScope = 'subscription'

import { customRoleOf } from '../types.bicep'

param token string

@description('Subscriptions with subnets that machines may be in. The roles of subnets and networks are assigned in each of them.')
param subnetSubscriptionIds array

var actions = loadJsonContent('../roles.json').custom
var kinds = [
  { key: 'nodeGroup', title: 'node group', about: 'Makes and ends machines in the resource group of the nodes.' }
  { key: 'subnet', title: 'subnet', about: 'Puts machines into a subnet.' }
  { key: 'network', title: 'network', about: 'Reads the network of such a subnet.' }
  { key: 'cluster', title: 'cluster', about: 'Reads what machines of a cluster must know.' }
  { key: 'subscription', title: 'subscription', about: 'Reads sizes, how many of them are left, and images.' }
]

resource roles 'Microsoft.Authorization/roleDefinitions@2022-04-01' = [
  for kind in kinds: {
    name: customRoleOf(subscription().id, token, kind.key)
    properties: {
      roleName: 'Joiner ${kind.title} ${token}'
      description: kind.about
      type: 'CustomRole'
      permissions: [{ actions: actions[kind.key], notActions: [], dataActions: [], notDataActions: [] }]
      assignableScopes: contains(['subnet', 'network'], kind.key)
        ? union([subscription().id], map(subnetSubscriptionIds, id => '/subscriptions/${id}'))
        : [subscription().id]
    }
  }
]

@description('Ids of the definitions.')
output ids array = [for (kind, at) in kinds: roles[at].id]
