import { ANNOTATION } from '../../model/labels.ts'
import { deadlineOf, type NodeClaim } from '../../model/nodeClaim.ts'
import { Fault } from '../../model/problem.ts'
import { formatTimestamp } from '../../model/timestamp.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/** Tries to write the claim. Each try loses against another writer. More losses mean that something is wrong, and the caller starts again. */
const MOST_ROUNDS = 8

/**
 * Writes the deadline of the drain to the claim. Returns whether it wrote. An earlier deadline stays, since it was set for a reason. If another
 * writer changes the claim meanwhile, the claim is read again. A claim that is gone needs no deadline. Throws a Fault if every write loses.
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
