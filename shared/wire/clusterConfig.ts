import * as z from 'zod'
import { err, ok, type Result } from '../base/result.ts'
import { clusterId, DEFAULT_MACHINE_NAMES } from '../model/ids.ts'
import { type Problem, problem } from '../model/problem.ts'

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

/** Room for a claim's name is left in the 63 characters of a node's; AKS's own machines begin with aks. */
export const MACHINE_PREFIX = /^(?!aks)[a-z][a-z0-9-]{0,14}-$/
const MACHINE_PREFIX_RULE =
  'must be 2 to 16 lower-case letters, digits and hyphens, with a hyphen at its end, and not begin with aks, as machines of AKS itself do'

const guid = z.string().regex(GUID, 'must be a GUID')
const serviceAccount = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/, 'must be a service account as namespace/name')
const optionalId = z.string().min(1).optional()

/** The image of one kind of machine: an id of a community or shared gallery, or of a plain image. */
const imageId = z.string().startsWith('/', 'must be a resource id or a community gallery id')

const images = z
  .strictObject({
    /** Where the default images come from. */
    gallery: z.enum(['community', 'shared']).default('community'),
    /** Subscription of the shared galleries. */
    gallerySubscriptionId: guid.default('109a5e88-712a-48ae-9078-9ca8b3c81345'),
    /** Version of the default images. */
    version: z.string().min(1).default('latest'),
    /** Image by definition name, for example `2204gen2containerd`, instead of the default one. */
    byDefinition: z.record(z.string(), imageId).default({}),
  })
  .prefault({})

/** What an operator decides, and what Azure does not say. Each with its default, where there is a sensible one. */
const settings = {
  /** Base64 of the PEM of the cluster's authority. Azure tells it in no answer that the app may read. */
  caBundle: z.string().regex(BASE64, 'must be base64 of the PEM certificate'),
  /** User of the machines that the SSH key is for. */
  adminUsername: z
    .string()
    .regex(/^[a-z_][-a-z0-9_]{0,31}$/, 'must be a Linux user name')
    .default('azureuser'),
  /** Which node images machines get. */
  images,
  /** Disk encryption set of the OS disks; without it the platform's keys. */
  diskEncryptionSetId: optionalId,
  /** The service account of the shim, whose token may send events of this cluster: `namespace/name`. */
  shimServiceAccount: serviceAccount.default('joiner/joiner-shim'),
  /** The service account whose token may read this cluster's status and explanations: `namespace/name`. */
  readerServiceAccount: serviceAccount.default('joiner/joiner-reader'),
  /** Entra object ids whose token may send events of this cluster, where `SHIM_AUTH` is entra. */
  allowedShimIdentities: z.array(guid).default([]),
  /** Entra object ids whose token may read them too, where `ENTRA_AUDIENCE` is set. */
  allowedReaderIdentities: z.array(guid).default([]),
  /** The Event Grid topic to which this cluster's own spot nodes publish, and nobody else. Without it no node's notice is believed. */
  eventGridTopicId: z.string().regex(TOPIC, 'must be the resource id of an Event Grid topic').optional(),
  /** Resource the token for the API server is asked for; default: the AKS server application. */
  apiServerAudience: z.string().min(1).default('6dae42f8-4368-4678-94ff-3960e28e3630'),
  /** Share of a machine's memory that the hypervisor keeps, as a fraction. */
  vmMemoryOverheadPercent: z.number().min(0).max(0.5).default(0.075),
  /** With this begin the names of all machines that are made; the chart's policies demand the same. */
  machinePrefix: z.string().regex(MACHINE_PREFIX, MACHINE_PREFIX_RULE).default(DEFAULT_MACHINE_NAMES.prefix),
  /** Prefixes of machines made earlier: known and ended under them. */
  formerMachinePrefixes: z
    .array(z.string().regex(/^[a-z][a-z0-9-]{0,14}-$/, 'must be 2 to 16 lower-case letters, digits and hyphens, with a hyphen at its end'))
    .default([...DEFAULT_MACHINE_NAMES.former]),
  /** Tags of each machine, interface and disk, beside the app's own. */
  additionalTags: z.record(z.string().max(512), z.string().max(256)).default({}),
}

