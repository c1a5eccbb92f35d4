import type { ClusterSnapshot, DecisionSettings } from '../../model/clusterSnapshot.ts'
import type { ClusterId, NodeClaimName } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Catalog } from '../../ports/catalog.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { CloudProvider } from '../../ports/cloudProvider.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import type { ClusterFactsSource } from '../../ports/clusterFactsSource.ts'
import type { ClusterLog } from '../../ports/clusterLog.ts'
import type { DecisionStore } from '../../ports/decisionStore.ts'
import type { Lease } from '../../ports/lease.ts'
import type { LedgerStore } from '../../ports/ledgerStore.ts'
import type { OfferingStore } from '../../ports/offeringStore.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { WorkQueue } from '../../ports/workQueue.ts'
import type { FirstTries } from './firstTries.ts'
import type { FlowLimits } from './flowLimits.ts'
import type { FreshEnds } from './freshEnds.ts'
import type { LaunchLocks } from './launchLocks.ts'

/** The ports and settings that the flows of one cluster need. */
export type ClusterDeps = {
  readonly cluster: ClusterId
  readonly settings: DecisionSettings
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly queue: WorkQueue
  readonly log: ClusterLog
  readonly ledger: LedgerStore
  readonly lease: Lease
  readonly decisions: DecisionStore
  readonly offerings: OfferingStore
  readonly api: ClusterApi
  readonly cloud: CloudProvider
  readonly catalog: Catalog
  readonly facts: ClusterFactsSource
  /** Reads the objects of the cluster from its log as of now. Absent: the state of the cluster is not known. */
  readonly readClusterState?: (signal: AbortSignalLike) => Promise<{ objects(): ClusterSnapshot['objects'] }>
  /** Returns the claim as this process last saw or wrote it. Absent: the process remembers none. */
  readonly lastSeen?: (claim: NodeClaimName) => NodeClaim | undefined
  /** Absent: claims are created without a launch lock, and the launch writes the lock. */
  readonly launchLocks?: LaunchLocks
  /** Absent: each claim finds out by itself which offerings Azure has. */
  readonly firstTries?: FirstTries
  /** Absent: the first step of each claim that ends reads its objects itself. */
  readonly freshEnds?: FreshEnds
  /** Default: `FLOW_LIMITS`. */
  readonly limits?: FlowLimits
}
