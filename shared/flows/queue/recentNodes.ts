import { createBoundedMap } from '../../base/boundedMap.ts'
import { stableHash } from '../../base/stableHash.ts'
import { canRunPods } from '../../engine/lifecycle/needsReconcile.ts'
import { START_PATIENCE } from '../../engine/lifecycle/registration.ts'
import { LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { Clock } from '../../ports/clock.ts'

/** The nodes for which this process lately added the key of their claim. */
export interface RecentNodes {
  /** Reports whether a reconcile for the node in its current state was asked for lately. If not, it counts as asked for now. */
  isAsked(node: Node): boolean
}

/**
 * A reconcile for an unchanged node is asked for again only after this time. If it was lost, the resync finds the claim. The reconcile for a starting
 * node comes once its patience is over.
 */
const QUIET_MS = 2_000
const QUIET_WHILE_STARTING_MS = START_PATIENCE + 3_000
const MOST_NODES = 2_000

/**
 * A starting node changes many times a second, mostly in fields that its claim does not wait for. Only a change of the fields that matter asks for a
 * reconcile, which reads the newest node.
 */
export function createRecentNodes(clock: Clock): RecentNodes {
  const asked = createBoundedMap<string, { readonly says: string; readonly at: number }>(MOST_NODES)
  return {
    isAsked(node) {
      const now = clock.now()
      const says = relevantFieldsOf(node)
      const last = asked.get(node.name)
      const quiet = canRunPods(node) ? QUIET_MS : QUIET_WHILE_STARTING_MS
      if (last?.says === says && now - last.at < quiet && now >= last.at) return true
      asked.set(node.name, { says, at: now })
      return false
    },
  }
}

/** A hash of the fields of a joining node that a step depends on. Until the node can run pods, only its uid and deletion count. */
function relevantFieldsOf(node: Node): string {
  const { uid, deletedAt, labels } = node.meta
  if (!canRunPods(node)) return stableHash([uid, deletedAt ?? 0])
  return stableHash([uid, deletedAt ?? 0, labels[LABEL.registered] ?? '', node.taints, node.allocatable])
}
