// The choices of the person that installs, set with `azd env set`. Parsed once. Problems are sentences.
import * as z from 'zod'
import { err, ok, type Result } from '../../shared/base/result.ts'
import type { Environment } from '../clusterAccess.ts'
import { AZD_VALUES } from './values/azdValues.ts'
import { presentValues, valueProblems } from './values/checkValues.ts'
import { placeOf } from './values/placeOf.ts'

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

const values = z.object({
  AZURE_ENV_NAME: z.string().optional(),
  AZURE_SUBSCRIPTION_ID: z.string(),
  AZURE_LOCATION: z.string().optional(),
  JOINER_CLUSTER_IDS: AZD_VALUES.JOINER_CLUSTER_IDS.schema.default([]),
  JOINER_DEMO_CLUSTER: AZD_VALUES.JOINER_DEMO_CLUSTER.schema.default('false'),
  JOINER_NETWORK: AZD_VALUES.JOINER_NETWORK.schema.default('public'),
  JOINER_SIZE: AZD_VALUES.JOINER_SIZE.schema.default('small'),
  JOINER_INSTANCE_MEMORY_MB: AZD_VALUES.JOINER_INSTANCE_MEMORY_MB.schema.default('2048'),
  JOINER_ALERTS: AZD_VALUES.JOINER_ALERTS.schema.default('on'),
  JOINER_RBAC: AZD_VALUES.JOINER_RBAC.schema.default('custom'),
  JOINER_SUBNETS: AZD_VALUES.JOINER_SUBNETS.schema.default(null),
  JOINER_CLUSTER_OVERRIDES: AZD_VALUES.JOINER_CLUSTER_OVERRIDES.schema.default({}),
  JOINER_EXISTING_HEALTH_TOPIC_ID: AZD_VALUES.JOINER_EXISTING_HEALTH_TOPIC_ID.schema.optional(),
  JOINER_SHIM_NAMESPACE: AZD_VALUES.JOINER_SHIM_NAMESPACE.schema.default('joiner'),
})

/** Each problem names its variable. */
export function readInstallOptions(environment: Environment): Result<InstallOptions, readonly string[]> {
  const wrong = valueProblems(environment)
  if (wrong.length > 0) return err(wrong)
  const read = values.safeParse(presentValues(environment))
  if (!read.success) return err(read.error.issues.map(({ path: [name, ...rest], message }) => `${placeOf(String(name), rest)}: ${message}`))
  const { data } = read
  const demo = data.JOINER_DEMO_CLUSTER === 'true'
  if (data.JOINER_CLUSTER_IDS.length === 0 && !demo) return err([NO_CLUSTER])
  if (data.JOINER_NETWORK === 'private' && data.JOINER_SUBNETS !== null && data.JOINER_SUBNETS.endpoints === undefined)
    return err([NO_ENDPOINTS])
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
    subnets: data.JOINER_SUBNETS ?? {},
    overrides: data.JOINER_CLUSTER_OVERRIDES,
    namespace: data.JOINER_SHIM_NAMESPACE,
    ...(data.JOINER_EXISTING_HEALTH_TOPIC_ID === undefined ? {} : { healthTopic: data.JOINER_EXISTING_HEALTH_TOPIC_ID }),
  })
}

const NO_ENDPOINTS = 'JOINER_SUBNETS.endpoints: must be the resource id of a subnet where JOINER_NETWORK is private'
const NO_CLUSTER =
  'JOINER_CLUSTER_IDS: names no cluster; run: azd env set JOINER_CLUSTER_IDS $(az aks show -g GROUP -n NAME --query id -o tsv), or for a new demo cluster: azd env set JOINER_DEMO_CLUSTER true'
