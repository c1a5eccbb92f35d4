import { app } from '@azure/functions'
import { type CatalogStore, createCatalogStore } from '../shared/adapters/azure/catalog/catalogStore.ts'
import { createCatalog } from '../shared/adapters/azure/catalog.ts'
import { createCloudProvider } from '../shared/adapters/azure/cloudProvider.ts'
import { createClusterFactsSource } from '../shared/adapters/azure/clusterFacts.ts'
import { createCredential } from '../shared/adapters/azure/credential.ts'
import { createRecentTokens } from '../shared/adapters/azure/recentTokens.ts'
import { createRetryAfterLimiter, type RetryAfterLimiter } from '../shared/adapters/azure/retryAfterLimiter.ts'
import { createSharedWaits } from '../shared/adapters/azure/sharedWaits.ts'
import { createClusterApi } from '../shared/adapters/kube/createClusterApi.ts'
import { createBacklog } from '../shared/adapters/storage/backlog.ts'
import { createBlobStore } from '../shared/adapters/storage/blobStore.ts'
import { createClusterLog } from '../shared/adapters/storage/clusterLog.ts'
import { createDecisionStore } from '../shared/adapters/storage/decisionStore.ts'
import { createLease } from '../shared/adapters/storage/lease.ts'
import { createLedgerStore } from '../shared/adapters/storage/ledgerStore.ts'
import { createOfferingStore } from '../shared/adapters/storage/offeringStore.ts'
import { removeRetired } from '../shared/adapters/storage/retired.ts'
import { createStorageClients, prepareStorage, type StorageAccount } from '../shared/adapters/storage/storageClients.ts'
import { createWakeQueue } from '../shared/adapters/storage/wakeQueue.ts'
import { createSystemClock } from '../shared/adapters/system/systemClock.ts'
import { createBothTelemetry } from '../shared/adapters/telemetry/bothTelemetry.ts'
import { createLineTelemetry } from '../shared/adapters/telemetry/lineTelemetry.ts'
import { createCallersByIssuer } from '../shared/adapters/tokens/callersByIssuer.ts'
import { createEntraCallerIdentity, tenantIssuers } from '../shared/adapters/tokens/entraCallerIdentity.ts'
import { createRememberedCallers } from '../shared/adapters/tokens/rememberedCallers.ts'
import { type ClusterIssuer, createServiceAccountCallers } from '../shared/adapters/tokens/serviceAccountCallers.ts'
import { mapBounded, settle } from '../shared/base/concurrency.ts'
import { InternalError } from '../shared/base/result.ts'
import { defined } from '../shared/base/values.ts'
import { withEventRecorder, withLinkedEvents } from '../shared/flows/reports/eventRecorder.ts'
import { createLoadedClusters } from '../shared/flows/state/decider.ts'
import type { CallerIdentity } from '../shared/ports/callerIdentity.ts'
import type { AbortSignalLike } from '../shared/ports/clock.ts'
import type { ClusterFactsSource } from '../shared/ports/clusterFactsSource.ts'
import type { OfferingStore } from '../shared/ports/offeringStore.ts'
import type { ClusterConfig } from '../shared/wire/clusterConfig.ts'
import type { ClusterEntry } from '../shared/wire/clusterEntry.ts'
import { clusterFactHashes } from '../shared/wire/machineFacts.ts'
import type { ClusterGate, ClusterRuntime } from './appDeps.ts'
import { CLUSTERS_AT_ONCE, createClusterGate } from './clusterGate.ts'
import { clusterIdentities, READER_FIELDS, SHIM_FIELD } from './clusterIdentities.ts'
import { type ClusterWork, createClusterRuntime, createClusterWork, type RuntimeOptions } from './clusterRuntime.ts'
import { workBudget } from './deadline.ts'
import { decisionSettings } from './decisionSettings.ts'
import { createEnding } from './ending.ts'
import { givenConfig } from './givenConfig.ts'
import { createMonitor, flushWith } from './monitor.ts'
import { oneARegion } from './oneARegion.ts'
import { portalLinks } from './portalLinks.ts'
import { queueNames, RETIRED, WAKE_QUEUE } from './queueNames.ts'
import { registerFunctions } from './registerFunctions.ts'
import { schedulesOf } from './scheduleSettings.ts'
import { storageAddresses } from './storageAddresses.ts'

if (!givenConfig.ok) throw new InternalError('an app with refused settings was started')
const { settings, clusters } = givenConfig.value

