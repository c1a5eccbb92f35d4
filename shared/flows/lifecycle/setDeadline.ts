import { ANNOTATION } from '../../model/labels.ts'
import { deadlineOf, type NodeClaim } from '../../model/nodeClaim.ts'
import { Fault } from '../../model/problem.ts'
import { formatTimestamp } from '../../model/timestamp.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/** Each round loses to another writer; more often means that something is wrong, and the whole piece of work is done again. */
const MOST_ROUNDS = 8

/**
 * Writes the deadline of the claim's drain, and answers whether it had to. An earlier deadline stays: whoever set it had a reason. A claim that
 * another writer changes meanwhile is read again; a claim that is gone needs no deadline. Throws a Fault when every write loses.
 */
export async function setDeadline(
  { api }: Pick<ClusterDeps, 'api'>,
  first: NodeClaim,
  deadline: EpochMs,
  signal: AbortSignalLike,
  mostRounds = MOST_ROUNDS,
): Promise<boolean> {
  const annotations = { [ANNOTATION.terminationTimestamp]: formatTimestamp(deadline) }
  let claim: NodeClaim | undefined = first
  for (let round = 1; claim !== undefined && claim.meta.uid === first.meta.uid && !isDueBy(claim, deadline); round++) {
    const written = await api.patchClaim(claim, { annotations }, signal)
    if (written.ok) return true
    if (round === mostRounds) throw new Fault(`write the deadline of nodeclaim ${claim.name}`, written.error)
    claim = await api.getClaim(claim.name, signal)
  }
  return false
}

function isDueBy(claim: NodeClaim, deadline: EpochMs): boolean {
  const own = deadlineOf(claim)
  return own !== undefined && own <= deadline
}
