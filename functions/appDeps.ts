import type { ClusterDeps } from '../shared/flows/deps/clusterDeps.ts'
import type { ClaimSteps } from '../shared/flows/lifecycle/claimSteps.ts'
import type { AskedLooks } from '../shared/flows/messages/askedLooks.ts'
import type { BatchWindow } from '../shared/flows/messages/batchWindow.ts'
import type { ClusterReader } from '../shared/flows/state/catchUp.ts'
import type { SnapshotWanted } from '../shared/flows/state/snapshotWanted.ts'
import type { ClusterId } from '../shared/model/ids.ts'
import type { Backlog } from '../shared/ports/backlog.ts'
import type { BlobStore } from '../shared/ports/blobStore.ts'
import type { CallerIdentity } from '../shared/ports/callerIdentity.ts'
import type { AbortSignalLike, Clock } from '../shared/ports/clock.ts'
import type { ClusterFactsSource } from '../shared/ports/clusterFactsSource.ts'
import type { Telemetry } from '../shared/ports/telemetry.ts'
import type { Schedules } from './schedules.ts'

/** `post`: say what a cluster looks like. `read`: see it, and why things are as they are. Neither holds the other. */
export type Right = 'post' | 'read'

export type EventDelivery = 'function' | 'queue'

/** One cluster as the triggers use it. */
export type ClusterRuntime = {
  readonly deps: ClusterDeps
  /** What this process holds of the cluster: loaded once, for whatever asks. */
  readonly reader: ClusterReader
  readonly window: BatchWindow
  readonly steps: ClaimSteps
  readonly asked: AskedLooks
  readonly wanted: SnapshotWanted
  /** Resource ids of this cluster's machines begin with this, in lower case. */
  readonly instancePrefix: string
}

/** One cluster as its entry in JOINER_CLUSTERS names it, whatever Azure says of it. */
export type ClusterGate = {
  readonly id: ClusterId
  /** Identities, as `Caller` names them, with each right to this cluster. No other identity has it. */
  readonly identities: { readonly [Each in Right]: ReadonlySet<string> }
  /** Resource id, in lower case, of the Event Grid topic that only this cluster's nodes publish to. */
  readonly noticeTopic: string | undefined
  readonly facts: ClusterFactsSource
  /** Fields of the entry that stand above what Azure says. */
  readonly overrides: readonly string[]
  /** The cluster as Azure describes it by now. Throws a Fault as long as too little of it is known to work on it. */
  open(signal: AbortSignalLike): Promise<ClusterRuntime>
}

/** Who calls with a right, and where the ones who have it are listed. */
export type RightCallers = { readonly callers: CallerIdentity; readonly listedIn: string }

/** What every trigger is given. */
export type AppDeps = {
  readonly clusters: ReadonlyMap<ClusterId, ClusterGate>
  readonly rights: { readonly [Each in Right]: RightCallers }
  readonly documents: BlobStore
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly schedules: Schedules
  readonly backlog: Backlog
  /** How events about machines come: Event Grid calls the function, or writes to a queue. */
  readonly eventDelivery: EventDelivery
}
