// Names that Azure accepts, for the types that the templates use. Source: "Naming rules and restrictions for Azure resources", learn.microsoft.com,
// 2026-07. `pattern` is for the last part of the name.
export type NameRule = { readonly least: number; readonly most: number; readonly pattern: RegExp }

const WORDS = /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$/
const NETWORK = /^[a-zA-Z0-9]([\w.-]*\w)?$/
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const GROUP = /^[-\w.()]*[-\w()]$/

export const NAMES: { readonly [type: string]: NameRule } = {
  'Microsoft.Resources/resourceGroups': { least: 1, most: 90, pattern: GROUP },
  'Microsoft.ManagedIdentity/userAssignedIdentities': { least: 3, most: 128, pattern: /^[a-zA-Z0-9][\w-]*$/ },
  'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials': { least: 3, most: 120, pattern: /^[a-zA-Z0-9][\w-]*$/ },
  'Microsoft.Compute/diskEncryptionSets': { least: 1, most: 80, pattern: /^\w([\w-]*\w)?$/ },
  'Microsoft.Storage/storageAccounts': { least: 3, most: 24, pattern: /^[a-z0-9]+$/ },
  'Microsoft.Storage/storageAccounts/blobServices': { least: 7, most: 7, pattern: /^default$/ },
  'Microsoft.Storage/storageAccounts/queueServices': { least: 7, most: 7, pattern: /^default$/ },
  'Microsoft.Storage/storageAccounts/blobServices/containers': { least: 3, most: 63, pattern: /^[a-z0-9](-?[a-z0-9])*$/ },
  'Microsoft.Storage/storageAccounts/queueServices/queues': { least: 3, most: 63, pattern: /^[a-z0-9](-?[a-z0-9])*$/ },
  'Microsoft.Storage/storageAccounts/managementPolicies': { least: 7, most: 7, pattern: /^default$/ },
  'Microsoft.Web/serverfarms': { least: 1, most: 60, pattern: /^[a-zA-Z0-9-]+$/ },
  'Microsoft.Web/sites': { least: 2, most: 60, pattern: WORDS },
  'Microsoft.Web/sites/config': { least: 3, most: 60, pattern: /^(appsettings|web|logs|authsettingsV2)$/ },
  'Microsoft.Web/sites/basicPublishingCredentialsPolicies': { least: 3, most: 3, pattern: /^(ftp|scm)$/ },
  'Microsoft.OperationalInsights/workspaces': { least: 4, most: 63, pattern: WORDS },
  'Microsoft.Insights/components': { least: 1, most: 260, pattern: /^[^%&\\?/]*[^%&\\?/ .]$/ },
  'Microsoft.Insights/workbooks': { least: 36, most: 36, pattern: GUID },
  'Microsoft.Insights/actionGroups': { least: 1, most: 260, pattern: /^[^:<>+/&%\\?|]*[^:<>+/&%\\?| .]$/ },
  'Microsoft.Insights/metricAlerts': { least: 1, most: 260, pattern: /^[^*#&+:<>?@%{}\\/|]*[^*#&+:<>?@%{}\\/| .]$/ },
  'Microsoft.Insights/scheduledQueryRules': { least: 1, most: 260, pattern: /^[^*<>%{}&:\\?/#|]*[^*<>%{}&:\\?/#| .]$/ },
  'Microsoft.Insights/diagnosticSettings': { least: 1, most: 260, pattern: /^[^*<>%&:\\?+/]*$/ },
  'Microsoft.Authorization/roleAssignments': { least: 36, most: 36, pattern: GUID },
  'Microsoft.Authorization/roleDefinitions': { least: 36, most: 36, pattern: GUID },
  'Microsoft.EventGrid/topics': { least: 3, most: 50, pattern: /^[a-zA-Z0-9-]+$/ },
  'Microsoft.EventGrid/systemTopics': { least: 3, most: 50, pattern: /^[a-zA-Z0-9-]+$/ },
  'Microsoft.EventGrid/topics/eventSubscriptions': { least: 3, most: 64, pattern: /^[a-zA-Z0-9-]+$/ },
  'Microsoft.EventGrid/systemTopics/eventSubscriptions': { least: 3, most: 64, pattern: /^[a-zA-Z0-9-]+$/ },
  'Microsoft.Network/virtualNetworks': { least: 2, most: 64, pattern: NETWORK },
  'Microsoft.Network/virtualNetworks/subnets': { least: 1, most: 80, pattern: NETWORK },
  'Microsoft.Network/virtualNetworks/virtualNetworkPeerings': { least: 1, most: 80, pattern: NETWORK },
  'Microsoft.Network/natGateways': { least: 1, most: 80, pattern: NETWORK },
  'Microsoft.Network/publicIPAddresses': { least: 1, most: 80, pattern: NETWORK },
  'Microsoft.Network/networkSecurityGroups': { least: 1, most: 80, pattern: NETWORK },
  'Microsoft.Network/privateEndpoints': { least: 2, most: 64, pattern: NETWORK },
  'Microsoft.Network/privateEndpoints/privateDnsZoneGroups': { least: 1, most: 80, pattern: NETWORK },
  'Microsoft.Network/privateDnsZones': { least: 1, most: 63, pattern: /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/ },
  'Microsoft.Network/privateDnsZones/virtualNetworkLinks': { least: 1, most: 80, pattern: NETWORK },
  'Microsoft.Consumption/budgets': { least: 1, most: 63, pattern: /^[\w-]+$/ },
  'Microsoft.ContainerService/managedClusters': { least: 1, most: 63, pattern: /^[a-zA-Z0-9]([\w-]*[a-zA-Z0-9])?$/ },
  'Microsoft.ContainerService/managedClusters/agentPools': { least: 1, most: 12, pattern: /^[a-z][a-z0-9]*$/ },
}
