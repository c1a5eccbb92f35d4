import * as z from 'zod'
import { err, ok, type Result } from '../base/result.ts'
import { clusterId, DEFAULT_MACHINE_NAMES } from '../model/ids.ts'
import { type Problem, problem } from '../model/problem.ts'

const SETTING = 'JOINER_CLUSTERS'
const GUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/
const SUBNET =
  /^\/subscriptions\/[^/]+\/resourceGroups\/[-\w.()]*[-\w()]\/providers\/Microsoft\.Network\/virtualNetworks\/[^/]+\/subnets\/[^/]+$/i
const IDENTITY = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.ManagedIdentity\/userAssignedIdentities\/[^/]+$/i
const TOPIC = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.EventGrid\/topics\/[^/]+$/i
const SHOWS_DATAPLANE = '`az aks show --query networkProfile.networkDataplane`'
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Room for a claim's name is left in the 63 characters of a node's; AKS's own machines begin with aks. */
export const MACHINE_PREFIX = /^(?!aks)[a-z][a-z0-9-]{0,14}-$/
const MACHINE_PREFIX_RULE =
  'must be 2 to 16 lower-case letters, digits and hyphens, with a hyphen at its end, and not begin with aks, as machines of AKS itself do'

const guid = z.string().regex(GUID, 'must be a GUID')
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

const fields = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/, 'must be 1 to 40 lower-case letters, digits and inner hyphens')
    .transform((text) => clusterId(text)),
  subscriptionId: guid,
  tenantId: guid.optional(),
  location: z
    .string()
    .regex(/^[a-z0-9]+$/, 'must be a region name in lower case, for example eastus')
    .describe('region of the cluster'),
  nodeResourceGroup: z.string().min(1).max(90),
  clusterName: z.string().min(1).max(63),
  clusterResourceGroup: optionalId,
  vnetSubnetId: z.string().regex(SUBNET, 'must be the resource id of a subnet'),
  /** Goes into the label network-subnet's companion; AKS sets it from the virtual network's own guid. */
  vnetGuid: z.string().min(1).optional(),
  /** Given when the subnet is not in the network AKS made: interfaces then name this group themselves. */
  networkSecurityGroupId: optionalId,
  networkSecurityGroup: optionalId,
  routeTable: optionalId,
  apiServer: z.url({ protocol: /^https$/, error: 'must be an https URL' }),
  caBundle: z.string().regex(BASE64, 'must be base64 of the PEM certificate'),
  kubernetesVersion: z.string().regex(/^\d+\.\d+\.\d+$/, 'must be a version like 1.34.2'),
  kubeletIdentityClientId: z.string().default(''),
  nodeIdentities: z.array(z.string().regex(IDENTITY, 'must be the resource id of a user-assigned identity')).default([]),
  sshPublicKey: z.string().startsWith('ssh-', 'must be an OpenSSH public key'),
  adminUsername: z
    .string()
    .regex(/^[a-z_][-a-z0-9_]{0,31}$/, 'must be a Linux user name')
    .default('azureuser'),
  networkPlugin: z.enum(['azure', 'none', 'kubenet']).default('azure'),
  networkPluginMode: z.enum(['overlay', '']).default('overlay'),
  networkPolicy: z.enum(['', 'none', 'azure', 'cilium', 'calico']).default(''),
  /** Of the cluster, never assumed: with Cilium its agent runs only on nodes that say so, and without it no pod has a network. */
  networkDataplane: z.enum(['azure', 'cilium'], { error: `must be azure or cilium, as ${SHOWS_DATAPLANE} says of the cluster` }),
  dnsServiceIp: z.ipv4().default('10.0.0.10'),
  images,
  diskEncryptionSetId: optionalId,
  /** Load balancer backend pools every machine joins. */
  backendPoolIds: z.array(z.string().startsWith('/')).default([]),
  /** Entra object ids whose token may send events of this cluster. */
  allowedShimIdentities: z.array(guid).default([]),
  /** Entra object ids whose token may read this cluster's status and explanations. */
  allowedReaderIdentities: z.array(guid).default([]),
  /** The Event Grid topic to which this cluster's own spot nodes publish, and nobody else. Without it no node's notice is believed. */
  eventGridTopicId: z.string().regex(TOPIC, 'must be the resource id of an Event Grid topic').optional(),
  /** Resource the token for the API server is asked for; default: the AKS server application. */
  apiServerAudience: z.string().min(1).default('6dae42f8-4368-4678-94ff-3960e28e3630'),
  /** Share of a machine's memory that the hypervisor keeps. */
  vmMemoryOverheadPercent: z.number().min(0).max(0.5).default(0.075),
  /** With this begin the names of all machines that are made; the chart's policies demand the same. */
  machinePrefix: z.string().regex(MACHINE_PREFIX, MACHINE_PREFIX_RULE).default(DEFAULT_MACHINE_NAMES.prefix),
  /** Prefixes of machines made earlier: known and ended under them. */
  formerMachinePrefixes: z
    .array(z.string().regex(/^[a-z][a-z0-9-]{0,14}-$/, 'must be 2 to 16 lower-case letters, digits and hyphens, with a hyphen at its end'))
    .default([...DEFAULT_MACHINE_NAMES.former]),
  additionalTags: z.record(z.string().max(512), z.string().max(256)).default({}),
})

