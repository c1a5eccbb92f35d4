import { BlobServiceClient } from '@azure/storage-blob'
import { QueueServiceClient } from '@azure/storage-queue'
import { createCatalog } from '../../../shared/adapters/azure/catalog.ts'
import { createCloudProvider } from '../../../shared/adapters/azure/cloudProvider.ts'
import { createClusterFactsSource } from '../../../shared/adapters/azure/clusterFacts.ts'
import { createClusterApi } from '../../../shared/adapters/kube/createClusterApi.ts'
import type { MemoryPorts } from '../../../shared/adapters/memory/memoryWorld.ts'
import { createBacklog } from '../../../shared/adapters/storage/backlog.ts'
import { createBlobStore } from '../../../shared/adapters/storage/blobStore.ts'
import { createClusterLog } from '../../../shared/adapters/storage/clusterLog.ts'
import { createDecisionStore } from '../../../shared/adapters/storage/decisionStore.ts'
import { createLease } from '../../../shared/adapters/storage/lease.ts'
import { createLedgerStore } from '../../../shared/adapters/storage/ledgerStore.ts'
import { createOfferingStore } from '../../../shared/adapters/storage/offeringStore.ts'
import { createWakeQueue } from '../../../shared/adapters/storage/wakeQueue.ts'
import { clusterId, DEFAULT_MACHINE_NAMES } from '../../../shared/model/ids.ts'
import type { Clock } from '../../../shared/ports/clock.ts'
import type { Telemetry } from '../../../shared/ports/telemetry.ts'
import { parseClusterConfig } from '../../../shared/wire/clusterConfig.ts'
import type { Outside } from './answers.ts'

/** Every port that leads to a system outside the app. */
export type OutsidePorts = Omit<MemoryPorts, 'cluster' | 'clock' | 'telemetry' | 'queue'>

const CLUSTER = clusterId('test')
const SUBSCRIPTION = '00000000-0000-0000-0000-000000000001'
const NETWORK = `/subscriptions/${SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/net`
const RESOURCE = `/subscriptions/${SUBSCRIPTION}/resourceGroups/test/providers/Microsoft.ContainerService/managedClusters/test`
/** A subnet that a NodeClass names, so that the subnet is checked. */
export const OTHER_SUBNET = `${NETWORK}/subnets/other`
const ACCOUNT = 'devstoreaccount1'
const KEY = Buffer.from('a key good for nothing').toString('base64')
/** Storage clients without retries, which would wait. Otherwise the adapters are as shipped. */
const ONCE = { retryOptions: { maxTries: 1 } }

/** The real adapters, connected to servers that give the chosen answer. */
export function realPorts(outside: Outside, clock: Pick<Clock, 'now'>, telemetry: Telemetry): OutsidePorts {
  // Pauses between tries take no time.
  const hasty: Clock = { now: clock.now, sleep: () => Promise.resolve() }
  const config = clusterConfig()
  const credential = { getToken: () => Promise.resolve({ token: 'token', expiresOnTimestamp: Number.MAX_SAFE_INTEGER }) }
  const arm = { endpoint: outside.arm, ca: outside.ca, maxRetries: 0, retryDelayMs: 0 }
  const connection = `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${KEY};BlobEndpoint=${outside.storage}/${ACCOUNT};QueueEndpoint=${outside.storage}/${ACCOUNT}`
  const container = BlobServiceClient.fromConnectionString(connection, ONCE).getContainerClient('joiner')
  const queues = QueueServiceClient.fromConnectionString(connection, ONCE)
  const wake = queues.getQueueClient('wake')
  const blobs = createBlobStore(container)
  const catalog = createCatalog({ config, credential, arm, pricesEndpoint: outside.arm, blobs, clock: hasty, telemetry })
  const sizes = { sizeFacts: () => Promise.resolve(undefined) }
  return {
    api: createClusterApi({
      server: outside.kube,
      caBundle: undefined,
      token: () => Promise.resolve('token'),
      cluster: CLUSTER,
      machineNames: DEFAULT_MACHINE_NAMES,
      clock: hasty,
      telemetry,
      retry: { retries: 0, firstMs: 0 },
    }),
    cloud: createCloudProvider({ config, credential, arm, sizes, clock: hasty, telemetry }),
    catalog,
    facts: createClusterFactsSource({ id: CLUSTER, resourceId: RESOURCE, credential, arm, blobs, clock: hasty, telemetry }),
    log: createClusterLog(container, CLUSTER, { clock: hasty, telemetry }),
    ledger: createLedgerStore(container, CLUSTER),
    lease: createLease(container, CLUSTER, { clock: hasty }),
    decisions: createDecisionStore(container, CLUSTER, { telemetry }),
    offerings: createOfferingStore({ blobs, region: 'regions/s/eastus', telemetry, clock: hasty, random: () => 0.5 }),
    wakes: createWakeQueue(wake),
    backlog: createBacklog([wake]),
    blobs,
  }
}

function clusterConfig() {
  const parsed = parseClusterConfig({
    id: 'test',
    subscriptionId: SUBSCRIPTION,
    tenantId: '00000000-0000-0000-0000-000000000002',
    location: 'eastus',
    nodeResourceGroup: 'mc_test',
    clusterName: 'test',
    vnetSubnetId: `${NETWORK}/subnets/nodes`,
    vnetGuid: '00000000-0000-4000-8000-00000000a00c',
    apiServer: 'https://127.0.0.1:6443',
    caBundle: 'Y2E=',
    kubernetesVersion: '1.34.2',
    sshPublicKey: 'ssh-ed25519 AAAA',
    networkDataplane: 'azure',
  })
  if (!parsed.ok) throw new Error(parsed.error.map((entry) => entry.message).join('; '))
  return parsed.value
}
