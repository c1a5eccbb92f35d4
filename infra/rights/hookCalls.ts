import type { PlacedAction } from './placedAction.ts'

const of = (on: PlacedAction['on'], ...actions: readonly string[]): readonly PlacedAction[] => actions.map((action) => ({ on, action }))

/**
 * The actions that the hooks and `npx joiner` use in Azure. `npm run rehearse` compares the list with the requests that it sees. In each network mode
 * there must be no other request. Over all modes, each action must be used.
 */
export const HOOK_CALLS: readonly PlacedAction[] = [
  ...of(
    'subscription',
    ...['App', 'ContainerService', 'EventGrid', 'Insights', 'ManagedIdentity', 'Network', 'OperationalInsights', 'Storage', 'Web'].map(
      (provider) => `Microsoft.${provider}/register/action`,
    ),
    'Microsoft.Authorization/permissions/read',
    'Microsoft.Authorization/roleAssignments/delete',
    'Microsoft.Authorization/roleAssignments/read',
    'Microsoft.Authorization/roleDefinitions/delete',
    'Microsoft.Authorization/roleDefinitions/read',
    'Microsoft.EventGrid/systemTopics/eventSubscriptions/delete',
    'Microsoft.EventGrid/systemTopics/eventSubscriptions/read',
    'Microsoft.EventGrid/systemTopics/read',
    'Microsoft.ManagedIdentity/userAssignedIdentities/read',
    'Microsoft.Network/privateDnsZones/read',
    'Microsoft.Resources/subscriptions/providers/read',
    'Microsoft.Resources/subscriptions/read',
    'Microsoft.Web/geoRegions/read',
    'Microsoft.Web/sites/functions/read',
  ),
  ...of(
    'nodeGroup',
    'Microsoft.Authorization/permissions/read',
    'Microsoft.Authorization/roleAssignments/delete',
    'Microsoft.Compute/disks/delete',
    'Microsoft.Compute/disks/read',
    'Microsoft.Compute/virtualMachines/delete',
    'Microsoft.Compute/virtualMachines/instanceView/read',
    'Microsoft.Compute/virtualMachines/read',
    'Microsoft.Network/loadBalancers/read',
    'Microsoft.Network/networkInterfaces/delete',
    'Microsoft.Network/networkInterfaces/read',
    'Microsoft.Network/networkSecurityGroups/read',
    'Microsoft.Network/virtualNetworks/read',
  ),
  ...of(
    'cluster',
    'Microsoft.Authorization/permissions/read',
    'Microsoft.Authorization/roleAssignments/delete',
    'Microsoft.ContainerService/managedClusters/listClusterUserCredential/action',
    'Microsoft.ContainerService/managedClusters/read',
  ),
  ...of('subnet', 'Microsoft.Authorization/permissions/read', 'Microsoft.Authorization/roleAssignments/delete'),
  ...of(
    'network',
    'Microsoft.Authorization/roleAssignments/delete',
    'Microsoft.Network/virtualNetworks/read',
    'Microsoft.Network/virtualNetworks/virtualNetworkPeerings/delete',
    'Microsoft.Network/virtualNetworks/virtualNetworkPeerings/read',
  ),
]
