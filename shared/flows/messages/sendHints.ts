import { settleBounded } from '../../base/bounded.ts'
import { defined } from '../../base/defined.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { KnownOfClaim } from '../../model/message.ts'
import { Fault } from '../../model/problem.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { claimMessage } from './claimMessage.ts'

/** Messages sent beside each other. */
const AT_ONCE = 16

/** A claim that is worth a look, and what is known of it. */
export type Hint = { readonly claim: NodeClaimName; readonly known?: KnownOfClaim; readonly delayMs?: number }

function isBroad(hint: Hint | undefined): boolean {
  return hint !== undefined && hint.known === undefined
}

/**
 * Has each claim looked at once. A look of a hint does not follow the claim by itself, so that any number of hints makes no second chain.
 * One that cannot be sent is lost: the resync timer looks at every claim that is not where it should be.
 */
export async function sendHints(
  deps: Pick<ClusterDeps, 'cluster' | 'clock' | 'queue' | 'telemetry'>,
  hints: Iterable<Hint>,
  signal: AbortSignalLike,
): Promise<void> {
  const { cluster } = deps
  // Of several about one claim the last one knows most; one that is about more than it knows stands for all.
  const latest = new Map<NodeClaimName, Hint>()
  for (const hint of hints) if (!isBroad(latest.get(hint.claim))) latest.set(hint.claim, hint)
  const sent = await settleBounded([...latest], AT_ONCE, ([claim, { known, delayMs = 0 }]) =>
    deps.queue.send(claimMessage(deps, { name: claim }, { follow: false, ...defined({ known }) }), delayMs, signal),
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
