// All ports in memory over one shared state: small, real implementations for tests of flows. A process gets its ports from `start`. After it is
// killed, the state stays as it was. Nothing runs by itself: time moves with the clock, nodes with `joinNodes`, and `work` only notes the work that is added.
import { type ClusterId, DEFAULT_MACHINE_NAMES } from '../../model/ids.ts'
import type { InstanceType } from '../../model/instanceType.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { Backlog } from '../../ports/backlog.ts'
import type { BlobStore } from '../../ports/blobStore.ts'
import type { Catalog } from '../../ports/catalog.ts'
import type { CloudProvider } from '../../ports/cloudProvider.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import type { ClusterFactsSource } from '../../ports/clusterFactsSource.ts'
import type { ClusterLog } from '../../ports/clusterLog.ts'
import type { DecisionStore } from '../../ports/decisionStore.ts'
import type { Lease } from '../../ports/lease.ts'
import type { LedgerStore } from '../../ports/ledgerStore.ts'
import type { OfferingStore } from '../../ports/offeringStore.ts'
import type { WakeQueue } from '../../ports/wakeQueue.ts'
import type { WorkQueue } from '../../ports/workQueue.ts'
import { createBlobTruth, createMemoryBlobStore } from './blobStore.ts'
import { type CatalogTruth, createMemoryCatalog } from './catalog.ts'
import { createMemoryCloudProvider } from './cloudProvider.ts'
import { createMemoryClusterApi } from './clusterApi.ts'
import { createMemoryClusterFacts, type FactsTruth } from './clusterFacts.ts'
import { createLogTruth, createMemoryClusterLog } from './clusterLog.ts'
import { type ClusterObjects, createClusterObjects } from './clusterObjects.ts'
import { type Connection, createConnection } from './connection.ts'
import { createMemoryDecisionStore, type DecisionTruth } from './decisionStore.ts'
import { breakLease, createLeaseTruth, createMemoryLease } from './lease.ts'
import { createLedgerTruth, createMemoryLedgerStore } from './ledgerStore.ts'
import { createMachines, type Machines } from './machines.ts'
import { createMemoryOfferingStore, type OfferingTruth } from './offeringStore.ts'
import { createRecordedTelemetry, type RecordedTelemetry } from './telemetry.ts'
import type { VirtualClock } from './virtualClock.ts'
import { createMemoryBacklog, createMemoryWakeQueue, type WakeTruth } from './wakeQueue.ts'
import { type AddedWork, createMemoryWorkQueue } from './workQueue.ts'
import { createWriteJournal, type Process, type WriteJournal } from './writeJournal.ts'

export type MemoryWorldOptions = {
  readonly clock: VirtualClock
  readonly cluster: ClusterId
  readonly instanceTypes?: readonly InstanceType[] | ((nodeClass: NodeClass) => readonly InstanceType[])
  /** Time from the request to a running machine. Default: 30 seconds. */
  readonly bootMs?: number
  /** Time from the request to delete a machine until it is gone. Default: 10 seconds. */
  readonly deleteMs?: number
  /** Time from the eviction of a pod until it is gone. Default: 0. */
  readonly podExitMs?: number
  /** How long a dead writer keeps the lease. Default: 30 seconds. */
  readonly leaseMs?: number
  /** The number of records after which the log may rotate. Default: 1000. */
  readonly rotateRecords?: number
  /** The most records that one read of the log returns. Default: all. */
  readonly readRecords?: number
}

export type MemoryPorts = {
  readonly cluster: ClusterId
  readonly clock: VirtualClock
  readonly telemetry: RecordedTelemetry
  readonly queue: WorkQueue
  readonly wakes: WakeQueue
  readonly backlog: Backlog
  readonly log: ClusterLog
  readonly ledger: LedgerStore
  readonly lease: Lease
  readonly decisions: DecisionStore
  readonly offerings: OfferingStore
  readonly blobs: BlobStore
  readonly api: ClusterApi
  readonly cloud: CloudProvider
  readonly catalog: Catalog
  readonly facts: ClusterFactsSource
}

export type MemoryProcess = { readonly ports: MemoryPorts; kill(): void; isAlive(): boolean }