/** One name tells one claim only while no prefix begins with another. */
const schema = fields.refine(({ machinePrefix, formerMachinePrefixes }) => areApart([machinePrefix, ...formerMachinePrefixes]), {
  path: ['formerMachinePrefixes'],
  error: 'must not begin as another prefix of machines does',
})
const checked = schema.refine(({ networkPolicy, networkDataplane }) => networkPolicy !== 'cilium' || networkDataplane === 'cilium', {
  path: ['networkDataplane'],
  error: 'must be cilium where networkPolicy is: AKS has its policies on that data plane only',
})

function areApart(prefixes: readonly string[]): boolean {
  return prefixes.every((prefix, index) => !prefixes.some((other, at) => at !== index && prefix.startsWith(other)))
}

/** One entry of JOINER_CLUSTERS: what the app must know about a cluster that the cluster itself does not say. */
export type ClusterConfig = Readonly<z.output<typeof checked>>
/** The same as it is written, with what may be left out left out. */
export type ClusterConfigInput = z.input<typeof checked>

/** Reads the whole setting. Each problem names the setting, the place in it and the rule. */
export function parseClusterConfigs(text: string): Result<readonly ClusterConfig[], readonly Problem[]> {
  const parsed = parseJson(text)
  if (!parsed.ok) return parsed
  const parsedList = z.array(checked).min(1, 'must name at least one cluster').safeParse(parsed.value)
  if (!parsedList.success) return err(parsedList.error.issues.map((issue) => problemAt(issue.path, issue.message)))
  const problems = [
    ...repeated(parsedList.data, 'id', ({ id }) => id),
    ...repeated(parsedList.data, 'eventGridTopicId', ({ eventGridTopicId }) => eventGridTopicId?.toLowerCase()),
  ]
  return problems.length === 0 ? ok(parsedList.data) : err(problems)
}

/** What says which cluster is meant can be of one only. */
function repeated(
  configs: readonly ClusterConfig[],
  field: keyof ClusterConfig,
  read: (config: ClusterConfig) => string | undefined,
): readonly Problem[] {
  const values = configs.map(read)
  const double = values.findIndex((value, index) => value !== undefined && values.indexOf(value) !== index)
  return double < 0 ? [] : [problemAt([double, field], `must be unique; ${values[double]} is there twice`)]
}

/** Reads one entry. */
export function parseClusterConfig(value: unknown): Result<ClusterConfig, readonly Problem[]> {
  const read = checked.safeParse(value)
  return read.success ? ok(read.data) : err(read.error.issues.map((issue) => problemAt(issue.path, issue.message)))
}

function parseJson(text: string): Result<unknown, readonly Problem[]> {
  try {
    return ok(JSON.parse(text))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return err([problem('SETTING.INVALID', `setting ${SETTING}: must be a JSON array of clusters; ${reason}`, { object: SETTING })])
  }
}

function problemAt(path: readonly PropertyKey[], rule: string): Problem {
  const place = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
  const where = place === '' ? SETTING : `${SETTING}${place.startsWith('[') ? '' : '.'}${place}`
  return problem('SETTING.INVALID', `setting ${where}: ${rule}`, { object: SETTING, ...(place === '' ? {} : { path: place }) })
}
