import { createBoundedMap } from '../../base/caches.ts'
import { mapBounded, settle } from '../../base/concurrency.ts'
import type { ClusterSnapshot, DecisionSettings } from '../../model/clusterSnapshot.ts'
import type { ClusterId, NodeClaimName } from '../../model/ids.ts'
import { adopted, type NodeVersions } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import { Fault, type Problem } from '../../model/problem.ts'
import { type DurationMs, durationMs, type EpochMs } from '../../model/units.ts'
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
import type { FreshEnds } from './freshEnds.ts'

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

/**
 * How long flows leave alone what another process may be working on. A shorter time finds dead work sooner and repeats live work more often. Both
 * are correct.
 */
type FlowLimits = {
  /** How long another process may take to launch a claim. After this time, its attempt counts as dead, and that process stops launching. */
  readonly launchLock: DurationMs
  /** Machines and network interfaces younger than this are not collected: they may belong to a claim that a list does not show yet. */
  readonly gcGrace: DurationMs
  /** How long pods may stay on a machine without a claim. After this time, the machine is deleted. */
  readonly gcDrain: DurationMs
}

export const FLOW_LIMITS: FlowLimits = { launchLock: durationMs(30_000), gcGrace: durationMs(5 * 60_000), gcDrain: durationMs(30 * 60_000) }

/** The items rotated to a start that depends on the time. So a caller that can handle only some of them gets to each in turn. */
export function startingAt<Item>(items: readonly Item[], now: EpochMs): readonly Item[] {
  const first = items.length === 0 ? 0 : now % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

/** The most concurrent calls to one outside system: enough to hide its latency, too few to flood it. */
export const CALLS_AT_ONCE = 16

type Told = Pick<ClusterDeps, 'cluster' | 'telemetry'>

/**
 * Runs an action for each item, a bounded number at a time. A Fault of one item is logged under the name that `name` returns, and the other items
 * are still done. Returns false if an item failed.
 */
export async function doEach<Item>(
  deps: Told,
  items: readonly Item[],
  name: (item: Item) => string,
  run: (item: Item) => Promise<unknown>,
): Promise<boolean> {
  const done = await mapBounded(items, CALLS_AT_ONCE, async (item) => {
    const outcome = await settle(() => run(item))
    if (!outcome.ok) logRefused(deps, name(item), problemOf(outcome.error))
    return outcome.ok
  })
  return done.every((isDone) => isDone)
}

/** The Problem of a thrown Fault. Anything else that was thrown is a bug, or the process or its time ends: it is thrown again. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Fault) return thrown.problem
  throw thrown
}

export function logRefused({ cluster, telemetry }: Told, what: string, { code, message }: Problem): void {
  telemetry.warn(`${what} was not done: ${message}`, { cluster, code })
}

/** What new nodes of a NodeClass should have. If that cannot be read, they stay as they are. */
export async function nodeVersionsOf(deps: ClusterDeps, nodeClass: NodeClass, signal: AbortSignalLike): Promise<NodeVersions | undefined> {
  const found = await settle(() => deps.catalog.nodeVersions(nodeClass, signal))
  if (found.ok) return found.value
  logRefused(deps, `the look at the images of aksnodeclass ${nodeClass.name}`, problemOf(found.error))
  return undefined
}

/**
 * The NodeClass with the version and images that a decision made now would write into its status. The watch may not show what the last decision wrote,
 * and a machine that is made from the status before would drift at once.
 */
export async function nodeClassNow(deps: ClusterDeps, nodeClass: NodeClass, signal: AbortSignalLike): Promise<NodeClass> {
  const versions = await nodeVersionsOf(deps, nodeClass, signal)
  return versions === undefined ? nodeClass : adopted(nodeClass, versions)
}

/**
 * Launch locks that this process wrote when it created claims, and has not used yet. With such a lock, the first launch of the claim in this
 * process needs no write for its lock.
 */
interface LaunchLocks {
  /** Returns the time of the lock: `now`, or the time of an earlier try to create the claim, whose answer may have been lost. */
  begin(claim: NodeClaimName, now: EpochMs): EpochMs
  /** Reports whether this process wrote the lock with that time. True only once: a second launch of the claim must respect its lock. */
  take(claim: NodeClaimName, at: number): boolean
}

/** As many claims as a process works on. If a lock is forgotten, the launch of its claim waits until the lock is over. */
const MOST = 1_000

export function createLaunchLocks(): LaunchLocks {
  const locks = createBoundedMap<NodeClaimName, EpochMs>(MOST)
  return {
    begin(claim, now) {
      const at = locks.get(claim) ?? now
      locks.set(claim, at)
      return at
    },
    take(claim, at) {
      const isOurs = locks.get(claim) === at
      if (isOurs) locks.delete(claim)
      return isOurs
    },
  }
}
