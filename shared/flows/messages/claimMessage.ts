import { ANNOTATION } from '../../model/labels.ts'
import type { ClaimMessage } from '../../model/message.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

type About = Pick<NodeClaim, 'name'> | NodeClaim

/** Begins a chain of looks that follows the claim, unless `more` says otherwise. Only a claim that was read carries its trace. */
export function claimMessage(
  { cluster, clock }: Pick<ClusterDeps, 'cluster' | 'clock'>,
  claim: About,
  more: Partial<Pick<ClaimMessage, 'follow' | 'attempt' | 'known'>> = {},
): ClaimMessage {
  const trace = 'meta' in claim ? traceOfMessage(claim) : {}
  return { kind: 'nodeClaim', cluster, claim: claim.name, follow: true, sentAt: clock.now(), attempt: 0, ...trace, ...more }
}

/** What a message about the claim says of its trace. */
export function traceOfMessage({ meta }: NodeClaim): Pick<ClaimMessage, 'trace'> {
  const trace = meta.annotations[ANNOTATION.traceParent]
  return trace === undefined ? {} : { trace }
}
