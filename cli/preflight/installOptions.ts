// The choices of the person that installs, set with `azd env set`. Parsed once. Problems are sentences.
import * as z from 'zod'
import { err, ok, type Result } from '../../shared/base/result.ts'
import type { Environment } from '../clusterAccess.ts'
import { jsonText } from '../jsonText.ts'

export type InstallOptions = {
  /** Undefined if no environment was chosen yet. */
  readonly environmentName?: string
  readonly subscriptionId: string
  /** Undefined if azd has not asked for it yet. */
  readonly location?: string
  readonly clusterIds: readonly string[]
  /** True if a demo cluster is to be made. */
  readonly demo: boolean
  readonly network: 'public' | 'vnet' | 'private'
  readonly size: 'small' | 'fast'
  readonly instanceMemoryMB: number
  readonly alerts: boolean
  readonly rbac: 'custom' | 'builtIn'
  /** Ids of existing subnets, by purpose. */
  readonly subnets: { readonly app?: string | undefined; readonly endpoints?: string | undefined }
  /** Fields of an entry in JOINER_CLUSTERS, by the id of the cluster. */
  readonly overrides: { readonly [cluster: string]: { readonly [field: string]: unknown } }
  readonly namespace: string
  /** The id of a topic of health events, `none`, or `new`. Undefined: the preflight chooses. */
  readonly healthTopic?: string
}

const CLUSTER =
  /^\/subscriptions\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/resourceGroups\/[^/]+\/providers\/Microsoft\.ContainerService\/managedClusters\/[^/]+$/i

const SYSTEM_TOPIC = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.EventGrid\/systemTopics\/[^/]+$/i

const ids = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((id) => id !== ''))
  .pipe(z.array(z.string().regex(CLUSTER, 'must be resource ids of AKS clusters: az aks show -g GROUP -n NAME --query id -o tsv')).max(20))

const values = z.object({
  AZURE_ENV_NAME: z.string().optional(),
  AZURE_SUBSCRIPTION_ID: z.string(),
  AZURE_LOCATION: z.string().optional(),
  JOINER_CLUSTER_IDS: ids.default([]),
  JOINER_DEMO_CLUSTER: z.enum(['true', 'false']).default('false'),
  JOINER_NETWORK: z.enum(['public', 'vnet', 'private']).default('public'),
  JOINER_SIZE: z.enum(['small', 'fast']).default('small'),
  JOINER_INSTANCE_MEMORY_MB: z.enum(['512', '2048', '4096']).default('2048'),
  JOINER_ALERTS: z.enum(['on', 'off']).default('on'),
  JOINER_RBAC: z.enum(['custom', 'builtIn']).default('custom'),
  JOINER_SHIM_AUTH: z.enum(['serviceAccount', 'entra']).default('serviceAccount'),
  JOINER_ENTRA_AUDIENCE: z.string().optional(),
  JOINER_SUBNETS: jsonText(z.strictObject({ app: z.string().optional(), endpoints: z.string().optional() })).default({}),
  JOINER_CLUSTER_OVERRIDES: jsonText(z.record(z.string(), z.record(z.string(), z.unknown()))).default({}),
  JOINER_EXISTING_HEALTH_TOPIC_ID: z
    .union([z.enum(['none', 'new']), z.string().regex(SYSTEM_TOPIC)], 'must be none, new, or the id of a system topic of Event Grid')
    .optional(),
  JOINER_SHIM_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'must be the name of a namespace')
    .default('joiner'),
})

/** Each problem names its variable. */
export function readInstallOptions(environment: Environment): Result<InstallOptions, readonly string[]> {
  // An empty value counts as not set.
  const read = values.safeParse(Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== '')))
  if (!read.success) return err(read.error.issues.map(({ path: [name, ...rest], message }) => `${String(name)}${inside(rest)}: ${message}`))
  const { data } = read
  const demo = data.JOINER_DEMO_CLUSTER === 'true'
  if (data.JOINER_CLUSTER_IDS.length === 0 && !demo) return err([NO_CLUSTER])
  if (data.JOINER_SHIM_AUTH === 'entra' && data.JOINER_ENTRA_AUDIENCE === undefined) return err([NO_AUDIENCE])
  return ok({
    ...(data.AZURE_ENV_NAME === undefined ? {} : { environmentName: data.AZURE_ENV_NAME }),
    subscriptionId: data.AZURE_SUBSCRIPTION_ID,
    ...(data.AZURE_LOCATION === undefined ? {} : { location: data.AZURE_LOCATION.toLowerCase().replaceAll(' ', '') }),
    clusterIds: data.JOINER_CLUSTER_IDS,
    demo,
    network: data.JOINER_NETWORK,
    size: data.JOINER_SIZE,
    instanceMemoryMB: Number(data.JOINER_INSTANCE_MEMORY_MB),
    alerts: data.JOINER_ALERTS === 'on',
    rbac: data.JOINER_RBAC,
    subnets: data.JOINER_SUBNETS,
    overrides: data.JOINER_CLUSTER_OVERRIDES,
    namespace: data.JOINER_SHIM_NAMESPACE,
    ...(data.JOINER_EXISTING_HEALTH_TOPIC_ID === undefined ? {} : { healthTopic: data.JOINER_EXISTING_HEALTH_TOPIC_ID }),
  })
}

const NO_AUDIENCE =
  'JOINER_ENTRA_AUDIENCE: names no app registration, and tokens of the tenant are made for one; run: azd env set JOINER_ENTRA_AUDIENCE $(az ad app create --display-name joiner --query appId -o tsv), and: az ad sp create --id with that id'
const NO_CLUSTER =
  'JOINER_CLUSTER_IDS: names no cluster; run: azd env set JOINER_CLUSTER_IDS $(az aks show -g GROUP -n NAME --query id -o tsv), or for a new demo cluster: azd env set JOINER_DEMO_CLUSTER true'

function inside(path: readonly PropertyKey[]): string {
  return path.map((part) => `.${String(part)}`).join('')
}
