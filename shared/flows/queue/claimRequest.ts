import { defined } from '../../base/defined.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { ClaimRequest } from '../../model/work.ts'

type About = Pick<NodeClaim, 'name'> | NodeClaim

/** The request for a run of a claim that is followed from then on, unless `more` says otherwise. It has the trace only if the claim itself is given. */
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
 * One request in place of two. Of two known objects, that of the later request counts. If one of the requests knows nothing, everything is read. The pause
 * after the run is that of the request that is followed, and of two such requests the shorter one.
 */
export function mergedRequests(earlier: ClaimRequest, later: ClaimRequest): ClaimRequest {
  const { known: _, ...paced } = isPaced(later, earlier) ? later : earlier
  const because = BY_WEIGHT[Math.max(BY_WEIGHT.indexOf(earlier.because), BY_WEIGHT.indexOf(later.because))] ?? later.because
  const known = earlier.known && later.known ? { ...earlier.known, ...later.known } : undefined
  return { ...paced, because, ...defined({ trace: later.trace ?? earlier.trace, known }) }
}

function isPaced(first: ClaimRequest, second: ClaimRequest): boolean {
  return first.isFollowed && (!second.isFollowed || first.attempt < second.attempt)
}
