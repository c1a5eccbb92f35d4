import { defined } from '../../base/defined.ts'
import type { ClaimStep } from '../../model/claimStep.ts'
import type { ClaimMessage } from '../../model/message.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { epochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { traceOfMessage } from '../messages/claimMessage.ts'
import { nextLookOf } from './chainPace.ts'
import { isOnItsWayIn } from './seenClaims.ts'

/** `settled`: nothing to wait for. `left`: to the resync timer, or to who follows the claim. */
export type ClaimOutcome = 'settled' | 'followed' | 'left' | 'gone'

/** The chain of the claim's way in is over: the claim has come in or is gone, or the watch and the timer see to the rest. */
export function hasComeInOrGone(outcome: ClaimOutcome | undefined): boolean {
  return outcome === 'settled' || outcome === 'gone'
}

/** One look at a claim and what came of it. */
export type Looked = {
  readonly message: ClaimMessage
  /** Undefined: it was not seen. */
  readonly claim: NodeClaim | undefined
  readonly step: ClaimStep
  /** It did something. */
  readonly changed: boolean
}

/**
 * Asks for the next look, as far as it is the chain's of this one. What was known to this look is not told to the next, since it is old by then. Only names
 * of nodes are: those are read before anything is done.
 */
export async function followUp(deps: ClusterDeps, looked: Looked, signal: AbortSignalLike): Promise<ClaimOutcome> {
  const { claim, step, changed } = looked
  const { known: before, ...message } = looked.message
  if (step.wakeAt === undefined) return 'settled'
  if (!isFollowed(looked)) return 'left'
  const sentAt = epochMs(deps.clock.now())
  const attempt = changed ? 0 : message.attempt
  const next = nextLookOf(step, { attempt, pace: isDeleting(claim) ? 'deleting' : 'coming' }, sentAt)
  if (next === undefined) return 'left'
  const about = claim === undefined ? {} : traceOfMessage(claim)
  const known = defined({ isComing: claim !== undefined && isOnItsWayIn(claim) ? true : undefined, otherNodes: before?.otherNodes })
  const more = Object.keys(known).length === 0 ? {} : { known }
  await deps.queue.send({ ...message, ...about, ...more, follow: next.follow, sentAt, attempt: attempt + 1 }, next.at - sentAt, signal)
  return 'followed'
}

/** A hint about a claim on its way in begins no chain: its launch is followed, the watch tells what its node does next, and whatever is lost the resync finds. */
function isFollowed({ message, claim, changed }: Looked): boolean {
  if (message.follow) return true
  return changed && (message.known?.isComing !== true || isDeleting(claim))
}

function isDeleting(claim: NodeClaim | undefined): boolean {
  return claim?.meta.deletedAt !== undefined
}
