import { app } from '@azure/functions'
import { createCatalog } from '../shared/adapters/azure/catalog.ts'
import { createCloudProvider } from '../shared/adapters/azure/cloudProvider.ts'
import { createCredential } from '../shared/adapters/azure/credential.ts'
import { createEntraCallerIdentity } from '../shared/adapters/entra/entraCallerIdentity.ts'
import { createClusterApi } from '../shared/adapters/kube/createClusterApi.ts'
import { createBlobStore } from '../shared/adapters/storage/blobStore.ts'
import { createClusterLog } from '../shared/adapters/storage/clusterLog.ts'
import { createDecisionStore } from '../shared/adapters/storage/decisionStore.ts'
import { createLease } from '../shared/adapters/storage/lease.ts'
import { createLedgerStore } from '../shared/adapters/storage/ledgerStore.ts'
import { createOfferingStore } from '../shared/adapters/storage/offeringStore.ts'
import { createStorageClients, prepareStorage, type StorageAccount } from '../shared/adapters/storage/storageClients.ts'
import { createWorkQueue } from '../shared/adapters/storage/workQueue.ts'
import { createSystemClock } from '../shared/adapters/system/systemClock.ts'
import { createBothTelemetry } from '../shared/adapters/telemetry/bothTelemetry.ts'
import { createLineTelemetry } from '../shared/adapters/telemetry/lineTelemetry.ts'
import { createBatchWindow } from '../shared/flows/batchWindow.ts'
import { createClusterReader } from '../shared/flows/catchUp.ts'
import { createClaimSteps } from '../shared/flows/claimSteps.ts'
import type { ClusterDeps } from '../shared/flows/clusterDeps.ts'
import { reconcile } from '../shared/flows/reconcile.ts'
import { stepClaim } from '../shared/flows/stepClaim.ts'
import { createWakeUp } from '../shared/flows/wakeUp.ts'
import { Fault, problem } from '../shared/model/problem.ts'
import type { OfferingStore } from '../shared/ports/offeringStore.ts'
import type { ClusterConfig } from '../shared/wire/clusterConfig.ts'
import type { ClusterRuntime } from './appDeps.ts'
import { type Config, readConfig, refuseToStart } from './config.ts'
import { workBudget } from './deadline.ts'
import { decisionSettings } from './decisionSettings.ts'
import { createMonitor, flushWith } from './monitor.ts'
import { registerFunctions } from './registerFunctions.ts'
import { schedulesOf } from './scheduleSettings.ts'

const read = readConfig(process.env)
if (!read.ok) refuseToStart(read.error)
const { settings, clusters }: Config = read.value

const clock = createSystemClock()
const lines = createLineTelemetry(clock, (line) => console.log(line), settings.LOG_LEVEL)
const monitor = createMonitor(settings, clock)
const telemetry = monitor === undefined ? lines : createBothTelemetry(lines, monitor)
const credential = createCredential(settings.AZURE_CLIENT_ID)
const storage = createStorageClients(storageAccount())
const documents = createBlobStore(storage.container)
const offerings = new Map<string, OfferingStore>()
const runtimes = clusters.map((config) => [config.id, createRuntime(config)] as const)

registerFunctions(app, {
  clusters: new Map(runtimes),
  callers: createEntraCallerIdentity({
    authority: settings.ENTRA_AUTHORITY,
    tenantId: settings.ENTRA_TENANT_ID,
    audience: settings.ENTRA_AUDIENCE,
  }),
  documents,
  clock,
  telemetry,
  eventDelivery: settings.EVENT_DELIVERY,
  schedules: schedulesOf(settings),
})
if (monitor !== undefined) flushWith(app, monitor)
app.hook.appStart(() => prepareStorage(storage, workBudget()))