export type MemoryWorld = {
  /** The ports of a first process. */
  readonly ports: MemoryPorts
  /** Starts a further process, or the next process after a kill. */
  start(): MemoryProcess
  readonly clock: VirtualClock
  readonly cluster: ClusterId
  readonly telemetry: RecordedTelemetry
  /** Every write, in order, and the failures to come. */
  readonly journal: WriteJournal
  /** Makes the n-th write of the world fail: the process is killed before the write takes effect, unless `mode` says otherwise. */
  readonly failAt: WriteJournal['failAt']
  readonly failCall: WriteJournal['failCall']
  readonly objects: ClusterObjects
  readonly machines: Machines
  /** The work that the flows of all processes have added. */
  readonly work: AddedWork[]
  /** The stored messages for other processes. */
  readonly wakes: WakeTruth
  readonly catalog: CatalogTruth
  readonly facts: FactsTruth
  breakLease(): void
}

export function createMemoryWorld(options: MemoryWorldOptions): MemoryWorld {
  const { clock, cluster } = options
  const journal = createWriteJournal(clock)
  const truth = createTruth(options)
  let processes = 0

  function start(): MemoryProcess {
    const process: Process = { number: ++processes, killedAt: undefined }
    return {
      ports: createPorts(truth, options, createConnection(process, journal)),
      kill: () => {
        process.killedAt ??= clock.now()
      },
      isAlive: () => process.killedAt === undefined,
    }
  }

  const { telemetry, objects, machines, catalog, facts } = truth
  return {
    ports: start().ports,
    start,
    clock,
    cluster,
    telemetry,
    journal,
    failAt: journal.failAt,
    failCall: journal.failCall,
    objects,
    machines,
    work: truth.work,
    wakes: truth.wakes,
    catalog,
    facts,
    breakLease: () => breakLease(truth.lease),
  }
}

type Truth = ReturnType<typeof createTruth>

function createTruth({
  clock,
  instanceTypes = [],
  bootMs = 30_000,
  deleteMs = 10_000,
  leaseMs = 30_000,
  rotateRecords = 1_000,
  readRecords = Number.POSITIVE_INFINITY,
}: MemoryWorldOptions) {
  const types = typeof instanceTypes === 'function' ? instanceTypes : () => instanceTypes
  const catalog: CatalogTruth = {
    instanceTypes: types,
    sizeProblem: () => undefined,
    nodeVersions: () => ({}),
    quota: undefined,
    leftOutSizes: new Map(),
    fetchedAt: undefined,
    sizes: typeof instanceTypes === 'function' ? 0 : instanceTypes.length,
  }
  const facts: FactsTruth = { said: undefined, refusal: undefined, stored: undefined }
  const decisions: DecisionTruth = new Map()
  const [work, wakes]: [AddedWork[], WakeTruth] = [[], []]
  const offerings: OfferingTruth = { offerings: [], asked: [], reports: [] }
  return {
    telemetry: createRecordedTelemetry(),
    work,
    wakes,
    log: createLogTruth({ rotateRecords, readRecords }),
    ledger: createLedgerTruth(),
    lease: createLeaseTruth(leaseMs),
    blobs: createBlobTruth(),
    objects: createClusterObjects(clock),
    machines: createMachines({ clock, bootMs, deleteMs }),
    catalog,
    facts,
    decisions,
    offerings,
  }
}

function createPorts(truth: Truth, { clock, cluster, podExitMs = 0 }: MemoryWorldOptions, connection: Connection): MemoryPorts {
  return {
    cluster,
    clock,
    telemetry: truth.telemetry,
    queue: createMemoryWorkQueue(truth.work, clock),
    wakes: createMemoryWakeQueue(truth.wakes, clock, connection),
    backlog: createMemoryBacklog(truth.wakes, connection),
    log: createMemoryClusterLog(truth.log, connection),
    ledger: createMemoryLedgerStore(truth.ledger, connection),
    lease: createMemoryLease(truth.lease, clock, connection),
    decisions: createMemoryDecisionStore(truth.decisions, connection),
    offerings: createMemoryOfferingStore(truth.offerings, connection),
    blobs: createMemoryBlobStore(truth.blobs, connection),
    api: createMemoryClusterApi({ cluster, clock, objects: truth.objects, podExitMs }, connection),
    cloud: createMemoryCloudProvider(truth.machines, DEFAULT_MACHINE_NAMES, clock, connection),
    catalog: createMemoryCatalog(truth.catalog, clock, connection),
    facts: createMemoryClusterFacts(truth.facts, clock, connection),
  }
}
