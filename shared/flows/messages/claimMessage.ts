import { ANNOTATION } from '../../model/labels.ts'
import type { ClaimMessage } from '../../model/message.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

type About = Pick<NodeClaim, 'name'> | NodeClaim

/** A message that starts a chain of looks at the claim, unless `more` says otherwise. It carries the trace only if the claim itself is given. */
export function claimMessage(
  { cluster, clock }: Pick<ClusterDeps, 'cluster' | 'clock'>,
  claim: About,
  more: Partial<Pick<ClaimMessage, 'follow' | 'attempt' | 'known'>> = {},
): ClaimMessage {
  const trace = 'meta' in claim ? traceOfMessage(claim) : {}
  return { kind: 'nodeClaim', cluster, claim: claim.name, follow: true, sentAt: clock.now(), attempt: 0, ...trace, ...more }
}

/** The trace of the claim, for a message about it. */
export function traceOfMessage({ meta }: NodeClaim): Pick<ClaimMessage, 'trace'> {
  const trace = meta.annotations[ANNOTATION.traceParent]
  return trace === undefined ? {} : { trace }
}