/** By connection string where there is one (local), by identity in Azure. */
function storageAccount(): StorageAccount {
  const { AzureWebJobsStorage: connectionString, AzureWebJobsStorage__accountName: account } = settings
  if (connectionString !== undefined) return { kind: 'connectionString', connectionString }
  const service = (name: string): string => `https://${account}.${name}.core.windows.net`
  return { kind: 'identity', blobUrl: service('blob'), queueUrl: service('queue'), credential }
}

/** One a cluster, since types follow the cluster's own network and versions; what it fetches is stored a region. */
function createClusterCatalog(config: ClusterConfig): ReturnType<typeof createCatalog> {
  const { ARM_ENDPOINT, PRICES_ENDPOINT } = settings
  return createCatalog({
    config,
    credential,
    arm: { endpoint: ARM_ENDPOINT },
    pricesEndpoint: PRICES_ENDPOINT,
    blobs: documents,
    clock,
    telemetry,
  })
}

function createRuntime(config: ClusterConfig): ClusterRuntime {
  const deps = createClusterDeps(config)
  const session = { reader: createClusterReader(deps.log), wakeUp: createWakeUp(deps) }
  const window = createBatchWindow({
    clock,
    idle: settings.BATCH_IDLE_DURATION,
    max: settings.BATCH_MAX_DURATION,
    run: async (doorbells, signal) => {
      await reconcile(deps, session, doorbells, signal)
    },
  })
  const instancePrefix = `/subscriptions/${config.subscriptionId}/resourceGroups/${config.nodeResourceGroup}/`.toLowerCase()
  const steps = createClaimSteps((message, signal) => stepClaim(deps, message, signal))
  return {
    deps,
    window,
    steps,
    identities: { post: identities(config.allowedShimIdentities), read: identities(config.allowedReaderIdentities) },
    noticeTopic: config.eventGridTopicId?.toLowerCase(),
    instancePrefix,
  }
}

function createClusterDeps(config: ClusterConfig): ClusterDeps {
  const { id } = config
  const { container } = storage
  const catalog = createClusterCatalog(config)
  const scope = `${config.apiServerAudience}/.default`
  const machineNames = { prefix: config.machinePrefix, former: config.formerMachinePrefixes }
  return {
    cluster: id,
    settings: decisionSettings(settings, machineNames),
    clock,
    telemetry,
    queue: createWorkQueue(storage),
    log: createClusterLog(container, id, { clock, telemetry }),
    ledger: createLedgerStore(container, id),
    lease: createLease(container, id, { clock, durationSeconds: settings.LEASE_DURATION / 1_000 }),
    decisions: createDecisionStore(container, id, { telemetry }),
    offerings: offeringsOf(config),
    api: createClusterApi({
      server: config.apiServer,
      caBundle: config.caBundle,
      token: () => tokenFor(scope),
      cluster: id,
      machineNames,
      clock,
      telemetry,
    }),
    cloud: createCloudProvider({ config, credential, arm: { endpoint: settings.ARM_ENDPOINT }, sizes: catalog, clock, telemetry }),
    catalog,
    limits: { launchLock: settings.LAUNCH_LOCK_DURATION, gcGrace: settings.GC_GRACE_DURATION },
  }
}

/** As tokens spell them. */
function identities(ids: readonly string[]): ReadonlySet<string> {
  return new Set(ids.map((id) => id.toLowerCase()))
}

/** One a region: marks of its clusters then go out together. */
function offeringsOf(config: ClusterConfig): OfferingStore {
  const region = regionOf(config)
  const store = offerings.get(region) ?? createOfferingStore({ blobs: documents, region, telemetry, clock, random: Math.random })
  offerings.set(region, store)
  return store
}

/** What clusters of one subscription and region share is kept under this path. */
function regionOf(config: ClusterConfig): string {
  return `regions/${config.subscriptionId}/${config.location}`
}

async function tokenFor(scope: string): Promise<string> {
  const token = await credential.getToken(scope)
  if (token === null) throw new Fault(`get a token for ${scope}`, problem('AZURE.FORBIDDEN', 'the identity of the app gives no token'))
  return token.token
}
