import { LABEL, TAINT_KEY } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isEphemeral, isSameTaint, type Taint } from '../../model/taint.ts'

/**
 * Reports whether a taint on a claim's node is declared nowhere. Network plugins and device drivers put such a taint on a starting node, and remove
 * it when they run.
 */
export function isUndeclared(taint: Taint, { spec }: NodeClaim, { meta }: Node): boolean {
  if (taint.effect === 'PreferNoSchedule' || isEphemeral(taint) || ASKED_FOR.has(taint.key)) return false
  // With this label somebody else manages the taints of the node.
  if (meta.labels[LABEL.doNotSyncTaints] === 'true') return false
  return ![...spec.taints, ...spec.startupTaints].some((declared) => isSameTaint(declared, taint))
}

/** Taints that a person or a disruption sets to keep pods off the node. */
const ASKED_FOR: ReadonlySet<string> = new Set([TAINT_KEY.disrupted, TAINT_KEY.unschedulable])
