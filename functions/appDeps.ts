import type { BatchWindow } from '../shared/flows/batchWindow.ts'
import type { ClaimSteps } from '../shared/flows/claimSteps.ts'
import type { ClusterDeps } from '../shared/flows/clusterDeps.ts'
import type { ClusterId } from '../shared/model/ids.ts'
import type { BlobStore } from '../shared/ports/blobStore.ts'
import type { CallerIdentity } from '../shared/ports/callerIdentity.ts'
import type { Clock } from '../shared/ports/clock.ts'
import type { Telemetry } from '../shared/ports/telemetry.ts'
import type { Schedules } from './schedules.ts'

/** `post`: say what a cluster looks like. `read`: see it, and why things are as they are. Neither holds the other. */
export type Right = 'post' | 'read'

export type EventDelivery = 'function' | 'queue'

/** One cluster as the triggers use it. */
export type ClusterRuntime = {
  readonly deps: ClusterDeps
  readonly window: BatchWindow
  readonly steps: ClaimSteps
  /** Object ids, in lower case, of the identities with each right to this cluster. No other identity has it. */
  readonly identities: { readonly [Each in Right]: ReadonlySet<string> }
  /** Resource id, in lower case, of the Event Grid topic that only this cluster's nodes publish to. */
  readonly noticeTopic: string | undefined
  /** Resource ids of this cluster's machines begin with this, in lower case. */
  readonly instancePrefix: string
}

/** What every trigger is given. */
export type AppDeps = {
  readonly clusters: ReadonlyMap<ClusterId, ClusterRuntime>
  readonly callers: CallerIdentity
  readonly documents: BlobStore
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly schedules: Schedules
  /** How events about machines come: Event Grid calls the function, or writes to a queue. */
  readonly eventDelivery: EventDelivery
}
