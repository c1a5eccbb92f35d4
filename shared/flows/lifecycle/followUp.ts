import { defined } from '../../base/defined.ts'
import type { ClaimStep } from '../../model/claimStep.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { epochMs } from '../../model/units.ts'
import type { ClaimRequest } from '../../model/work.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { traceOfRequest } from '../queue/claimRequest.ts'
import { nextRequeueOf } from './requeueBackoff.ts'
import { isInitializing } from './seenClaims.ts'

/** `settled`: nothing to wait for. `requeued`: the key is added again. `left`: the resync or another process runs the claim next. */
export type ClaimOutcome = 'settled' | 'requeued' | 'left' | 'gone'

/** One run of a claim and its result. */
export type ReconcileResult = {
  readonly request: ClaimRequest
  /** Undefined: the claim was not read. */
  readonly claim: NodeClaim | undefined
  readonly step: ClaimStep
  /** True if the run did something. */
  readonly changed: boolean
}

/**
 * Adds the key for the next run, if this process follows the claim. The objects that this run knew are not kept, since they are old by then. Only names
 * of other nodes are kept, and these nodes are read before anything is done.
 */
export function followUp({ queue, clock }: ClusterDeps, ran: ReconcileResult): ClaimOutcome {
  const { claim, step, changed, request } = ran
  if (step.wakeAt === undefined) return 'settled'
  if (!isFollowed(ran)) return 'left'
  const now = epochMs(clock.now())
  const attempt = changed ? 0 : request.attempt
  const next = nextRequeueOf(step, { attempt, pace: isDeleting(claim) ? 'deleting' : 'coming' }, now)
  if (next === undefined) return 'left'
  // News costs no patience: only requeues that find nothing make the pauses longer.
  const isPatient = !changed && request.because === 'news'
  queue.reconcile(requeueOf(ran, next.follow, isPatient ? attempt : attempt + 1), next.at - now)
  return 'requeued'
}

function requeueOf({ claim, request }: ReconcileResult, isFollowed: boolean, attempt: number): ClaimRequest {
  const isComing = claim !== undefined && isInitializing(claim) ? true : undefined
  const known = defined({ isComing, otherNodes: request.known?.otherNodes })
  const trace = (claim && traceOfRequest(claim).trace) ?? request.trace
  const more = Object.keys(known).length === 0 ? {} : { known }
  return { claim: request.claim, because: 'requeue', isFollowed, attempt, ...defined({ trace }), ...more }
}

/**
 * Reports whether another run must follow. News about a claim that is not initialized does not make a process follow it: the process that launches the
 * claim follows it, the watch reports changes of its node, and the resync finds what was lost.
 */
function isFollowed({ request, claim, changed }: ReconcileResult): boolean {
  if (request.isFollowed) return true
  return changed && (request.known?.isComing !== true || isDeleting(claim))
}

function isDeleting(claim: NodeClaim | undefined): boolean {
  return claim?.meta.deletedAt !== undefined
}
