import * as z from 'zod'
import { ownValue } from '../../base/values.ts'
import { PUBLIC_CLOUD } from '../../model/cloud.ts'
import type { UnsupportedMember } from '../../model/clusterFacts.ts'
import { usableCertificates, usableProxy } from './httpProxy.ts'

/**
 * What Joiner does with a member of a managed cluster. `used`: it is read. `none`: it does not shape a node. `refused`: a node cannot be prepared for
 * some of its values. `inside`: each member of its own has a row.
 */
export type MemberRow =
  | { readonly rule: 'used' | 'none' }
  | { readonly rule: 'inside'; readonly members: MemberTable }
  | {
      readonly rule: 'refused'
      readonly isRefused: (value: unknown) => boolean
      readonly why: string
      readonly remedy: string
      readonly code?: UnsupportedMember['code']
    }
export type MemberTable = { readonly [member: string]: MemberRow }

const USED = { rule: 'used' } as const
const NONE = { rule: 'none' } as const
const NETWORK = { code: 'PREFLIGHT.NETWORK', remedy: 'use a cluster with Azure CNI, overlay or node subnet' } as const

const inside = (members: MemberTable): MemberRow => ({ rule: 'inside', members })
const of = (rule: typeof USED | typeof NONE, ...names: readonly string[]): MemberTable =>
  Object.fromEntries(names.map((name) => [name, rule]))
const refused = (
  isRefused: (value: unknown) => boolean,
  more: { readonly why: string; readonly remedy: string; readonly code?: UnsupportedMember['code'] },
): MemberRow => ({ rule: 'refused', isRefused, ...more })

const isSet = (value: unknown): boolean => value !== '' && value !== false && !(Array.isArray(value) && value.length === 0)
/** Reports whether a profile is there that does not say `enabled: false`. */
const isOn = (value: unknown): boolean => isSet(value) && ownMember(value, 'enabled') !== false
/** All other values are refused, also those that a later version of the API adds. */
const otherThan =
  (...known: readonly string[]) =>
  (value: unknown): boolean =>
    typeof value !== 'string' || !known.includes(value.toLowerCase())

const NETWORK_PROFILE: MemberTable = {
  networkPlugin: refused(otherThan('azure'), { why: 'Joiner prepares nodes for Azure CNI only', ...NETWORK }),
  networkPluginMode: refused(otherThan('', 'overlay'), { why: 'this mode of Azure CNI is not known', ...NETWORK }),
  networkPolicy: refused(otherThan('', 'none', 'azure', 'cilium'), {
    why: 'Joiner does not prepare nodes for this network policy',
    ...NETWORK,
  }),
  networkDataplane: refused(otherThan('azure', 'cilium'), { why: 'this data plane is not known', ...NETWORK }),
  networkMode: refused(otherThan('transparent'), { why: 'Joiner prepares nodes for the transparent mode only', ...NETWORK }),
  advancedNetworking: refused(
    (value) => isOn(value) && otherThan('none')(ownMember(ownMember(value, 'performance'), 'accelerationMode') ?? 'none'),
    {
      why: 'Joiner does not prepare nodes for acceleration of the data plane',
      remedy: 'set networkProfile.advancedNetworking.performance.accelerationMode of the cluster to None',
      code: 'PREFLIGHT.NETWORK',
    },
  ),
  ipFamilies: refused((value) => !Array.isArray(value) || value.some(otherThan('ipv4')), {
    why: 'a network interface of Joiner has an IPv4 address only',
    remedy: 'use a cluster with ipFamilies IPv4',
    code: 'PREFLIGHT.NETWORK',
  }),
  outboundType: refused(
    otherThan('loadbalancer', 'managednatgateway', 'managednatgatewayv2', 'userassignednatgateway', 'userdefinedrouting'),
    {
      why: `a node without outbound access cannot boot: its scripts ask ${PUBLIC_CLOUD.facts.imageRegistry} first`,
      remedy: 'use a cluster with an outbound type that reaches the internet',
      code: 'PREFLIGHT.OUTBOUND',
    },
  ),
  loadBalancerSku: refused(otherThan('standard'), { why: 'Joiner prepares nodes for the Standard load balancer only', ...NETWORK }),
  loadBalancerProfile: refused((value) => ownMember(value, 'enableMultipleStandardLoadBalancers') === true, {
    why: 'Joiner does not know which of several load balancers a node joins',
    ...NETWORK,
  }),
  // Only preview versions of the API tell it. IMDS restriction cannot be seen with a stable version.
  podLinkLocalAccess: refused(otherThan('imds'), { why: 'Joiner does not prepare nodes for IMDS restriction', ...NETWORK }),
  // Ranges of pods and services are reached without the proxy of the cluster.
  ...of(USED, 'dnsServiceIP', 'podCidr', 'serviceCidr', 'podCidrs', 'serviceCidrs'),
  ...of(NONE, 'natGatewayProfile', 'staticEgressGatewayProfile'),
}

const POD_SUBNET = {
  why: 'Joiner has no support for Azure CNI Pod Subnet: its nodes take addresses of pods from their own subnet',
  ...NETWORK,
}

