import { createRecent } from '../../base/recent.ts'
import { stableHash } from '../../base/stableHash.ts'
import { canRunPods } from '../../engine/lifecycle/worthALook.ts'
import { LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { Clock } from '../../ports/clock.ts'

/** What this process asked to have looked at lately. */
export interface AskedLooks {
  /** Whether a look at a node that says as much was asked for lately; if not, it counts as asked for now. */
  isAsked(node: Node): boolean
}

/** A look that was lost is made good by the resync. */
const QUIET_MS = 2_000
const MOST_NODES = 2_000

/**
 * A node that starts changes many times a second, mostly in what its claim does not wait for. One look is asked for what the claim does wait
 * for, however often the node is written meanwhile: the look that comes sees the newest.
 */
export function createAskedLooks(clock: Clock): AskedLooks {
  const asked = createRecent<string, { readonly says: string; readonly at: number }>(MOST_NODES)
  return {
    isAsked(node) {
      const now = clock.now()
      const says = saysOf(node)
      const last = asked.get(node.name)
      if (last?.says === says && now - last.at < QUIET_MS && now >= last.at) return true
      asked.set(node.name, { says, at: now })
      return false
    },
  }
}

/** Everything of a joining node that decides about a step: a node that starts says all the same until it can run pods. */
function saysOf(node: Node): string {
  const { uid, deletedAt, labels } = node.meta
  if (!canRunPods(node)) return stableHash([uid, deletedAt ?? 0])
  return stableHash([uid, deletedAt ?? 0, labels[LABEL.registered] ?? '', node.taints, node.allocatable])
}
