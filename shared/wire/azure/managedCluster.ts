import * as z from 'zod'
import { err, ok, type Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { type AgentPoolFacts, type ClusterFacts, exceptNear, type HttpProxy } from '../../model/clusterFacts.ts'
import { type Problem, problem } from '../../model/problem.ts'
import { unsupportedMembers } from './clusterMembers.ts'
import { usableCertificates, usableProxy } from './httpProxy.ts'

/** The API version of the answers that are parsed here. */
export const MANAGED_CLUSTER_VERSION = '2026-05-01'

/** ARM omits members that are not set, or sets them to null. */
function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

const text = z.string()
const maybeText = maybe(text)

const pool = z.object({
  name: text,
  mode: maybeText,
  count: maybe(z.number()),
  nodeTaints: maybe(z.array(text)),
  enableFIPS: maybe(z.boolean()),
  enableEncryptionAtHost: maybe(z.boolean()),
  enableAutoScaling: maybe(z.boolean()),
  localDNSProfile: maybe(z.object({ state: maybeText })),
  /** A pool of the type VirtualMachines has its sizes here, each scaled by hand or by the autoscaler. */
  virtualMachinesProfile: maybe(z.object({ scale: maybe(z.object({ autoscale: maybe(z.unknown()) })) })),
  vnetSubnetID: maybeText,
})

const properties = z.object({
  provisioningState: text,
  powerState: maybe(z.object({ code: text })),
  kubernetesVersion: maybeText,
  currentKubernetesVersion: maybeText,
  fqdn: maybeText,
  privateFQDN: maybeText,
  nodeResourceGroup: text,
  nodeResourceGroupProfile: maybe(z.object({ restrictionLevel: maybeText })),
  agentPoolProfiles: maybe(z.array(pool)),
  linuxProfile: maybe(z.object({ ssh: maybe(z.object({ publicKeys: maybe(z.array(z.object({ keyData: text }))) })) })),
  servicePrincipalProfile: maybe(z.object({ clientId: text })),
  identityProfile: maybe(z.object({ kubeletidentity: maybe(z.object({ clientId: text, resourceId: text })) })),
  oidcIssuerProfile: maybe(z.object({ enabled: maybe(z.boolean()), issuerURL: maybeText })),
  securityProfile: maybe(
    z.object({ workloadIdentity: maybe(z.object({ enabled: maybe(z.boolean()) })), customCATrustCertificates: z.unknown().optional() }),
  ),
  httpProxyConfig: z.unknown().optional(),
  aadProfile: maybe(z.object({ tenantID: maybeText })),
  diskEncryptionSetID: maybeText,
  nodeProvisioningProfile: maybe(z.object({ mode: maybeText })),
  apiServerAccessProfile: maybe(z.object({ enablePrivateCluster: maybe(z.boolean()), authorizedIPRanges: maybe(z.array(text)) })),
  networkProfile: z.object({
    networkPlugin: maybeText,
    networkPluginMode: maybeText,
    networkPolicy: maybeText,
    networkDataplane: maybeText,
    outboundType: maybeText,
    dnsServiceIP: maybeText,
    podCidr: maybeText,
    podCidrs: maybe(z.array(text)),
    serviceCidr: maybeText,
    serviceCidrs: maybe(z.array(text)),
  }),
})

const managedCluster = z.object({
  location: text,
  sku: maybe(z.object({ name: maybeText })),
  identity: maybe(z.object({ type: maybeText })),
  properties,
})
type Properties = z.output<typeof properties>

/** The client id that ARM reports for a cluster without its own service principal. */
const NO_SERVICE_PRINCIPAL = 'msi'

/** Parses the answer to GET of a managed cluster. If it cannot be parsed, returns one problem, which names the first wrong field. */
export function parseManagedCluster(body: unknown, resourceId: string): Result<ClusterFacts, Problem> {
  const read = managedCluster.safeParse(body)
  if (!read.success) return err(firstProblem(resourceId, read.error.issues))
  const { location, sku, properties: of } = read.data
  const kubernetesVersion = of.currentKubernetesVersion ?? of.kubernetesVersion
  if (kubernetesVersion === undefined) return err(wrongField(resourceId, 'properties.currentKubernetesVersion', 'is missing'))
  const apiServer = apiServerOf(of, resourceId)
  if (!apiServer.ok) return apiServer
  return ok({
    resourceId,
    location: location.toLowerCase().replaceAll(' ', ''),
    kubernetesVersion,
    sku: sku?.name ?? 'Base',
    apiServer: apiServer.value,
    network: networkOf(of),
    pools: poolsOf(of),
    ...stateOf(of),
    ...identitiesOf(read.data),
    ...sshKeyOf(of),
    ...defined({
      diskEncryptionSetId: of.diskEncryptionSetID,
      httpProxy: proxyOf(of, apiServer.value.url),
    }),
    trustedCertificates: usableCertificates.safeParse(of.securityProfile?.customCATrustCertificates).data ?? [],
    unsupported: unsupportedMembers(Reflect.get(Object(body), 'properties')),
  })
}

/** Undefined if there is no proxy, if it is off, or if nodes cannot be prepared for it: then it is among the unsupported members. */
function proxyOf({ httpProxyConfig, networkProfile }: Properties, apiServerUrl: string): HttpProxy | undefined {
  const proxy = Reflect.get(Object(httpProxyConfig), 'enabled') === false ? undefined : usableProxy.safeParse(httpProxyConfig).data
  const { podCidr, podCidrs = [], serviceCidr, serviceCidrs = [] } = networkProfile
  return proxy && exceptNear(proxy, apiServerUrl, [podCidr, ...podCidrs, serviceCidr, ...serviceCidrs])
}

function sshKeyOf({ linuxProfile }: Properties): Pick<ClusterFacts, 'sshPublicKey'> {
  return defined({ sshPublicKey: linuxProfile?.ssh?.publicKeys?.[0]?.keyData })
}

/** A private cluster has its own host name, which resolves inside its network. */
function apiServerOf(of: Properties, resourceId: string): Result<ClusterFacts['apiServer'], Problem> {
  const isPrivate = of.apiServerAccessProfile?.enablePrivateCluster ?? false
  const host = isPrivate ? of.privateFQDN : of.fqdn
  if (host === undefined) return err(wrongField(resourceId, `properties.${isPrivate ? 'privateFQDN' : 'fqdn'}`, 'is missing'))
  return ok({ url: `https://${host}`, isPrivate, authorizedRanges: of.apiServerAccessProfile?.authorizedIPRanges ?? [] })
}

type StateFacts = Pick<
  ClusterFacts,
  'powerState' | 'provisioningState' | 'nodeResourceGroup' | 'nodeResourceGroupRestriction' | 'nodeProvisioning'
>

function stateOf(of: Properties): StateFacts {
  return {
    powerState: of.powerState?.code === 'Stopped' ? 'Stopped' : 'Running',
    provisioningState: of.provisioningState,
    nodeResourceGroup: of.nodeResourceGroup,
    nodeResourceGroupRestriction: of.nodeResourceGroupProfile?.restrictionLevel ?? 'Unrestricted',
    nodeProvisioning: of.nodeProvisioningProfile?.mode ?? 'Manual',
  }
}

type IdentityFacts = Pick<ClusterFacts, 'identity' | 'hasWorkloadIdentity' | 'entra' | 'kubeletIdentity' | 'oidcIssuer'>

function identitiesOf({ identity, properties: of }: z.output<typeof managedCluster>): IdentityFacts {
  const hasNone = (identity?.type ?? 'None') === 'None'
  const { oidcIssuerProfile: issuer } = of
  return {
    identity: hasNone && hasServicePrincipal(of) ? 'ServicePrincipal' : 'ManagedIdentity',
    hasWorkloadIdentity: of.securityProfile?.workloadIdentity?.enabled ?? false,
    ...defined({
      entra: of.aadProfile && defined({ tenantId: of.aadProfile.tenantID }),
      kubeletIdentity: of.identityProfile?.kubeletidentity,
      oidcIssuer: issuer?.enabled === true ? issuer.issuerURL : undefined,
    }),
  }
}

function hasServicePrincipal({ servicePrincipalProfile }: Properties): boolean {
  return servicePrincipalProfile?.clientId !== NO_SERVICE_PRINCIPAL
}

function networkOf({ networkProfile: network, agentPoolProfiles: pools }: Properties): ClusterFacts['network'] {
  const inSystem = pools?.find(({ mode, vnetSubnetID }) => mode === 'System' && vnetSubnetID !== undefined)
  return {
    plugin: network.networkPlugin ?? 'none',
    pluginMode: network.networkPluginMode ?? '',
    policy: network.networkPolicy ?? '',
    dataplane: network.networkDataplane ?? 'azure',
    outboundType: network.outboundType ?? 'loadBalancer',
    backendPoolIds: [],
    ...defined({ dnsServiceIp: network.dnsServiceIP, subnetId: inSystem?.vnetSubnetID }),
  }
}

function poolsOf({ agentPoolProfiles = [] }: Properties): readonly AgentPoolFacts[] {
  return agentPoolProfiles.map(({ name, mode, count, nodeTaints, vnetSubnetID, ...on }) => ({
    name,
    mode: mode ?? 'User',
    count: count ?? 0,
    taints: nodeTaints ?? [],
    hasFips: on.enableFIPS ?? false,
    encryptsAtHost: on.enableEncryptionAtHost ?? false,
    hasLocalDns: on.localDNSProfile?.state === 'Enabled',
    autoscales: on.enableAutoScaling === true || isThere(on.virtualMachinesProfile?.scale?.autoscale),
    ...defined({ subnetId: vnetSubnetID }),
  }))
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

function firstProblem(resourceId: string, [issue]: readonly z.core.$ZodIssue[]): Problem {
  return wrongField(resourceId, issue?.path.join('.') ?? '', issue?.message ?? 'is not understood')
}

function wrongField(resourceId: string, path: string, rule: string): Problem {
  const message = `what Azure answers about cluster ${resourceId} is not understood: field ${path}: ${rule}; set the value in JOINER_CLUSTERS, or update Joiner`
  return problem('AZURE.FAILED', message, { object: resourceId, path })
}
