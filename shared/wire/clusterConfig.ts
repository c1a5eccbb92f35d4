import * as z from 'zod'
import { err, ok, type Result } from '../base/result.ts'
import { PUBLIC_CLOUD } from '../model/cloud.ts'
import { clusterId, DEFAULT_MACHINE_NAMES } from '../model/ids.ts'
import { type Problem, problem } from '../model/problem.ts'
import { storedProxy } from './azure/httpProxy.ts'

export const SETTING = 'JOINER_CLUSTERS'
const GUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/
const SUBNET =
  /^\/subscriptions\/[^/]+\/resourceGroups\/[-\w.()]*[-\w()]\/providers\/Microsoft\.Network\/virtualNetworks\/[^/]+\/subnets\/[^/]+$/i
const IDENTITY = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.ManagedIdentity\/userAssignedIdentities\/[^/]+$/i
const CLUSTER =
  /^\/subscriptions\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/resourceGroups\/[-\w.()]{0,89}[-\w()]\/providers\/Microsoft\.ContainerService\/managedClusters\/[\w-]{1,63}$/i
const TOPIC = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.EventGrid\/topics\/[^/]+$/i
const SHOWS_DATAPLANE = '`az aks show --query networkProfile.networkDataplane`'
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Leaves room for a claim's name in the 63 characters of a node name. The names of AKS's own machines begin with aks. */
export const MACHINE_PREFIX = /^(?!aks)[a-z][a-z0-9-]{0,14}-$/
const MACHINE_PREFIX_RULE =
  'must be 2 to 16 lower-case letters, digits and hyphens, with a hyphen at its end, and not begin with aks, as machines of AKS itself do'

const guid = z.string().regex(GUID, 'must be a GUID')
const serviceAccount = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/, 'must be a service account as namespace/name')
const optionalId = z.string().min(1).optional()

/** A node image: the id of an image in a community or shared gallery, or of a plain image. */
const imageId = z.string().startsWith('/', 'must be a resource id or a community gallery id')

const images = z
  .strictObject({
    /** Gallery that the default images come from. */
    gallery: z.enum(['community', 'shared']).default('community'),
    /** Subscription of the shared galleries. */
    gallerySubscriptionId: guid.default(PUBLIC_CLOUD.facts.gallerySubscriptionId),
    /** Version of the default images. */
    version: z.string().min(1).default('latest'),
    /** Images by definition name, for example `2204gen2containerd`, that replace the default images. */
    byDefinition: z.record(z.string(), imageId).default({}),
  })
  .prefault({})

/** Settings that an operator chooses and Azure does not report. Each has its default, if there is a sensible one. */
const settings = {
  /** Base64 of the PEM certificate of the cluster's certificate authority. Azure returns it in no answer that the app may read. */
  caBundle: z.string().regex(BASE64, 'must be base64 of the PEM certificate'),
  /** User of the machines that the SSH key belongs to. */
  adminUsername: z
    .string()
    .regex(/^[a-z_][-a-z0-9_]{0,31}$/, 'must be a Linux user name')
    .default('azureuser'),
  /** Node images of the machines. */
  images,
  /** Disk encryption set of the OS disks. From Azure: the set of the cluster. Without a set, the disks are encrypted with platform-managed keys. */
  diskEncryptionSetId: optionalId,
  /** The service account of the shim, whose token may send events of this cluster: `namespace/name`. */
  shimServiceAccount: serviceAccount.default('joiner/joiner-shim'),
  /** The service account whose token may read this cluster's status and explanations: `namespace/name`. */
  readerServiceAccount: serviceAccount.default('joiner/joiner-reader'),
  /** Entra object ids whose token may send events of this cluster, where `SHIM_AUTH` is entra. */
  allowedShimIdentities: z.array(guid).default([]),
  /** Entra object ids whose token may read status and explanations too, where `ENTRA_AUDIENCE` is set. */
  allowedReaderIdentities: z.array(guid).default([]),
  /** The Event Grid topic that this cluster's own spot nodes publish to, and nobody else. Without it, notices from nodes are ignored. */
  eventGridTopicId: z.string().regex(TOPIC, 'must be the resource id of an Event Grid topic').optional(),
  /** Resource that the token for the API server is requested for. Default: the AKS server application. */
  apiServerAudience: z.string().min(1).default('6dae42f8-4368-4678-94ff-3960e28e3630'),
  /** Share of a machine's memory that the hypervisor keeps, as a fraction. */
  vmMemoryOverheadPercent: z.number().min(0).max(0.5).default(0.075),
  /** Prefix of the names of all new machines. The policies of the chart require the same prefix. */
  machinePrefix: z.string().regex(MACHINE_PREFIX, MACHINE_PREFIX_RULE).default(DEFAULT_MACHINE_NAMES.prefix),
  /** Prefixes of older machines, which are still found and terminated. */
  formerMachinePrefixes: z
    .array(z.string().regex(/^[a-z][a-z0-9-]{0,14}-$/, 'must be 2 to 16 lower-case letters, digits and hyphens, with a hyphen at its end'))
    .default([...DEFAULT_MACHINE_NAMES.former]),
  /**
   * Whether pods of nodes that are planned to go get a low deletion cost, so that ReplicaSets that are scaled down delete them first. Needs
   * `rbac.podDeletionCosts` of the chart.
   */
  podDeletionCosts: z.boolean('must be true or false').default(false),
  /** Tags of each machine, network interface and disk, in addition to the app's own tags. */
  additionalTags: z.record(z.string().max(512), z.string().max(256)).default({}),
}

