/** Azure's answers to the calls that the commands and the hooks make without an adapter, as Azure spells them. */
import { join } from 'node:path'
import type { AnswerRow } from './answers.ts'

const SPECS = 'Azure/azure-rest-api-specs, specification'
const AUTHORIZATION = `${SPECS}/authorization/resource-manager/Microsoft.Authorization, examples`
const EVENTS = `${SPECS}/eventgrid/resource-manager/Microsoft.EventGrid, examples`
const NETWORK = `${SPECS}/network/resource-manager/Microsoft.Network, examples`
const RESOURCES = `${SPECS}/resources/resource-manager/Microsoft.Resources, examples`
const COMPUTE = `${SPECS}/compute/resource-manager/Microsoft.Compute, examples`
const WEB = `${SPECS}/web/resource-manager/Microsoft.Web, examples`
const AKS = `${SPECS}/containerservice/resource-manager/Microsoft.ContainerService/aks, examples`

/** The first row that a request fits is its answer. */
export const COMMAND_ANSWERS = {
  subscription: { request: /^GET \/subscriptions\/[^/]+$/i, source: `${RESOURCES}, GetSubscription` },
  'provider.registering': { request: /^POST .*\/providers\/Microsoft\.App\/register$/i, source: `${RESOURCES}, PostProvider` },
  provider: { request: /^GET \/subscriptions\/[^/]+\/providers\/Microsoft\.\w+$/i, source: `${RESOURCES}, GetProvider` },
  geoRegions: { request: /^GET .*\/Microsoft\.Web\/geoRegions$/i, source: `${WEB}, ListGeoRegions` },
  permissions: { request: /^GET .*\/Microsoft\.Authorization\/permissions$/i, source: `${AUTHORIZATION}, GetPermissions` },
  subnet: { request: /^GET .*\/virtualNetworks\/hub\/subnets\/app$/i, source: `${NETWORK}, SubnetGetWithDelegation` },
  systemTopics: {
    request: /^GET \/subscriptions\/[^/]+\/providers\/Microsoft\.EventGrid\/systemTopics$/i,
    source: `${EVENTS}, SystemTopics_ListBySubscription`,
  },
  'systemTopics.ofGroup': {
    request: /^GET .*\/resourceGroups\/rg-joiner-dev\/providers\/Microsoft\.EventGrid\/systemTopics$/i,
    source: `${EVENTS}, SystemTopics_ListByResourceGroup`,
  },
  eventSubscriptions: {
    request: /^GET .*\/systemTopics\/[^/]*health[^/]*\/eventSubscriptions$/i,
    source: `${EVENTS}, SystemTopicEventSubscriptions_ListBySystemTopic`,
  },
  userAssignedIdentities: {
    request: /^GET .*\/userAssignedIdentities$/i,
    source: `${SPECS}/msi/resource-manager/Microsoft.ManagedIdentity, examples, IdentityListByResourceGroup`,
  },
  peering: { request: /^GET .*\/virtualNetworkPeerings\/joiner-[a-z]+$/i, source: `${NETWORK}, VirtualNetworkPeeringGet` },
  zoneLink: {
    request: /^GET .*\/privateDnsZones\/[^/]+\/virtualNetworkLinks\/joiner-[a-z]+$/i,
    source: `${NETWORK}, VirtualNetworkLinkGet`,
  },
  privateDnsZones: { request: /^GET .*\/privateDnsZones$/i, source: `${NETWORK}, PrivateZoneListInSubscription` },
  'roleAssignments.ofGroup': {
    request: /^GET .*\/resourceGroups\/rg-joiner-dev\/providers\/Microsoft\.Authorization\/roleAssignments$/i,
    source: `${AUTHORIZATION}, RoleAssignments_ListForResourceGroup`,
  },
  roleAssignments: {
    request: /^GET .*\/Microsoft\.Authorization\/roleAssignments$/i,
    source: `${AUTHORIZATION}, RoleAssignments_ListForSubscription`,
  },
  roleDefinitions: { request: /^GET .*\/Microsoft\.Authorization\/roleDefinitions$/i, source: `${AUTHORIZATION}, RoleDefinitions_List` },
  roleDefinition: {
    request: /^GET .*\/Microsoft\.Authorization\/roleDefinitions\/[^/]+$/i,
    source: `${AUTHORIZATION}, RoleDefinitions_Get`,
  },
  disks: { request: /^GET .*\/Microsoft\.Compute\/disks$/i, source: `${COMPUTE}, Disk_ListByResourceGroup` },
  virtualMachines: { request: /^GET .*\/Microsoft\.Compute\/virtualMachines$/i, source: `${COMPUTE}, VirtualMachine_List*` },
  networkInterfaces: { request: /^GET .*\/Microsoft\.Network\/networkInterfaces$/i, source: `${NETWORK}, NetworkInterfaceList` },
  managedCluster: { request: /^GET .*\/managedClusters\/shop$/i, source: `${AKS}, ManagedClustersGet` },
  listClusterUserCredential: {
    request: /^POST .*\/managedClusters\/shop\/listClusterUserCredential$/i,
    source: `${AKS}, ManagedClustersListClusterUserCredentials`,
  },
  function: { request: /^GET .*\/sites\/app\/functions\/interruption$/i, source: `${WEB}, GetFunction` },
} as const satisfies { readonly [call: string]: AnswerRow }
export type CommandCall = keyof typeof COMMAND_ANSWERS

export const commandAnswerFile = (call: CommandCall): string => join(import.meta.dirname, 'commandAnswers', `${call}.json`)

/** Why no answer is read at a place that calls ARM. */
const STATUS = 'only whether Azure took the request'
const PASSED_ON = 'passes the call of its caller on'

/** Each place that calls ARM, in the order of its file: the answers that are read there, or why none is. */
export const CALL_SITES: { readonly [file: string]: readonly (readonly CommandCall[] | string)[] } = {
  'cli/armCall.ts': [PASSED_ON],
  'cli/clusterAccess.ts': [['listClusterUserCredential']],
  'cli/down/azureRights.ts': [
    ['userAssignedIdentities'],
    ['systemTopics'],
    ['eventSubscriptions'],
    ['peering', 'zoneLink'],
    ['privateDnsZones'],
    ['roleAssignments'],
    ['roleDefinitions'],
    STATUS,
    PASSED_ON,
  ],
  'cli/down/inventory.ts': [['disks'], STATUS],
  'cli/down/othersOnTopic.ts': [['systemTopics.ofGroup'], ['eventSubscriptions']],
  'cli/preflight/readInstallFacts.ts': [PASSED_ON, ['geoRegions'], ['provider'], ['permissions'], ['subnet']],
  'cli/preflight/readSystemTopics.ts': [['systemTopics']],
  'cli/preflight/readTenant.ts': [['subscription']],
  'cli/smoke/evictionStep.ts': [STATUS, STATUS],
  'cli/smoke/remains.ts': [['virtualMachines', 'networkInterfaces', 'disks'], STATUS],
  'cli/smoke/rightsStep.ts': [['permissions'], STATUS, ['roleAssignments'], ['roleDefinition']],
  'infra/hooks/clusterDetails.ts': [['managedCluster']],
  'infra/hooks/registerProviders.ts': [['provider.registering'], ['provider']],
  'infra/hooks/waitForFunction.ts': [['function']],
  'infra/hooks/waitForRoles.ts': [['roleDefinition'], ['roleAssignments.ofGroup']],
}
