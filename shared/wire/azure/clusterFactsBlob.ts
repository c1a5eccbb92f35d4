import * as z from 'zod'
import { parsedJson } from '../../base/json.ts'
import type { ClusterFacts } from '../../model/clusterFacts.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import { storedProxy } from './httpProxy.ts'

const SCHEMA = 3
const text = z.string()
const texts = z.array(text)

const facts = z.object({
  resourceId: text,
  location: text,
  kubernetesVersion: text,
  powerState: z.enum(['Running', 'Stopped']),
  provisioningState: text,
  sku: text,
  nodeResourceGroup: text,
  nodeResourceGroupRestriction: text,
  identity: z.enum(['ManagedIdentity', 'ServicePrincipal']),
  kubeletIdentity: z.object({ clientId: text, resourceId: text }).exactOptional(),
  nodeProvisioning: text,
  hasWorkloadIdentity: z.boolean(),
  oidcIssuer: text.exactOptional(),
  entra: z.object({ tenantId: text.exactOptional() }).exactOptional(),
  apiServer: z.object({ url: text, isPrivate: z.boolean(), authorizedRanges: texts }),
  network: z.object({
    plugin: text,
    pluginMode: text,
    policy: text,
    dataplane: text,
    outboundType: text,
    dnsServiceIp: text.exactOptional(),
    subnetId: text.exactOptional(),
    vnetGuid: text.exactOptional(),
    backendPoolIds: texts,
    networkSecurityGroupId: text.exactOptional(),
  }),
  sshPublicKey: text.exactOptional(),
  pools: z.array(
    z.object({
      name: text,
      mode: text,
      count: z.number(),
      taints: texts,
      hasFips: z.boolean(),
      encryptsAtHost: z.boolean(),
      // Facts that an older version stored have none.
      hasLocalDns: z.boolean().default(false),
      autoscales: z.boolean().default(false),
      subnetId: text.exactOptional(),
    }),
  ),
  diskEncryptionSetId: text.exactOptional(),
  httpProxy: storedProxy.exactOptional(),
  trustedCertificates: texts,
  unsupported: z.array(
    z.object({
      code: z.enum(['PREFLIGHT.NETWORK', 'PREFLIGHT.OUTBOUND', 'PREFLIGHT.UNSUPPORTED']),
      member: text,
      message: text,
      remedy: text,
      settledBy: text.exactOptional(),
    }),
  ),
}) satisfies z.ZodType<ClusterFacts>

const stored = z.object({ schema: z.literal(SCHEMA), at: z.number().int(), facts })

export type StoredFacts = { readonly at: EpochMs; readonly facts: ClusterFacts }

export function writeClusterFacts(value: StoredFacts): string {
  return JSON.stringify({ schema: SCHEMA, ...value })
}

/** Undefined if another version wrote the text. Then the facts are read from Azure again. */
export function readClusterFacts(text: string): StoredFacts | undefined {
  const parsed = stored.safeParse(parsedJson(text))
  return parsed.success ? { at: epochMs(parsed.data.at), facts: parsed.data.facts } : undefined
}