/** What Azure says of a cluster. An entry may say it instead, and then stands above Azure. */
const facts = {
  /** Tenant of the cluster's Entra integration. */
  tenantId: guid.optional(),
  /** Region of the cluster. */
  location: z.string().regex(/^[a-z0-9]+$/, 'must be a region name in lower case, for example eastus'),
  /** Group that AKS keeps the cluster's machines in. */
  nodeResourceGroup: z.string().min(1).max(90),
  /** Subnet of the machines. Azure: that of the system pool, or `aks-subnet` of the network in the node resource group. */
  vnetSubnetId: z.string().regex(SUBNET, 'must be the resource id of a subnet'),
  /** Value of the label of the virtual network. Azure says nothing: set it where pods need that label. */
  vnetGuid: z.string().min(1).optional(),
  /** Security group of each interface, where the subnet is not in the network that AKS made. Azure: the one AKS keeps in the node resource group. */
  networkSecurityGroupId: optionalId,
  /** Name of that group, for the node's own configuration. Azure: the same. */
  networkSecurityGroup: optionalId,
  /** Name of the route table, for the node's own configuration. Azure: the one AKS keeps in the node resource group. */
  routeTable: optionalId,
  /** Address of the API server. Azure: `fqdn`, or `privateFQDN` of a private cluster. */
  apiServer: z.url({ protocol: /^https$/, error: 'must be an https URL' }),
  /** Version of the kubelets of new machines. Azure: that of the managed cluster. */
  kubernetesVersion: z.string().regex(/^\d+\.\d+\.\d+$/, 'must be a version like 1.34.2'),
  /** Client id of the identity of the kubelet. */
  kubeletIdentityClientId: z.string(),
  /** Identities that each machine gets. Azure: that of the kubelet. */
  nodeIdentities: z.array(z.string().regex(IDENTITY, 'must be the resource id of a user-assigned identity')),
  /** Key for a log-in to the machines. Azure: the first of the Linux profile; a cluster without one needs the field. */
  sshPublicKey: z.string().startsWith('ssh-', 'must be an OpenSSH public key'),
  /** Of the network profile. */
  networkPlugin: z.enum(['azure', 'none', 'kubenet']),
  /** Of the network profile. */
  networkPluginMode: z.enum(['overlay', '']),
  /** Of the network profile. */
  networkPolicy: z.enum(['', 'none', 'azure', 'cilium', 'calico']),
  /** Of the network profile, never assumed: with Cilium its agent runs only on nodes that say so, and without it no pod has a network. */
  networkDataplane: z.enum(['azure', 'cilium'], { error: `must be azure or cilium, as ${SHOWS_DATAPLANE} says of the cluster` }),
  /** Address of the cluster's DNS. Azure: the network profile. */
  dnsServiceIp: z.ipv4(),
  /** Load balancer backend pools that every machine joins. Azure: those of the cluster's load balancer in the node resource group. */
  backendPoolIds: z.array(z.string().startsWith('/')),
  /** Whose keys sign the tokens of the cluster's service accounts. Azure: the OIDC issuer profile. */
  oidcIssuer: z.url({ protocol: /^https$/, error: 'must be an https URL' }).optional(),
}

const id = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/, 'must be 1 to 40 lower-case letters, digits and inner hyphens')
  .transform((text) => clusterId(text))

/** An entry of JOINER_CLUSTERS as it is written: whose cluster it is, what an operator decides, and what stands above Azure. */
export const clusterEntryFields = z.strictObject({
  /** What the cluster is called in addresses, storage and logs. Without it: the name of the cluster in lower case. */
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

/** What the app knows of a cluster: what its entry in JOINER_CLUSTERS says, and Azure of the rest. */
export type ClusterConfig = Readonly<z.output<typeof checked>>
/** The same as it is written, with what may be left out left out. */
export type ClusterConfigInput = z.input<typeof checked>

/** Checks the whole of it. Each problem names the field of the entry that would set it. */
export function parseClusterConfig(value: unknown): Result<ClusterConfig, readonly Problem[]> {
  const read = checked.safeParse(value)
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