/** Values that Azure reports about a cluster. A field of an entry overrides the value from Azure. */
const facts = {
  /** Tenant of the cluster's Entra integration. */
  tenantId: guid.optional(),
  /** Region of the cluster. */
  location: z.string().regex(/^[a-z0-9]+$/, 'must be a region name in lower case, for example eastus'),
  /** Resource group that AKS keeps the cluster's machines in. */
  nodeResourceGroup: z.string().min(1).max(90),
  /** Subnet of the machines. From Azure: the subnet of the system pool, or `aks-subnet` of the network in the node resource group. */
  vnetSubnetId: z.string().regex(SUBNET, 'must be the resource id of a subnet'),
  /** Value of the virtual network's label, which nodes of an overlay network need. From Azure: `resourceGuid` of the network of `vnetSubnetId`. */
  vnetGuid: z.string().min(1).optional(),
  /**
   * Network security group of each network interface, if the subnet is not in the network that AKS made. From Azure: the group that AKS keeps in the
   * node resource group.
   */
  networkSecurityGroupId: optionalId,
  /** Name of that group, for the node's own configuration. From Azure: the name of the same group. */
  networkSecurityGroup: optionalId,
  /** Name of the route table, for the node's own configuration. From Azure: the table that AKS keeps in the node resource group. */
  routeTable: optionalId,
  /** URL of the API server. From Azure: `fqdn`, or `privateFQDN` of a private cluster. */
  apiServer: z.url({ protocol: /^https$/, error: 'must be an https URL' }),
  /** Version of the kubelets of new machines. From Azure: the version of the managed cluster. */
  kubernetesVersion: z.string().regex(/^\d+\.\d+\.\d+$/, 'must be a version like 1.34.2'),
  /** Client id of the kubelet's identity. */
  kubeletIdentityClientId: z.string(),
  /** Identities that each machine gets. From Azure: the identity of the kubelet. */
  nodeIdentities: z.array(z.string().regex(IDENTITY, 'must be the resource id of a user-assigned identity')),
  /** SSH public key for a log-in to the machines. From Azure: the first key of the Linux profile. A cluster without a key needs this field. */
  sshPublicKey: z.string().startsWith('ssh-', 'must be an OpenSSH public key'),
  /** Plugin of the network profile. */
  networkPlugin: z.enum(['azure', 'none', 'kubenet']),
  /** Plugin mode of the network profile. */
  networkPluginMode: z.enum(['overlay', '']),
  /** Network policy of the network profile. */
  networkPolicy: z.enum(['', 'none', 'azure', 'cilium', 'calico']),
  /**
   * Data plane of the network profile. There is no default: with Cilium, its agent runs only on nodes with its label, and pods on other nodes have no
   * network.
   */
  networkDataplane: z.enum(['azure', 'cilium'], { error: `must be azure or cilium, as ${SHOWS_DATAPLANE} says of the cluster` }),
  /** IP address of the cluster's DNS. From Azure: the network profile. */
  dnsServiceIp: z.ipv4(),
  /** Load balancer backend pools that every machine joins. From Azure: the pools of the cluster's load balancer in the node resource group. */
  backendPoolIds: z.array(z.string().startsWith('/')),
  /** URL of the issuer whose keys sign the tokens of the cluster's service accounts. From Azure: the OIDC issuer profile. */
  oidcIssuer: z.url({ protocol: /^https$/, error: 'must be an https URL' }).optional(),
}

