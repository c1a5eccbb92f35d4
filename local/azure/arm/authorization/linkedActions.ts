import { at, isRecord, listAt, textAt } from '../../json.ts'
import type { NeededAction } from './needed.ts'

type Change = {
  /** Id of the resource in the path. */
  readonly id: string
  /** The body of the request. */
  readonly body: unknown
  /** The resource as it is before the request. */
  readonly held: unknown
}
type Link = {
  readonly type: string
  readonly methods: readonly string[]
  readonly action: string
  /** Returns the ids of the resources that the request links to its own. */
  readonly scopes: (change: Change) => readonly (string | undefined)[]
}

const WRITES = ['PUT', 'PATCH']
const VM = 'Microsoft.Compute/virtualMachines'
const NIC = 'Microsoft.Network/networkInterfaces'
const SITE = 'Microsoft.Web/sites'
const ENDPOINT = 'Microsoft.Network/privateEndpoints'
const ASSIGN = 'Microsoft.ManagedIdentity/userAssignedIdentities/assign/action'
const JOIN_SUBNET = 'Microsoft.Network/virtualNetworks/subnets/join/action'

const identities = ({ body }: Change): readonly string[] => {
  const assigned = at(body, 'identity.userAssignedIdentities')
  return isRecord(assigned) ? Object.keys(assigned) : []
}
const interfaces = (machine: unknown): readonly unknown[] => listAt(machine, 'properties.networkProfile.networkInterfaces')
const configurations = ({ body }: Change): readonly unknown[] => listAt(body, 'properties.ipConfigurations')
const endsToo = (part: unknown, path: string): boolean => textAt(part, path)?.toLowerCase() === 'delete'

const SYSTEM_TOPIC = 'Microsoft.EventGrid/systemTopics'
const HEALTH = 'Microsoft.ResourceNotifications.HealthResources'

/** The subscription, if the topic or the event subscription is about its health events. */
const healthSource = ({ id, body }: Change): readonly string[] => {
  const types = [textAt(body, 'properties.topicType'), ...listAt(body, 'properties.filter.includedEventTypes')]
  const isHealth = types.some((type) => typeof type === 'string' && type.startsWith(HEALTH))
  return isHealth ? [id.split('/').slice(0, 3).join('/')] : []
}

/** The disks of a machine. A disk without an id is made beside the machine, under the given name or one that Azure chooses. */
function disks(id: string, machine: unknown): readonly { readonly id: string; readonly disk: unknown }[] {
  const profile = at(machine, 'properties.storageProfile')
  const all = [at(profile, 'osDisk'), ...listAt(profile, 'dataDisks')].filter((disk) => disk !== undefined)
  return all.map((disk) => ({
    disk,
    id: textAt(disk, 'managedDisk.id') ?? id.replace(/\/virtualMachines\/[^/]+$/i, `/disks/${textAt(disk, 'name') ?? 'implicit'}`),
  }))
}

/**
 * Where a request links one resource to another, ARM also asks for an action on the other resource.
 *
 * Refused in public reports: joins of security groups and pools and of subnets (coreos/tectonic-installer pull request 1954, 2017-09;
 * kubernetes-sigs/cloud-provider-azure issue 1999, 2022-07; Azure/karpenter-provider-azure issue 944, 2025-06), assigning an identity
 * (Azure/aad-pod-identity issue 443, 2019-11), a route table of a subnet (microsoft/planetary-computer-hub pull request 25, 2021-10).
 * Documented: disks of a new machine (MicrosoftDocs/azure-docs issue 6250, 2018-03), reading the image in a gallery (Azure permissions for
 * Compute, 2026-03), the two actions for topics and event subscriptions of Azure Resource Notifications ("Azure Resource Notifications as an Azure
 * Event Grid source", 2025; built-in role Azure Resource Notifications System Topics Subscriber, 2025-10), and the rest as the join actions of the types (Azure permissions for Networking and Web, 2026-03). No source says whether
 * deleting a machine needs the right to delete what goes with it, or whether a new disk needs the right to read it. The emulator assumes the
 * stricter case: both rights are needed.
 */