const clock = createSystemClock()
const lines = createLineTelemetry(clock, (line) => console.log(line), settings.LOG_LEVEL)
const monitor = createMonitor(settings, clock)
const telemetry = monitor === undefined ? lines : createBothTelemetry(lines, monitor)
const credential = createCredential(settings.AZURE_CLIENT_ID)
const tokenOf = createRecentTokens(credential, clock)
const storage = createStorageClients(storageAccount())
const documents = createBlobStore(storage.container)
const offerings = new Map<string, OfferingStore>()
const catalogStores = new Map<string, CatalogStore>()
const retryAfterLimiters = new Map<string, RetryAfterLimiter>()
const loaded = createLoadedClusters()
const ending = createEnding()
const arm = { endpoint: settings.ARM_ENDPOINT }
const gates = new Map(clusters.map((entry) => [entry.id, createGate(entry)] as const))
const serviceAccounts = createServiceAccountCallers({ issuers: clusterIssuers, audience: settings.SHIM_AUDIENCE, clock })
const tenant = tenantCallers()

// Answers to the shim keep their invocation open.
app.setup({ enableHttpStream: true })
registerFunctions(app, {
  clusters: gates,
  rights: {
    post: {
      callers: createRememberedCallers(settings.SHIM_AUTH === 'entra' ? (tenant ?? serviceAccounts) : serviceAccounts, clock),
      listedIn: SHIM_FIELD[settings.SHIM_AUTH],
    },
    read: { callers: readers(), listedIn: READER_FIELDS },
  },
  documents,
  clock,
  telemetry,
  eventDelivery: settings.EVENT_DELIVERY,
  schedules: schedulesOf(settings),
  backlog: createBacklog(queueNames(settings.EVENT_DELIVERY).map(storage.queue)),
})
// Registered first, so that work is handed over while telemetry is sent.
app.hook.appTerminate(ending.end)
if (monitor !== undefined) flushWith(app, monitor)
app.hook.appStart(async () => {
  await prepareStorage(storage, workBudget(), queueNames(settings.EVENT_DELIVERY))
  await forgetRetired()
})

/** What is left disturbs nobody, so the app works on without it, and the next start tries again. */
async function forgetRetired(): Promise<void> {
  const removed = await settle(() => removeRetired({ queue: storage.queue, documents }, RETIRED, workBudget()))
  if (!removed.ok) telemetry.warn(`queues of an earlier version could not be deleted: ${String(removed.error)}`)
}

/** Uses the connection string if there is one (local), and a managed identity in Azure. */
function storageAccount(): StorageAccount {
  const { AzureWebJobsStorage: connectionString } = settings
  if (connectionString !== undefined) return { kind: 'connectionString', connectionString }
  return { kind: 'identity', ...storageAddresses(settings), credential }
}

/** Undefined if no token of the tenant is accepted. */
function tenantCallers(): CallerIdentity | undefined {
  const { ENTRA_AUTHORITY: authority, ENTRA_TENANT_ID: tenantId, ENTRA_AUDIENCE: audience } = settings
  return audience === undefined ? undefined : createEntraCallerIdentity({ authority, tenantId, audience, clock })
}

function readers(): CallerIdentity {
  const { ENTRA_AUTHORITY: authority, ENTRA_TENANT_ID: tenantId } = settings
  if (tenant === undefined) return serviceAccounts
  return createCallersByIssuer({ tenantIssuers: tenantIssuers({ authority, tenantId }), tenant, others: serviceAccounts })
}

function createGate(entry: ClusterEntry): ClusterGate {
  const { id, resourceId } = entry
  const work = createWork(id)
  const facts = createClusterFactsSource({ id, resourceId, given: entry, credential, arm, blobs: documents, clock, telemetry })
  return createClusterGate({
    entry,
    facts,
    build: (config) => createRuntime(config, facts, { work, isVersionSet: entry.kubernetesVersion !== undefined }),
    identities: clusterIdentities(settings.SHIM_AUTH, entry),
  })
}

/** Returns the token issuer of each cluster, from its entry or else from Azure. */
function clusterIssuers(signal: AbortSignalLike): Promise<readonly ClusterIssuer[]> {
  return mapBounded(clusters, CLUSTERS_AT_ONCE, async ({ id, oidcIssuer }) => {
    const issuer = oidcIssuer ?? (await gates.get(id)?.facts.load(signal))?.read?.facts.oidcIssuer
    return { cluster: id, issuer }
  })
}