/** The settings of a pool are its own. Refused are those that say what the whole cluster is like. */
const AGENT_POOL: MemberTable = {
  podSubnetID: refused(isSet, POD_SUBNET),
  podIPAllocationMode: refused(isSet, POD_SUBNET),
  type: refused(otherThan('virtualmachinescalesets', 'virtualmachines'), {
    why: 'a cluster with availability sets has another load balancer than nodes of Joiner join',
    remedy: 'use a cluster whose pools are of the type VirtualMachineScaleSets',
  }),
  ...of(USED, 'name', 'mode', 'count', 'nodeTaints', 'vnetSubnetID', 'enableFIPS', 'enableEncryptionAtHost', 'enableAutoScaling'),
  ...of(USED, 'virtualMachinesProfile', 'localDNSProfile'),
  ...of(NONE, 'eTag', 'vmSize', 'osDiskSizeGB', 'osDiskType', 'kubeletDiskType', 'workloadRuntime', 'messageOfTheDay', 'maxPods', 'osType'),
  ...of(NONE, 'osSKU', 'maxCount', 'minCount', 'scaleDownMode', 'orchestratorVersion', 'currentOrchestratorVersion'),
  ...of(NONE, 'nodeImageVersion', 'upgradeSettings', 'provisioningState', 'powerState', 'availabilityZones', 'enableNodePublicIP'),
  ...of(NONE, 'nodePublicIPPrefixID', 'scaleSetPriority', 'scaleSetEvictionPolicy', 'spotMaxPrice', 'tags', 'nodeLabels'),
  ...of(NONE, 'proximityPlacementGroupID', 'kubeletConfig', 'linuxOSConfig', 'enableUltraSSD', 'gpuInstanceProfile', 'creationData'),
  ...of(NONE, 'capacityReservationGroupID', 'hostGroupID', 'networkProfile', 'windowsProfile', 'securityProfile', 'gpuProfile'),
  ...of(NONE, 'gatewayProfile', 'artifactStreamingProfile', 'virtualMachineNodesStatus', 'status'),
}

/** The members of `properties` of a managed cluster. A test compares the names with the type of this API version. */
export const CLUSTER_MEMBERS: MemberTable = {
  networkProfile: inside(NETWORK_PROFILE),
  agentPoolProfiles: inside(AGENT_POOL),
  httpProxyConfig: refused((value) => isOn(value) && !usableProxy.safeParse(value).success, {
    why: 'its addresses must be http or https URLs of a host and a port, and its exceptions plain names and ranges, as scripts of the node take them',
    remedy: 'correct httpProxyConfig of the cluster, or set its enabled to false',
  }),
  securityProfile: inside({
    customCATrustCertificates: refused((value) => isSet(value) && !usableCertificates.safeParse(value).success, {
      why: 'it must be at most ten certificates, each in base64',
      remedy: 'correct securityProfile.customCATrustCertificates of the cluster',
    }),
    ...of(USED, 'workloadIdentity'),
    // Encryption by KMS is work of the API server. Defender and the image cleaner are DaemonSets.
    ...of(NONE, 'azureKeyVaultKms', 'defender', 'imageCleaner'),
  }),
  bootstrapProfile: refused((value) => otherThan('direct')(ownMember(value, 'artifactSource') ?? 'Direct'), {
    why: 'Joiner does not prepare nodes of a network isolated cluster, whose images come from a registry of its own',
    remedy: 'use a cluster whose bootstrapProfile.artifactSource is Direct',
  }),
  hostedSystemProfile: refused(isOn, {
    why: 'the system nodes of the cluster are not in it, and the shim runs on a system node',
    remedy: 'use a cluster with a system node pool',
  }),
  ...of(
    USED,
    'provisioningState',
    'powerState',
    'kubernetesVersion',
    'currentKubernetesVersion',
    'fqdn',
    'privateFQDN',
    'nodeResourceGroup',
  ),
  ...of(USED, 'nodeResourceGroupProfile', 'linuxProfile', 'servicePrincipalProfile', 'identityProfile', 'oidcIssuerProfile', 'aadProfile'),
  ...of(USED, 'nodeProvisioningProfile', 'apiServerAccessProfile', 'diskEncryptionSetID'),
  ...of(NONE, 'maxAgentPools', 'dnsPrefix', 'fqdnSubdomain', 'azurePortalFQDN', 'windowsProfile', 'addonProfiles', 'podIdentityProfile'),
  ...of(NONE, 'enableRBAC', 'supportPlan', 'autoUpgradeProfile', 'upgradeSettings', 'autoScalerProfile', 'privateLinkResources'),
  ...of(NONE, 'disableLocalAccounts', 'storageProfile', 'ingressProfile', 'publicNetworkAccess', 'workloadAutoScalerProfile'),
  ...of(
    NONE,
    'azureMonitorProfile',
    'serviceMeshProfile',
    'resourceUID',
    'metricsProfile',
    'aiToolchainOperatorProfile',
    'schedulerProfile',
  ),
  ...of(NONE, 'status'),
}

/** Returns the members of a managed cluster whose values Joiner cannot prepare a node for. ARM omits members that are not set, or sets them to null. */
export function unsupportedMembers(properties: unknown): readonly UnsupportedMember[] {
  return refusedIn(CLUSTER_MEMBERS, properties, '')
}

function refusedIn(table: MemberTable, value: unknown, path: string): readonly UnsupportedMember[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => refusedIn(table, each, `${path.slice(0, -1)}[${index}].`))
  return Object.entries(table).flatMap(([name, row]) => {
    const found = ownMember(value, name)
    if (found === undefined || found === null) return []
    if (row.rule === 'inside') return refusedIn(row.members, found, `${path}${name}.`)
    if (row.rule !== 'refused' || !row.isRefused(found)) return []
    const { why, remedy, code = 'PREFLIGHT.UNSUPPORTED' } = row
    return [{ code, member: `${path}${name}`, message: `${path}${name}${valueIn(found)} is not supported: ${why}`, remedy }]
  })
}

/** A value that is a word is no secret. Others may be long, or may hold one. */
function valueIn(value: unknown): string {
  return typeof value === 'string' && /^[\w-]{1,40}$/.test(value) ? ` ${value}` : ''
}

const record = z.record(z.string(), z.unknown())

function ownMember(value: unknown, name: string): unknown {
  const read = record.safeParse(value)
  return read.success ? ownValue(read.data, name) : undefined
}