const LINKS: readonly Link[] = [
  { type: VM, methods: ['PUT'], action: `${NIC}/join/action`, scopes: ({ body }) => interfaces(body).map((each) => textAt(each, 'id')) },
  ...['read', 'write'].map((verb) => ({
    type: VM,
    methods: ['PUT'],
    action: `Microsoft.Compute/disks/${verb}`,
    scopes: ({ id, body }: Change) => disks(id, body).map((each) => each.id),
  })),
  {
    type: VM,
    methods: ['PUT'],
    action: 'Microsoft.Compute/galleries/images/versions/read',
    scopes: ({ body }) => [textAt(body, 'properties.storageProfile.imageReference.id')],
  },
  {
    type: VM,
    methods: ['PUT'],
    action: 'Microsoft.Compute/diskEncryptionSets/read',
    scopes: ({ id, body }) => disks(id, body).map((each) => textAt(each.disk, 'managedDisk.diskEncryptionSet.id')),
  },
  { type: VM, methods: WRITES, action: ASSIGN, scopes: identities },
  {
    type: VM,
    methods: ['DELETE'],
    action: 'Microsoft.Compute/disks/delete',
    scopes: ({ id, held }) => disks(id, held).flatMap((each) => (endsToo(each.disk, 'deleteOption') ? [each.id] : [])),
  },
  {
    type: VM,
    methods: ['DELETE'],
    action: `${NIC}/delete`,
    scopes: ({ held }) => interfaces(held).flatMap((each) => (endsToo(each, 'properties.deleteOption') ? [textAt(each, 'id')] : [])),
  },
  {
    type: NIC,
    methods: WRITES,
    action: JOIN_SUBNET,
    scopes: (change) => configurations(change).map((each) => textAt(each, 'properties.subnet.id')),
  },
  {
    type: NIC,
    methods: WRITES,
    action: 'Microsoft.Network/networkSecurityGroups/join/action',
    scopes: ({ body }) => [textAt(body, 'properties.networkSecurityGroup.id')],
  },
  {
    type: NIC,
    methods: WRITES,
    action: 'Microsoft.Network/loadBalancers/backendAddressPools/join/action',
    scopes: (change) =>
      configurations(change).flatMap((each) =>
        listAt(each, 'properties.loadBalancerBackendAddressPools').map((pool) => textAt(pool, 'id')),
      ),
  },
  { type: SITE, methods: WRITES, action: ASSIGN, scopes: identities },
  { type: SITE, methods: WRITES, action: JOIN_SUBNET, scopes: ({ body }) => [textAt(body, 'properties.virtualNetworkSubnetId')] },
  {
    type: SITE,
    methods: WRITES,
    action: 'Microsoft.Web/serverfarms/join/action',
    scopes: ({ body }) => [textAt(body, 'properties.serverFarmId')],
  },
  { type: ENDPOINT, methods: WRITES, action: JOIN_SUBNET, scopes: ({ body }) => [textAt(body, 'properties.subnet.id')] },
  ...['Microsoft.Storage/storageAccounts', SITE].map((target) => ({
    type: ENDPOINT,
    methods: WRITES,
    action: `${target}/privateEndpointConnectionsApproval/action`,
    scopes: ({ body }: Change) =>
      listAt(body, 'properties.privateLinkServiceConnections').flatMap((each) => {
        const id = textAt(each, 'properties.privateLinkServiceId')
        return id?.toLowerCase().includes(`/providers/${target}/`.toLowerCase()) === true ? [id] : []
      }),
  })),
  {
    type: `${ENDPOINT}/privateDnsZoneGroups`,
    methods: WRITES,
    action: 'Microsoft.Network/privateDnsZones/join/action',
    scopes: ({ body }) => listAt(body, 'properties.privateDnsZoneConfigs').map((each) => textAt(each, 'properties.privateDnsZoneId')),
  },
  {
    type: 'Microsoft.Network/privateDnsZones/virtualNetworkLinks',
    methods: WRITES,
    action: 'Microsoft.Network/virtualNetworks/join/action',
    scopes: ({ body }) => [textAt(body, 'properties.virtualNetwork.id')],
  },
  {
    type: 'Microsoft.Network/virtualNetworks',
    methods: WRITES,
    action: 'Microsoft.Network/natGateways/join/action',
    scopes: ({ body }) => listAt(body, 'properties.subnets').map((each) => textAt(each, 'properties.natGateway.id')),
  },
  {
    type: 'Microsoft.Network/virtualNetworks/virtualNetworkPeerings',
    methods: WRITES,
    action: 'Microsoft.Network/virtualNetworks/peer/action',
    scopes: ({ body }) => [textAt(body, 'properties.remoteVirtualNetwork.id')],
  },
  {
    type: 'Microsoft.Network/natGateways',
    methods: WRITES,
    action: 'Microsoft.Network/publicIPAddresses/join/action',
    scopes: ({ body }) => listAt(body, 'properties.publicIpAddresses').map((each) => textAt(each, 'id')),
  },
  ...[SYSTEM_TOPIC, `${SYSTEM_TOPIC}/eventSubscriptions`].flatMap((type) =>
    ['Microsoft.ResourceNotifications/systemTopics/subscribeToHealthResources/action', 'Microsoft.EventGrid/eventSubscriptions/write'].map(
      (action) => ({ type, methods: WRITES, action, scopes: healthSource }),
    ),
  ),
]

/** Returns the actions that a request needs on the resources that it links to the resource in its path. */
export function linkedActions(type: string, method: string, change: Change): readonly NeededAction[] {
  return LINKS.filter((link) => link.type.toLowerCase() === type.toLowerCase() && link.methods.includes(method)).flatMap((link) => {
    const scopes = new Set(link.scopes(change).filter((scope) => scope !== undefined))
    return [...scopes].map((scope) => ({ action: link.action, scope }))
  })
}