/** What Azure reports about a cluster and no entry can override. */
const findings = {
  /** Whether Azure has told its facts, ever. */
  hasFacts: z.boolean().default(false),
  /** Why no machine is made: the members of the cluster that are not supported, in words. */
  unsupported: z.array(z.string()).default([]),
  /** The HTTP proxy of the nodes. */
  httpProxy: storedProxy.optional(),
  /** Certificate authorities that the nodes trust: base64 of PEM. */
  trustedCertificates: z.array(z.string()).default([]),
  /** Names of the pools whose nodes run FIPS images. */
  fipsPools: z.array(z.string()).default([]),
  /** Names of the pools with encryption at host. */
  encryptedPools: z.array(z.string()).default([]),
}

const id = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/, 'must be 1 to 40 lower-case letters, digits and inner hyphens')
  .transform((text) => clusterId(text))

/** An entry of JOINER_CLUSTERS as written: the cluster, the operator's settings, and overrides of values from Azure. */
export const clusterEntryFields = z.strictObject({
  /** Id of the cluster in URLs, storage and logs. Default: the name of the cluster in lower case. */
  id: id.optional(),
  /** The AKS cluster. */
  resourceId: z.string().regex(CLUSTER, 'must be the resource id of an AKS cluster, as `az aks show --query id -o tsv` says'),
  ...settings,
  ...z.object(facts).partial().shape,
})
export const OVERRIDES: readonly string[] = Object.keys(facts)

const fields = z.strictObject({
  id,
  subscriptionId: guid,
  clusterName: z.string().min(1).max(63),
  ...settings,
  ...facts,
  ...findings,
  kubeletIdentityClientId: facts.kubeletIdentityClientId.default(''),
  nodeIdentities: facts.nodeIdentities.default([]),
  networkPlugin: facts.networkPlugin.default('azure'),
  networkPluginMode: facts.networkPluginMode.default('overlay'),
  networkPolicy: facts.networkPolicy.default(''),
  dnsServiceIp: facts.dnsServiceIp.default('10.0.0.10'),
  backendPoolIds: facts.backendPoolIds.default([]),
})

const checked = fields.refine(({ networkPolicy, networkDataplane }) => networkPolicy !== 'cilium' || networkDataplane === 'cilium', {
  path: ['networkDataplane'],
  error: 'must be cilium where networkPolicy is: AKS has its policies on that data plane only',
})
const withGuid = checked.refine((read) => !isOverlay(read) || read.vnetGuid !== undefined, {
  path: ['vnetGuid'],
  error: 'must be set where networkPluginMode is overlay: without the label of the virtual network, a node never becomes ready',
})

/** Reports whether pods have addresses of their own network. Such a node needs the labels of that network. */
export function isOverlay({ networkPlugin, networkPluginMode }: Pick<ClusterConfig, 'networkPlugin' | 'networkPluginMode'>): boolean {
  return networkPlugin === 'azure' && networkPluginMode === 'overlay'
}

/** A cluster's configuration: the fields of its entry in JOINER_CLUSTERS, completed by values from Azure. */
export type ClusterConfig = Readonly<z.output<typeof checked>>
/** The configuration before defaults are filled in. */
export type ClusterConfigInput = z.input<typeof checked>

/** Checks the whole configuration. Each problem names the field of the entry that would set the value. */
export function parseClusterConfig(value: unknown): Result<ClusterConfig, readonly Problem[]> {
  const read = withGuid.safeParse(value)
  return read.success ? ok(read.data) : err(read.error.issues.map((issue) => problemAt(issue.path, issue.message)))
}

export function problemAt(path: readonly PropertyKey[], rule: string): Problem {
  const place = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
  const where = place === '' ? SETTING : `${SETTING}${place.startsWith('[') ? '' : '.'}${place}`
  return problem('SETTING.INVALID', `setting ${where}: ${rule}`, { object: SETTING, ...(place === '' ? {} : { path: place }) })
}
