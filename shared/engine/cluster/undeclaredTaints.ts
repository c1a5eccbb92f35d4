import { LABEL, TAINT_KEY } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isEphemeral, isSameTaint, type Taint } from '../../model/taint.ts'

/** Of the taints of a claim's node: one that nobody announced. Network plugins and device drivers put such a taint on a node that starts, and take it off when they run. */
export function isUndeclared(taint: Taint, { spec }: NodeClaim, { meta }: Node): boolean {
  if (taint.effect === 'PreferNoSchedule' || isEphemeral(taint) || ASKED_FOR.has(taint.key)) return false
  // Then the taints of the node are somebody else's to say.
  if (meta.labels[LABEL.doNotSyncTaints] === 'true') return false
  return ![...spec.taints, ...spec.startupTaints].some((declared) => isSameTaint(declared, taint))
}

/** A person or a disruption wants no pods there. */
const ASKED_FOR: ReadonlySet<string> = new Set([TAINT_KEY.disrupted, TAINT_KEY.unschedulable])
