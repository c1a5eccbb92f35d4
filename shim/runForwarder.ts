import type { KubeConnection } from '../shared/kubeclient/client.ts'
import type { KeptLists } from '../shared/wire/kept/told.ts'
import { aborted } from './aborted.ts'
import type { Clock } from './clock.ts'
import type { ForwarderConfig } from './config.ts'
import { createElection, ELECTION_DEFAULTS } from './leader/election.ts'
import type { ElectionOptions } from './leader/leadership.ts'
import { createLeaseClient } from './leader/leaseClient.ts'
import type { Log } from './log.ts'
import type { ShimMetrics } from './metrics.ts'
import { createFollowedLists } from './post/followedLists.ts'
import { createPostEnvelope } from './post/postEnvelope.ts'
import { type AppTokenSource, createProjectedToken } from './post/projectedToken.ts'
import { createTokenSource } from './post/tokenSource.ts'
import { startTerm, type Term } from './startTerm.ts'
import type { Reducer } from './sync/reducedVersion.ts'

export type RunDeps = {
  readonly connection: KubeConnection
  readonly reduce: (lists: KeptLists) => Reducer
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ShimMetrics
  readonly timing?: Timing
}

/** How long the shim waits for the API server and the app. Tests wait less. */
export type Timing = {
  readonly election: Omit<ElectionOptions, 'identity'>
  readonly snapshotPauseMs: number
  /**
   * The longest life of a term. The next term begins with a snapshot: it corrects what the app wrongly holds because changes were lost or did not
   * come from the shim.
   */
  readonly termMs: number
}

const TIMING: Timing = { election: ELECTION_DEFAULTS, snapshotPauseMs: 15_000, termMs: 24 * 60 * 60_000 }

/** Longest times, in milliseconds, when the pod is told to stop: to post the unsent changes, and then to release the lease. */
const FLUSH_MS = 5_000
const RELEASE_MS = 3_000

export type Running = {
  readonly ended: Promise<void>
  unreadyReasons(): readonly string[]
  /** The metrics of Karpenter as text, in pieces. Empty unless this replica leads and knows all objects. */
  karpenterMetrics?(): Iterable<string>
}

/** Waits to lead and forwards while it leads. Repeats this until the signal aborts. */
export function runForwarder(config: ForwarderConfig, deps: RunDeps, signal: AbortSignal): Running {
  const { clock, log, metrics } = deps
  const tokens = posterToken(config, clock)
  const { endpoint, cluster, functionKey, proxy } = config
  const post = createPostEnvelope({ endpoint, cluster, functionKey, tokens, proxy }, clock)
  const timing = deps.timing ?? TIMING
  const client = createLeaseClient(deps.connection, config.lease.namespace, config.lease.name)
  const election = createElection(client, clock, log, { ...timing.election, identity: config.podName })
  let term: Term | undefined
  /** The newest term that the app follows, as far as the app has told. */
  let newestTerm = 0
  const kept = createFollowedLists(log)

  async function leadOnce(): Promise<void> {
    const leadership = await election.lead(signal, newestTerm)
    const outdated = new AbortController()
    const onOutdated = (newest: number): void => {
      newestTerm = Math.max(newestTerm, newest)
      outdated.abort(new DOMException('the app follows a later term', 'AbortError'))
    }
    const told = new AbortController()
    const onTold = (lists: unknown): void => {
      if (kept.follow(lists)) told.abort(new DOMException('the app reads other members', 'AbortError'))
    }
    log.info('leading', { term: leadership.term, identity: config.podName })
    metrics.leader.set(1)
    const { followed } = kept
    const options = { ...optionsOf(config), kept: followed.number, snapshotPauseMs: timing.snapshotPauseMs, onOutdated, onTold }
    term = startTerm(leadership.term, { ...deps, post, reduce: deps.reduce(followed) }, options, leadership.lost)
    const ends = [signal, leadership.lost, outdated.signal, told.signal, AbortSignal.timeout(timing.termMs)]
    await Promise.race([term.ended, aborted(AbortSignal.any(ends))])
    metrics.leader.set(0)
    // the app takes nothing of a term that is over
    await term.finish(outdated.signal.aborted ? outdated.signal : AbortSignal.timeout(FLUSH_MS))
    term = undefined
    await leadership.release(AbortSignal.timeout(RELEASE_MS))
  }

  async function run(): Promise<void> {
    metrics.leader.set(0)
    while (!signal.aborted) {
      try {
        await leadOnce()
      } catch (error) {
        if (!signal.aborted) throw error
      }
    }
  }

  return {
    ended: run(),
    karpenterMetrics: () => (term?.isSynced() === true ? term.karpenterMetrics() : []),
    unreadyReasons() {
      if (term === undefined) return election.isHealthy() ? [] : ['the lease cannot be read']
      return term.isSynced() ? term.unreadyReasons() : ['the first snapshot of the term is not sent yet', ...term.unreadyReasons()]
    },
  }
}

/**
 * Returns the cluster's own token where it is mounted, else Entra's token where the webhook gave the pod an identity. Undefined if there is neither.
 */
function posterToken({ tokenFile, identity, audience, proxy }: ForwarderConfig, clock: Clock): AppTokenSource | undefined {
  return tokenFile === undefined ? identity && createTokenSource(identity, audience, { clock, proxy }) : createProjectedToken(tokenFile)
}

function optionsOf(config: ForwarderConfig) {
  const limits = { changes: config.batchChanges, length: config.batchBytes }
  return { cluster: config.cluster, windowMs: config.windowMs, resendMs: config.resendMs, limits, mostUnsent: config.unsentBytes }
}
