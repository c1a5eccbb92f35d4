import { settleBounded } from '../../base/bounded.ts'
import { defined } from '../../base/defined.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { ClaimHints } from '../../model/message.ts'
import { Fault } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { claimMessage } from './claimMessage.ts'

/** The most messages sent at a time. */
const AT_ONCE = 16

/** A claim that needs a look, and the objects that are known about it. */
export type Hint = { readonly claim: NodeClaimName; readonly known?: ClaimHints; readonly delayMs?: number }

function isBroad(hint: Hint | undefined): boolean {
  return hint !== undefined && hint.known === undefined
}

/**
 * Sends one message for each claim. A hint does not start a chain by itself, so any number of hints makes no second chain. A hint that cannot be sent
 * is lost: the resync timer looks at every claim that is not ready.
 */
export async function sendHints(
  deps: Pick<ClusterDeps, 'cluster' | 'clock' | 'queue' | 'telemetry'>,
  hints: Iterable<Hint>,
  signal: AbortSignalLike,
): Promise<void> {
  const { cluster } = deps
  // Of several hints about one claim, the last one knows most. A hint without known objects has everything read, so it replaces all others.
  const latest = new Map<NodeClaimName, Hint>()
  for (const hint of hints) if (!isBroad(latest.get(hint.claim))) latest.set(hint.claim, hint)
  const sent = await settleBounded([...latest], AT_ONCE, ([claim, { known, delayMs = 0 }]) =>
    deps.queue.send(claimMessage(deps, { name: claim }, { follow: false, ...defined({ known }) }), delayMs, signal),
  )
  const lost = sent.flatMap((outcome) => (outcome.ok ? [] : [outcome.error]))
  for (const cause of lost) if (!(cause instanceof Fault)) throw cause
  if (lost.length > 0) {
    deps.telemetry.warn(`${lost.length} of ${sent.length} messages about claims could not be sent; resync finds the claims`, {
      cluster,
      code: 'STORE.UNAVAILABLE',
      because: String(lost[0]),
    })
  }
}
