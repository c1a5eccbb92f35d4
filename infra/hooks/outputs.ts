// The outputs of the templates, as azd passes them to hooks: texts unchanged, lists as JSON.
import * as z from 'zod'
import type { Environment } from '../../cli/clusterAccess.ts'
import { jsonText } from '../../cli/jsonText.ts'
import { parseImage } from '../../cli/preflight/shimImage.ts'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'
import { HookFailure } from './hookDeps.ts'

const cluster = z.object({ name: z.string(), id: z.string(), overrides: z.record(z.string(), z.unknown()).default({}) })
const outputs = z.object({
  AZURE_SUBSCRIPTION_ID: z.string(),
  AZURE_RESOURCE_GROUP: z.string(),
  JOINER_TENANT_ID: z.string(),
  JOINER_CLUSTER_FACTS: jsonText(z.array(cluster)),
  JOINER_APP_NAME: z.string(),
  JOINER_APP_ENDPOINT: z.url(),
  JOINER_APP_PRINCIPAL_ID: z.string(),
  JOINER_AUDIENCE: z.string(),
  JOINER_EVENT_DELIVERY: z.enum(['function', 'queue']).default('function'),
  JOINER_SHIM_CLIENT_IDS: jsonText(z.array(z.string())),
  JOINER_TOPIC_ENDPOINTS: jsonText(z.array(z.string())),
  JOINER_WORKBOOK_ID: z.string(),
  JOINER_LOG_WORKSPACE_ID: z.string(),
  JOINER_NETWORK: z.string().default('public'),
  JOINER_OUTBOUND_ADDRESS: z.string().default(''),
  JOINER_SHIM_AUTH: z.enum(['serviceAccount', 'entra']).default('serviceAccount'),
  JOINER_SHIM_NAMESPACE: z.string().default('joiner'),
  /** `repository[:tag][@digest]`. */
  JOINER_SHIM_IMAGE: z.string().optional(),
  /** The name of an Azure container registry. */
  JOINER_REGISTRY: z.string().optional(),
})

export type Outputs = z.output<typeof outputs>
export type DeployedCluster = Outputs['JOINER_CLUSTER_FACTS'][number]

export function readOutputs(environment: Environment): Outputs {
  const read = outputs.safeParse(Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== '')))
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new HookFailure(`SETTING.INVALID   ${issue?.path.join('.')} of the environment: ${issue?.message}; run: azd up`)
}

/** What a cluster says of the way out of it. */
type WayOut = Pick<ClusterFacts, 'httpProxy' | 'trustedCertificates'>

/** Returns the values of `charts/joiner` for one of the clusters. */
export function chartValues(outputs: Outputs, at: number, wayOut: WayOut): object {
  const { name = '', overrides = {} } = outputs.JOINER_CLUSTER_FACTS[at] ?? {}
  const { machinePrefix, podDeletionCosts } = overrides
  return {
    cluster: name,
    endpoint: outputs.JOINER_APP_ENDPOINT,
    app: { objectId: outputs.JOINER_APP_PRINCIPAL_ID },
    identity: { clientId: outputs.JOINER_SHIM_CLIENT_IDS[at] ?? '', tenantId: outputs.JOINER_TENANT_ID },
    audience: outputs.JOINER_AUDIENCE,
    shimAuth: outputs.JOINER_SHIM_AUTH,
    spot: { topicEndpoint: outputs.JOINER_TOPIC_ENDPOINTS[at] ?? '' },
    ...outsideValues(outputs, wayOut),
    ...(typeof machinePrefix === 'string' ? { machinePrefix } : {}),
    ...(podDeletionCosts === true ? { rbac: { podDeletionCosts } } : {}),
    ...(outputs.JOINER_SHIM_IMAGE === undefined ? {} : { image: parseImage(outputs.JOINER_SHIM_IMAGE) }),
  }
}

/** The shim goes through the proxy of the cluster. A private app is reached in the network, where the proxy may not find it. */
function outsideValues({ JOINER_NETWORK: network, JOINER_APP_ENDPOINT: endpoint }: Outputs, { httpProxy, trustedCertificates }: WayOut) {
  const near = network === 'private' ? [new URL(endpoint).hostname] : []
  const authorities = [...(httpProxy?.trustedCa === undefined ? [] : [httpProxy.trustedCa]), ...trustedCertificates]
  return {
    ...(httpProxy?.https === undefined ? {} : { proxy: { url: httpProxy.https, noProxy: [...httpProxy.noProxy, ...near] } }),
    ...(authorities.length === 0
      ? {}
      : { trustedCertificates: authorities.map((each) => Buffer.from(each, 'base64').toString()).join('\n') }),
  }
}
