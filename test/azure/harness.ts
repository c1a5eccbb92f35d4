import type { AccessToken, TokenCredential } from '@azure/identity'
import type { StartAzureOptions } from '../../local/azure/options.ts'
import { type LocalAzure, startAzure } from '../../local/azure/startAzure.ts'
import { createCatalog } from '../../shared/adapters/azure/catalog.ts'
import { createCloudProvider } from '../../shared/adapters/azure/cloudProvider.ts'
import { ok } from '../../shared/base/result.ts'
import { nodeClaimName, nodeClassName, uid } from '../../shared/model/ids.ts'
import { choiceOf, type LaunchCandidate } from '../../shared/model/instance.ts'
import type { InstanceType, Offering } from '../../shared/model/instanceType.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import type { NodeClass } from '../../shared/model/nodeClass.ts'
import { epochMs } from '../../shared/model/units.ts'
import type { BlobStore } from '../../shared/ports/blobStore.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import type { Telemetry } from '../../shared/ports/telemetry.ts'
import { type ClusterConfig, type ClusterConfigInput, parseClusterConfig } from '../../shared/wire/clusterConfig.ts'
import { SILENT } from '../builders/telemetry.ts'

export const SIGNAL = new AbortController().signal
export { SILENT }
export const REAL_CLOCK: Clock = {
  now: () => epochMs(Date.now()),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

export function memoryBlobs(): BlobStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>()
  let writes = 0
  const etags = new Map<string, string>()
  return {
    texts,
    read: async (path) => {
      const value = texts.get(path)
      return value === undefined ? undefined : { value, etag: etags.get(path) ?? '' }
    },
    write: async (path, text) => {
      writes += 1
      texts.set(path, text)
      etags.set(path, `e${writes}`)
      return ok(`e${writes}`)
    },
    remove: async (path) => void texts.delete(path),
    list: async (prefix) => [...texts.keys()].filter((path) => path.startsWith(prefix)),
  }
}

export function clusterConfig(
  azure: Pick<LocalAzure, 'subscriptionId' | 'tenantId' | 'location' | 'resourceGroups' | 'subnetId'>,
  over: Partial<ClusterConfigInput> = {},
): ClusterConfig {
  const parsed = parseClusterConfig({
    id: 'demo',
    subscriptionId: azure.subscriptionId,
    tenantId: azure.tenantId,
    location: azure.location,
    nodeResourceGroup: azure.resourceGroups[0],
    clusterName: 'demo',
    vnetSubnetId: azure.subnetId,
    vnetGuid: '00000000-0000-4000-8000-00000000a00c',
    apiServer: 'https://127.0.0.1:6443',
    caBundle: 'Y2E=',
    kubernetesVersion: '1.34.2',
    sshPublicKey: 'ssh-ed25519 AAAA',
    networkDataplane: 'azure',
    ...over,
  })
  if (!parsed.ok) throw new Error(parsed.error.map((entry) => entry.message).join('; '))
  return parsed.value
}

export function nodeClass(spec: Partial<NodeClass['spec']> = {}): NodeClass {
  const meta = { uid: uid('c1'), labels: {}, annotations: {}, createdAt: epochMs(0), generation: 1, resourceVersion: '1', finalizers: [] }
  return {
    name: nodeClassName('default'),
    meta,
    spec: { osDiskSizeGb: 128, imageFamily: 'Ubuntu', tags: {}, kubelet: {}, gpuMode: 'Driver', ...spec },
    status: { conditions: [], images: [] },
  }
}

export function claim(name: string, spec: Partial<NodeClaim['spec']> = {}): NodeClaim {
  const meta = {
    uid: uid(`u-${name}`),
    labels: { 'karpenter.sh/nodepool': 'default' },
    annotations: {},
    createdAt: epochMs(0),
    generation: 1,
    resourceVersion: '1',
    finalizers: [],
  }
  return {
    name: nodeClaimName(name),
    meta,
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: nodeClassName('default') },
      requirements: [],
      requests: {},
      taints: [],
      startupTaints: [],
      expireAfter: 'Never',
      ...spec,
    },
    status: { conditions: [], capacity: {}, allocatable: {} },
  }
}

export function candidateOf(type: InstanceType, want: Partial<Pick<Offering, 'zone' | 'capacityType'>> = {}): LaunchCandidate {
  const offering = type.offerings.find(
    (entry) => (want.zone ?? entry.zone) === entry.zone && (want.capacityType ?? entry.capacityType) === entry.capacityType,
  )
  if (offering === undefined) throw new Error(`${type.name} has no such offering`)
  const single = [...type.requirements, ...offering.requirements].filter(
    (requirement) => !requirement.complement && requirement.values.length === 1,
  )
  return {
    choice: choiceOf(type.name, offering),
    instanceType: type,
    labels: Object.fromEntries(single.map((requirement) => [requirement.key, requirement.values[0] ?? ''])),
  }
}

/** Whom the tokens of these tests are for. */
export const CALLER = 'o1'

/** Tokens from the tenant of the emulator. */
export function credentialFor(azure: Pick<LocalAzure, 'issueToken'>): TokenCredential {
  return {
    getToken: async (scopes): Promise<AccessToken> => {
      const audience = [scopes].flat()[0]?.replace(/\/\.default$/, '') ?? ''
      return { token: await azure.issueToken({ audience, oid: CALLER, appid: 'a1' }), expiresOnTimestamp: Date.now() + 3_600_000 }
    },
  }
}

/** The emulator, with catalog and provider over the real clients and with tokens from the emulator's own tenant. */
export async function startHarness(options: StartAzureOptions = {}, over: Partial<ClusterConfigInput> = {}, telemetry: Telemetry = SILENT) {
  const azure = await startAzure({ speed: 100, durations: { nic: 200 }, ...options })
  const credential = credentialFor(azure)
  const config = clusterConfig(azure, over)
  const arm = { endpoint: azure.armUrl, ca: azure.caCertificate, maxRetries: 1, retryDelayMs: 20 }
  const blobs = memoryBlobs()
  const catalog = createCatalog({ config, credential, arm, pricesEndpoint: azure.pricesUrl, blobs, clock: REAL_CLOCK, telemetry })
  const cloudOf = (of: ClusterConfig) =>
    createCloudProvider({ config: of, credential, arm, sizes: catalog, pinImage: catalog.pinImage, clock: REAL_CLOCK, telemetry })
  return { azure, credential, config, blobs, catalog, provider: cloudOf(config), cloudOf, arm }
}

export function typeNamed(types: readonly InstanceType[], name: string): InstanceType {
  const type = types.find((entry) => entry.name === name)
  if (type === undefined) throw new Error(`no instance type ${name}`)
  return type
}
