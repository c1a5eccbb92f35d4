import { settleBounded } from '../base/bounded.ts'
import type { NodeClaimName } from '../model/ids.ts'
import { Fault } from '../model/problem.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterDeps } from './clusterDeps.ts'

/** Messages sent beside each other. */
const AT_ONCE = 16

/**
 * Has each claim looked at once. A look of a hint does not follow the claim by itself, so that any number of hints makes no second chain.
 * One that cannot be sent is lost: the resync timer looks at every claim that is not where it should be.
 */
export async function sendHints(
  deps: Pick<ClusterDeps, 'cluster' | 'clock' | 'queue' | 'telemetry'>,
  claims: Iterable<NodeClaimName>,
  signal: AbortSignalLike,
): Promise<void> {
  const sentAt = deps.clock.now()
  const { cluster } = deps
  const sent = await settleBounded([...new Set(claims)], AT_ONCE, (claim) =>
    deps.queue.send({ kind: 'nodeClaim', cluster, claim, follow: false, sentAt, attempt: 0 }, 0, signal),
  )
  const lost = sent.flatMap((outcome) => (outcome.ok ? [] : [outcome.error]))
  for (const cause of lost) if (!(cause instanceof Fault)) throw cause
  if (lost.length > 0) {
    deps.telemetry.warn(`${lost.length} of ${sent.length} looks at claims could not be asked for; resync makes them`, {
      cluster,
      code: 'STORE.UNAVAILABLE',
      because: String(lost[0]),
    })
  }
}
