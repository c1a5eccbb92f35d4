import { createBoundedMap } from '../../base/caches.ts'
import { stableHash } from '../../base/stableHash.ts'
import { defined } from '../../base/values.ts'
import type { WorkQueue as KeyQueue } from '../../base/workQueue.ts'
import { canRunPods, START_PATIENCE } from '../../engine/lifecycle/registration.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import { type ClaimRequest, claimKey, type KnownObjects, type WorkKey } from '../../model/work.ts'
import type { Clock } from '../../ports/clock.ts'
import type { WorkQueue } from '../../ports/workQueue.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/** What the requests of claims say, until the next runs of their keys. */
export interface ClaimRequests {
  /** Keeps a request. Its key is added by the caller. */
  note(request: ClaimRequest, delayMs: number): void
  /** Begins a run of the key. Undefined if only news waits for a later time. */
  take(key: WorkKey): ClaimRequest | undefined
  done(key: WorkKey): void
  failed(request: ClaimRequest): void
  /** The requests that wait, without news for a later time. */
  waiting(): readonly ClaimRequest[]
  readonly follows: WorkQueue['follows']
}

/**
 * Work that is later than this counts as overdue: its process was stopped, or its call hangs. The pauses of work that waits for its turn in a burst are
 * mostly shorter. Work that is due later than the longest pause was added before the clock went back.
 */
const OVERDUE_MS = 10_000
/** A run that is due later than this was added before the clock went back. */
const LONGEST_PAUSE_MS = 60_000

export function createClaimRequests({ now }: Pick<Clock, 'now'>, queue: Pick<KeyQueue<WorkKey>, 'addAfter' | 'dueAt'>): ClaimRequests {
  const requests = new Map<WorkKey, ClaimRequest>()
  const laterNews = new Map<WorkKey, { readonly request: ClaimRequest; readonly at: EpochMs }>()
  const running = new Map<WorkKey, { readonly request: ClaimRequest; readonly since: EpochMs }>()

  /** News for a later time stays: an earlier run has no use for it, and must not use it up. */
  function requestOf(key: WorkKey): ClaimRequest | undefined {
    const [request, news] = [requests.get(key), laterNews.get(key)]
    requests.delete(key)
    if (news === undefined) return request
    if (news.at > now()) {
      queue.addAfter(key, news.at - now())
      return request
    }
    laterNews.delete(key)
    return request === undefined ? news.request : mergedRequests(request, news.request)
  }

  return {
    note(request, delayMs) {
      const key = claimKey(request.claim)
      const before = requests.get(key)
      if (request.because === 'news' && delayMs > 0) laterNews.set(key, { request, at: later(now(), durationMs(delayMs)) })
      else requests.set(key, before === undefined ? request : mergedRequests(before, request))
    },
    take(key) {
      const request = requestOf(key)
      if (request !== undefined) running.set(key, { request, since: now() })
      return request
    },
    done: (key) => void running.delete(key),
    failed(request) {
      const key = claimKey(request.claim)
      const news = requests.get(key)
      requests.set(key, news === undefined ? request : mergedRequests(request, news))
    },
    waiting: () => [...requests.values()],
    follows(claim) {
      const key = claimKey(claim)
      const [run, dueAt] = [running.get(key), queue.dueAt(key)]
      if (run?.request.isFollowed === true && now() < run.since + OVERDUE_MS) return true
      if (dueAt === undefined || requests.get(key)?.isFollowed !== true) return false
      return now() < dueAt + OVERDUE_MS && dueAt <= now() + LONGEST_PAUSE_MS
    },
  }
}

type About = Pick<NodeClaim, 'name'> | NodeClaim

/**
 * The request for a run of a claim that is followed from then on, unless `more` says otherwise. It has the trace only if the claim itself is given.
 */
export function claimRequest(claim: About, more: Partial<ClaimRequest> = {}): ClaimRequest {
  const trace = 'meta' in claim ? traceOfRequest(claim) : {}
  return { claim: claim.name, because: 'news', isFollowed: true, attempt: 0, ...trace, ...more }
}

