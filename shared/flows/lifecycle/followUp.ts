import { defined } from '../../base/defined.ts'
import type { ClaimStep } from '../../model/claimStep.ts'
import type { ClaimMessage } from '../../model/message.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { epochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { traceOfMessage } from '../messages/claimMessage.ts'
import { nextRequeueOf } from './requeueBackoff.ts'
import { isInitializing } from './seenClaims.ts'

/** `settled`: nothing to wait for. `followed`: the next message is sent. `left`: the resync timer or another chain looks at the claim next. */
export type ClaimOutcome = 'settled' | 'followed' | 'left' | 'gone'

/** Reports whether a claim no longer has to be followed until it is initialized: nothing is left to wait for, or the claim is gone. */
export function isInitializedOrGone(outcome: ClaimOutcome | undefined): boolean {
  return outcome === 'settled' || outcome === 'gone'
}

/** One look at a claim and its result. */
export type ReconcileResult = {
  readonly message: ClaimMessage
  /** Undefined: the claim was not read. */
  readonly claim: NodeClaim | undefined
  readonly step: ClaimStep
  /** True if the look did something. */
  readonly changed: boolean
}

/**
 * Sends the message for the next look, if this look belongs to a chain or starts one. The objects that this look knew are not passed on, since they
 * are old by then. Only names of other nodes are passed on, and these nodes are read before anything is done.
 */
export async function followUp(deps: ClusterDeps, looked: ReconcileResult, signal: AbortSignalLike): Promise<ClaimOutcome> {
  const { claim, step, changed } = looked
  const { known: before, ...message } = looked.message
  if (step.wakeAt === undefined) return 'settled'
  if (!isFollowed(looked)) return 'left'
  const sentAt = epochMs(deps.clock.now())
  const attempt = changed ? 0 : message.attempt
  const next = nextRequeueOf(step, { attempt, pace: isDeleting(claim) ? 'deleting' : 'coming' }, sentAt)
  if (next === undefined) return 'left'
  const about = claim === undefined ? {} : traceOfMessage(claim)
  const known = defined({ isComing: claim !== undefined && isInitializing(claim) ? true : undefined, otherNodes: before?.otherNodes })
  const more = Object.keys(known).length === 0 ? {} : { known }
  await deps.queue.send({ ...message, ...about, ...more, follow: next.follow, sentAt, attempt: attempt + 1 }, next.at - sentAt, signal)
  return 'followed'
}

/**
 * Reports whether another look must follow. A hint about a claim that is not initialized starts no chain: the chain of its launch follows it, the
 * watch reports changes of its node, and the resync finds what was lost.
 */
function isFollowed({ message, claim, changed }: ReconcileResult): boolean {
  if (message.follow) return true
  return changed && (message.known?.isComing !== true || isDeleting(claim))
}

function isDeleting(claim: NodeClaim | undefined): boolean {
  return claim?.meta.deletedAt !== undefined
}
