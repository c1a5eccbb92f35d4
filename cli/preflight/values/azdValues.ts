// Every value of an environment of azd that Joiner knows: the only table of them. azd passes values on as text and checks none of them.
import * as z from 'zod'
import { jsonText } from '../../jsonText.ts'
import { registryName, resourceIds, shimImage, subnets, tags, wholeNumber, workspaceRange } from './valueRules.ts'

/** `sent`: a parameter of a template. `read`: only hooks and commands read it. */
export type ValueRow<Schema extends z.ZodType = z.ZodType> = {
  readonly use: 'sent' | 'read'
  /** What is accepted, from text. */
  readonly schema: Schema
  /** The default of the template, as text. */
  readonly fallback?: string
}

const sent = <Schema extends z.ZodType>(schema: Schema, fallback: string) => ({ use: 'sent', schema, fallback }) as const
const read = <Schema extends z.ZodType>(schema: Schema) => ({ use: 'read', schema }) as const

const CLUSTER =
  /^\/subscriptions\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/resourceGroups\/[^/]+\/providers\/Microsoft\.ContainerService\/managedClusters\/[^/]+$/i

const clusterIds = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((id) => id !== ''))
  .pipe(z.array(z.string().regex(CLUSTER, 'must be resource ids of AKS clusters: az aks show -g GROUP -n NAME --query id -o tsv')).max(20))

const SYSTEM_TOPIC = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.EventGrid\/systemTopics\/[^/]+$/i

/** Values that a person sets. */
export const AZD_VALUES = {
  JOINER_CLUSTER_IDS: read(clusterIds),
  JOINER_DEMO_CLUSTER: sent(z.enum(['true', 'false']), 'false'),
  JOINER_DEMO_VM_SIZE: sent(z.string().regex(/^\w+$/, 'must be the name of a size, such as Standard_D2as_v5'), 'Standard_D2as_v5'),
  JOINER_CLUSTER_OVERRIDES: read(jsonText(z.record(z.string(), z.record(z.string(), z.unknown())))),
  JOINER_REGISTRY: read(registryName),
  JOINER_SHIM_IMAGE: read(shimImage),
  JOINER_EXISTING_HEALTH_TOPIC_ID: read(
    z.union([z.enum(['none', 'new']), z.string().regex(SYSTEM_TOPIC)], 'must be none, new, or the id of a system topic of Event Grid'),
  ),
  JOINER_CHART_VALUES: read(jsonText(z.record(z.string(), z.unknown()))),
  JOINER_TAGS: sent(jsonText(tags), '{}'),
  JOINER_NETWORK: sent(z.enum(['public', 'vnet', 'private']), 'public'),
  JOINER_SUBNETS: sent(jsonText(subnets), 'null'),
  JOINER_ADDRESS_PREFIX: sent(workspaceRange, '10.250.0.0/24'),
  JOINER_SIZE: sent(z.enum(['small', 'fast']), 'small'),
  JOINER_INSTANCE_MEMORY_MB: sent(z.enum(['512', '2048', '4096']), '2048'),
  JOINER_MAXIMUM_INSTANCE_COUNT: sent(wholeNumber(1, 1000), '40'),
  JOINER_WORKSPACE_ID: sent(resourceIds('Microsoft.OperationalInsights/workspaces', 'a Log Analytics workspace'), ''),
  JOINER_ALERTS: sent(z.enum(['on', 'off']), 'on'),
  JOINER_ACTION_GROUP_ID: sent(resourceIds('Microsoft.Insights/actionGroups', 'an action group'), ''),
  JOINER_ALERT_EMAIL: sent(z.union([z.literal(''), z.email().max(254)], 'must be one address, of at most 254 characters'), ''),
  JOINER_DAILY_CAP_GB: sent(wholeNumber(1, 100), '1'),
  JOINER_RETENTION_DAYS: sent(wholeNumber(30, 730), '30'),
  JOINER_BUDGET: sent(wholeNumber(0, 100_000), '0'),
  JOINER_RBAC: sent(z.enum(['custom', 'builtIn']), 'custom'),
  JOINER_EVENTS: sent(z.enum(['function', 'queue']), 'function'),
  JOINER_SHIM_AUTH: sent(z.enum(['serviceAccount', 'entra']), 'serviceAccount'),
  JOINER_ENTRA_AUDIENCE: sent(
    z
      .string()
      .max(255)
      .regex(/^[^\s"\\]*$/, 'must be an application ID, without spaces, quotes and backslashes'),
    '',
  ),
  JOINER_SHIM_NAMESPACE: sent(z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'must be the name of a namespace'), 'joiner'),
  JOINER_APP_SETTINGS: sent(jsonText(z.record(z.string(), z.string('must be a text, in quotes'))), '{}'),
  JOINER_DOWN: read(z.enum(['drain', 'keep'])),
  JOINER_DOWN_TIMEOUT: read(z.string().regex(/^[1-9]\d{0,4}[smh]$/, 'must be a time such as 45m')),
  JOINER_DOWN_HEALTH_TOPIC: read(z.enum(['delete'])),
} as const satisfies { readonly [name: string]: ValueRow }

/** Values that only hooks and outputs of the templates write. A person sets none of them. */
export const WRITTEN_VALUES: ReadonlySet<string> = new Set([
  'JOINER_APP_CLIENT_ID',
  'JOINER_APP_DEPLOYED',
  'JOINER_APP_ENDPOINT',
  'JOINER_APP_NAME',
  'JOINER_APP_PRINCIPAL_ID',
  'JOINER_AUDIENCE',
  'JOINER_CLUSTER_FACTS',
  'JOINER_DEMO_CLUSTER_ID',
  'JOINER_EVENT_DELIVERY',
  'JOINER_FOUND_HEALTH_TOPIC_ID',
  'JOINER_HEALTH_TOPIC_ID',
  'JOINER_LOG_WORKSPACE_ID',
  'JOINER_OUTBOUND_ADDRESS',
  'JOINER_ROLE_IDS',
  'JOINER_SHIM_CLIENT_IDS',
  'JOINER_STORAGE_NAME',
  'JOINER_TENANT_ID',
  'JOINER_TOKEN',
  'JOINER_TOPIC_ENDPOINTS',
  'JOINER_WORKBOOK_ID',
])