/** The trace of the claim, for a request about it. */
export function traceOfRequest({ meta }: NodeClaim): Pick<ClaimRequest, 'trace'> {
  return defined({ trace: meta.annotations[ANNOTATION.traceParent] })
}

const BY_WEIGHT: readonly ClaimRequest['because'][] = ['requeue', 'news', 'resync']

/**
 * One request in place of two. Of two known objects, that of the later request counts. If one of the requests knows nothing, everything is read. The
 * pause after the run is that of the request that is followed, and of two such requests the shorter one.
 */
function mergedRequests(earlier: ClaimRequest, later: ClaimRequest): ClaimRequest {
  const { known: _, ...paced } = isPaced(later, earlier) ? later : earlier
  const because = BY_WEIGHT[Math.max(BY_WEIGHT.indexOf(earlier.because), BY_WEIGHT.indexOf(later.because))] ?? later.because
  const known = earlier.known && later.known ? { ...earlier.known, ...later.known } : undefined
  return { ...paced, because, ...defined({ trace: later.trace ?? earlier.trace, known }) }
}

function isPaced(first: ClaimRequest, second: ClaimRequest): boolean {
  return first.isFollowed && (!second.isFollowed || first.attempt < second.attempt)
}

/** A claim about which something has happened, and the objects that are known about it. */
export type ClaimNews = { readonly claim: NodeClaimName; readonly known?: KnownObjects; readonly delayMs?: number }

/** Adds the key of each claim. News alone does not make this process follow a claim. */
export function requestReconciles({ queue }: Pick<ClusterDeps, 'queue'>, news: Iterable<ClaimNews>): void {
  // Of several news about one claim, the last one knows most. News without known objects has everything read, so it replaces all others.
  const latest = new Map<NodeClaimName, ClaimNews>()
  for (const each of news) if (!knowsNothing(latest.get(each.claim))) latest.set(each.claim, each)
  for (const [claim, { known, delayMs = 0 }] of latest)
    queue.reconcile(claimRequest({ name: claim }, { isFollowed: false, ...defined({ known }) }), delayMs)
}

function knowsNothing(news: ClaimNews | undefined): boolean {
  return news !== undefined && news.known === undefined
}

/** The nodes for which this process lately added the key of their claim. */
export interface RecentNodes {
  /** Reports whether a reconcile for the node in its current state was asked for lately. If not, it counts as asked for now. */
  isAsked(node: Node): boolean
}

/**
 * A reconcile for an unchanged node is asked for again only after this time. If it was lost, the resync finds the claim. The reconcile for a starting
 * node comes once its patience is over.
 */
const QUIET_MS = 2_000
const QUIET_WHILE_STARTING_MS = START_PATIENCE + 3_000
const MOST_NODES = 2_000

/**
 * A starting node changes many times a second, mostly in fields that its claim does not wait for. Only a change of the fields that matter asks for a
 * reconcile, which reads the newest node.
 */
export function createRecentNodes(clock: Clock): RecentNodes {
  const asked = createBoundedMap<string, { readonly says: string; readonly at: number }>(MOST_NODES)
  return {
    isAsked(node) {
      const now = clock.now()
      const says = relevantFieldsOf(node)
      const last = asked.get(node.name)
      const quiet = canRunPods(node) ? QUIET_MS : QUIET_WHILE_STARTING_MS
      if (last?.says === says && now - last.at < quiet && now >= last.at) return true
      asked.set(node.name, { says, at: now })
      return false
    },
  }
}

/** A hash of the fields of a joining node that a step depends on. Until the node can run pods, only its uid and deletion count. */
function relevantFieldsOf(node: Node): string {
  const { uid, deletedAt, labels } = node.meta
  if (!canRunPods(node)) return stableHash([uid, deletedAt ?? 0])
  return stableHash([uid, deletedAt ?? 0, labels[LABEL.registered] ?? '', node.taints, node.allocatable])
}
