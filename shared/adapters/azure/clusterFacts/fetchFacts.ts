import type { BackendAddressPool } from '@azure/arm-network'
import { addAll } from '../../../base/lists.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import { defined } from '../../../base/values.ts'
import { type ClusterFacts, exceptRanges, type NetworkFacts, type UnsupportedMember } from '../../../model/clusterFacts.ts'
import { MANAGED_NETWORK, managedSubnetOf } from '../../../model/nodeClass.ts'
import type { Problem } from '../../../model/problem.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import { MANAGED_CLUSTER_VERSION, parseManagedCluster } from '../../../wire/azure/managedCluster.ts'
import { parseVirtualNetwork, VIRTUAL_NETWORK_VERSION, type VirtualNetworkFacts } from '../../../wire/azure/virtualNetwork.ts'
import type { ClusterEntry } from '../../../wire/clusterEntry.ts'
import { armGet } from '../armGet.ts'
import type { ArmClients } from '../clients.ts'

/** Names of the resources that AKS creates in the node resource group. */
const SECURITY_GROUP = /^aks-agentpool-\d+-nsg$/i
const LOAD_BALANCERS: ReadonlySet<string> = new Set(['kubernetes', 'kubernetes-internal'])
/** Backend pools for IPv6. They are left out, because a network interface has only one address, of the first address family. */
const IPV6_POOLS: ReadonlySet<string> = new Set(['aksoutboundbackendpool-ipv6', 'kubernetes-ipv6'])

/** What the entry of a cluster sets, so that Azure is not asked for it. */
export type GivenNetwork = Pick<ClusterEntry, 'vnetSubnetId' | 'vnetGuid'>

/** Fetches all facts of one cluster, or none. Throws the error of the SDK if Azure refuses a call. */
export async function fetchFacts(
  clients: ArmClients,
  resourceId: string,
  given: GivenNetwork,
  signal: AbortSignalLike,
): Promise<Result<ClusterFacts, Problem>> {
  const body = await armGet(clients, resourceId, { 'api-version': MANAGED_CLUSTER_VERSION }, signal)
  const cluster = parseManagedCluster(body, resourceId)
  if (!cluster.ok) return err(cluster.error)
  const { unsupported, ...group } = await groupNetwork(clients, cluster.value.nodeResourceGroup, signal)
  const network = { ...group, ...cluster.value.network, backendPoolIds: group.backendPoolIds }
  const { httpProxy, ...facts } = cluster.value
  const needsGuid = network.plugin === 'azure' && network.pluginMode === 'overlay' && given.vnetGuid === undefined
  const subnetId = given.vnetSubnetId ?? network.subnetId
  const { guid, ranges } = needsGuid || httpProxy !== undefined ? await networkOf(clients, subnetId, signal) : NO_NETWORK
  return ok({
    ...facts,
    unsupported: [...facts.unsupported, ...unsupported],
    network: { ...network, ...defined({ vnetGuid: needsGuid ? guid : undefined }) },
    ...(httpProxy === undefined ? {} : { httpProxy: exceptRanges(httpProxy, ranges) }),
  })
}

const NO_NETWORK: VirtualNetworkFacts = { ranges: [] }

/** Reads the network of the machines. Nodes of an overlay network need its GUID, and nodes behind a proxy reach its addresses without the proxy. */
async function networkOf(clients: ArmClients, subnetId: string | undefined, signal: AbortSignalLike): Promise<VirtualNetworkFacts> {
  if (subnetId === undefined) return NO_NETWORK
  const networkId = subnetId.replace(/\/subnets\/[^/]*$/i, '')
  return parseVirtualNetwork(await armGet(clients, networkId, { 'api-version': VIRTUAL_NETWORK_VERSION }, signal))
}

type GroupNetwork = Pick<NetworkFacts, 'subnetId' | 'backendPoolIds' | 'networkSecurityGroupId'>

async function groupNetwork(
  clients: ArmClients,
  group: string,
  abortSignal: AbortSignalLike,
): Promise<GroupNetwork & Pick<ClusterFacts, 'unsupported'>> {
  const { virtualNetworks, networkSecurityGroups } = await clients.network()
  const [networkIds, securityGroups, backendPoolIds] = await Promise.all([
    idsOf(virtualNetworks.list(group, { abortSignal }), MANAGED_NETWORK),
    idsOf(networkSecurityGroups.list(group, { abortSignal }), SECURITY_GROUP),
    backendPools(clients, group, abortSignal),
  ])
  // If there are several, it is not known which one is meant.
  const [networkId, otherNetwork] = networkIds
  const [networkSecurityGroupId, otherGroup] = securityGroups
  return {
    backendPoolIds,
    unsupported: severalGroups(group, securityGroups),
    ...defined({
      subnetId: networkId !== undefined && otherNetwork === undefined ? managedSubnetOf(networkId) : undefined,
      networkSecurityGroupId: otherGroup === undefined ? networkSecurityGroupId : undefined,
    }),
  }
}

/**
 * Several security groups that AKS may have made. Nodes need to know which one AKS keeps the rules of services in: with another one, load balancers
 * would not reach their pods. None is no finding: nodes without one boot, and the cloud provider of Azure then writes no rules.
 */
function severalGroups(resourceGroup: string, ids: readonly string[]): readonly UnsupportedMember[] {
  if (ids.length < 2) return []
  const names = ids.map((id) => id.slice(id.lastIndexOf('/') + 1)).join(', ')
  const message = `the resource group of the nodes, ${resourceGroup}, has several security groups with a name of AKS: ${names}; Joiner does not know which one nodes belong to`
  const remedy =
    'delete those that AKS does not use, or set networkSecurityGroup and networkSecurityGroupId in the overrides of the cluster'
  return [{ code: 'PREFLIGHT.NETWORK', member: 'networkSecurityGroups', message, remedy, settledBy: 'networkSecurityGroup' }]
}

type Named = { readonly id?: string; readonly name?: string }

async function idsOf(list: AsyncIterable<Named>, name: RegExp): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const each of list) if (each.id !== undefined && name.test(each.name ?? '')) ids.push(each.id)
  return ids
}

/** The ids of the backend pools that the interfaces of nodes must join. */
export async function backendPools(
  { network }: Pick<ArmClients, 'network'>,
  group: string,
  abortSignal: AbortSignalLike,
): Promise<readonly string[]> {
  const ids: (string | undefined)[] = []
  const { loadBalancers } = await network()
  for await (const balancer of loadBalancers.list(group, { abortSignal })) {
    if (!LOAD_BALANCERS.has(balancer.name?.toLowerCase() ?? '')) continue
    addAll(
      ids,
      (balancer.backendAddressPools ?? []).filter(isJoined).map(({ id }) => id),
    )
  }
  return ids.filter((id) => id !== undefined)
}

/** Reports whether nodes must join the pool by their network interfaces. AKS itself fills a pool whose members are addresses. */
function isJoined({ name, loadBalancerBackendAddresses = [] }: BackendAddressPool): boolean {
  return !IPV6_POOLS.has(name?.toLowerCase() ?? '') && !loadBalancerBackendAddresses.some(({ ipAddress }) => (ipAddress ?? '') !== '')
}