type Building = { readonly work: ClusterWork; readonly isVersionSet: boolean }

function createRuntime(config: ClusterConfig, facts: ClusterFactsSource, building: Building): ClusterRuntime {
  const instancePrefix = `/subscriptions/${config.subscriptionId}/resourceGroups/${config.nodeResourceGroup}/`.toLowerCase()
  const deps = createClusterDeps(config, facts, building)
  return createClusterRuntime({ deps, instancePrefix, loaded, checkEvery: settings.DECISION_CHECK_EVERY, work: building.work })
}

/** The work of a cluster in this process. It outlives the runtimes of the cluster. */
function createWork(id: ClusterEntry['id']): ClusterWork {
  const work = createClusterWork(id, { clock, batch: { idle: settings.BATCH_IDLE_DURATION, max: settings.BATCH_MAX_DURATION } })
  const { over, handedOver } = ending
  const wakes = createWakeQueue(storage.queue(WAKE_QUEUE))
  const afterwards = monitor === undefined ? {} : { afterwards: () => void monitor.flush() }
  work.start({ telemetry, wakes, budget: workBudget, over, handedOver, ...afterwards })
  return work
}

function createClusterDeps(config: ClusterConfig, facts: ClusterFactsSource, { work, isVersionSet }: Building): RuntimeOptions['deps'] {
  const { id } = config
  // One for each cluster, since instance types depend on the cluster's network and version. The data that it fetches is shared by region.
  const pricesEndpoint = settings.PRICES_ENDPOINT
  const store = catalogStoreOf(config)
  const patient = { ...arm, retryAfterLimiter: retryAfterLimiterOf(config) }
  const catalog = createCatalog({
    config,
    credential,
    arm: patient,
    pricesEndpoint,
    blobs: documents,
    store,
    clock,
    telemetry,
    isVersionSet,
  })
  const { container } = storage
  const scope = `${config.apiServerAudience}/.default`
  const machineNames = { prefix: config.machinePrefix, former: config.formerMachinePrefixes }
  const links = portalLinks(settings, config)
  const { kubeletIdentityClientId, podDeletionCosts, additionalTags } = config
  const api = createClusterApi({
    server: config.apiServer,
    caBundle: config.caBundle,
    token: () => tokenOf(scope),
    cluster: id,
    machineNames,
    clock,
    telemetry,
  })
  return {
    cluster: id,
    settings: decisionSettings(
      settings,
      defined({ machineNames, kubeletIdentityClientId, clusterFacts: clusterFactHashes(config), podDeletionCosts, links, additionalTags }),
    ),
    clock,
    telemetry,
    log: createClusterLog(container, id, { clock, telemetry }),
    ledger: createLedgerStore(container, id),
    lease: createLease(container, id, { clock, durationSeconds: settings.LEASE_DURATION / 1_000, mayRenew: work.cover.isOpen, ending }),
    decisions: createDecisionStore(container, id, { telemetry }),
    offerings: offeringsOf(config),
    api: withEventRecorder(withLinkedEvents(api, links), { cluster: id, telemetry, clock, budget: workBudget, cover: work.cover }),
    cloud: createCloudProvider({ config, credential, arm: patient, sizes: catalog, clock, telemetry }),
    catalog,
    facts,
    limits: { launchLock: settings.LAUNCH_LOCK_DURATION, gcGrace: settings.GC_GRACE_DURATION, gcDrain: settings.GC_DRAIN_DURATION },
  }
}

/** One for each region, since Azure counts the calls of all its clusters together. Processes tell each other of the waits that it asks for. */
function retryAfterLimiterOf(config: ClusterConfig): RetryAfterLimiter {
  return oneARegion(retryAfterLimiters, config, (region) =>
    createRetryAfterLimiter({ ...clock, shared: createSharedWaits({ blobs: documents, region, clock, telemetry }) }),
  )
}

/** One for each region, so that marks of its clusters are written together. */
function offeringsOf(config: ClusterConfig): OfferingStore {
  return oneARegion(offerings, config, (region) => createOfferingStore({ blobs: documents, region, telemetry, clock, random: Math.random }))
}

/** One for each region, so that data that all its clusters read is in memory once. */
function catalogStoreOf(config: ClusterConfig): CatalogStore {
  return oneARegion(catalogStores, config, () => createCatalogStore(documents, clock, config))
}
