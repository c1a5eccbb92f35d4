import type { ClusterDeps } from '../shared/flows/deps/clusterDeps.ts'
import type { RecentNodes } from '../shared/flows/queue/claimRequests.ts'
import type { ClusterReader } from '../shared/flows/state/catchUp.ts'
import type { SnapshotRequestReader } from '../shared/flows/state/snapshotRequest.ts'
import type { ClusterId } from '../shared/model/ids.ts'
import type { Backlog } from '../shared/ports/backlog.ts'
import type { BlobStore } from '../shared/ports/blobStore.ts'
import type { CallerIdentity } from '../shared/ports/callerIdentity.ts'
import type { AbortSignalLike, Clock } from '../shared/ports/clock.ts'
import type { ClusterFactsSource } from '../shared/ports/clusterFactsSource.ts'
import type { Telemetry } from '../shared/ports/telemetry.ts'
import type { Attendance } from './attendance.ts'
import type { Cover } from './cover.ts'
import type { Schedules } from './schedules.ts'

/** A right to a cluster. `post`: send its state. `read`: read its status and explanations. Neither includes the other. */
export type Right = 'post' | 'read'

export type EventDelivery = 'function' | 'queue'

/** One cluster, as the triggers use it. */
export type ClusterRuntime = {
  readonly deps: ClusterDeps
  /** The cluster state that this process has loaded, shared by all that read it. */
  readonly reader: ClusterReader
  readonly asked: RecentNodes
  readonly wanted: SnapshotRequestReader
  readonly cover: Cover
  readonly attendance: Attendance
  /** Common start of the resource ids of this cluster's machines, in lower case. */
  readonly instancePrefix: string
}

/** One cluster as its entry in JOINER_CLUSTERS defines it, without the facts from Azure. */
export type ClusterGate = {
  readonly id: ClusterId
  /** The identities with each right to this cluster, in the form of `Caller`. */
  readonly identities: { readonly [Each in Right]: ReadonlySet<string> }
  /** Resource id, in lower case, of the Event Grid topic that only this cluster's nodes publish to. Undefined if there is none. */
  readonly noticeTopic: string | undefined
  readonly facts: ClusterFactsSource
  /** Fields of the entry that override values from Azure. */
  readonly overrides: readonly string[]
  /** Returns the cluster with the current facts from Azure. Throws a Fault while too few facts are known to work on it. */
  open(signal: AbortSignalLike): Promise<ClusterRuntime>
}

/** Verifies callers of a right, and names the setting that lists the allowed identities. */
export type RightCallers = { readonly callers: CallerIdentity; readonly listedIn: string }

/** The dependencies of every trigger. */
export type AppDeps = {
  readonly clusters: ReadonlyMap<ClusterId, ClusterGate>
  readonly rights: { readonly [Each in Right]: RightCallers }
  readonly documents: BlobStore
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly schedules: Schedules
  readonly backlog: Backlog
  /** How events about machines arrive: Event Grid calls the function, or writes to a queue. */
  readonly eventDelivery: EventDelivery
}
