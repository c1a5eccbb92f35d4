/**
 * Which changes of nodes and claims are news to a claim's life. A look at a claim costs reads of the API server, so what changes nothing
 * leads to none: a healthy node, a claim that is ready, and what our own steps wrote on a claim that a chain of looks follows anyway.
 */
import { ANNOTATION, FINALIZER, LABEL, TAINT_KEY } from '../../model/labels.ts'
import { isMachineOfOurs, type Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isEphemeral } from '../../model/taint.ts'
import { DISRUPTED_TAINT } from '../pod/podPredicates.ts'
import { isReady } from './nodeState.ts'

/** A step of the node's claim may find something to do, as far as the node alone tells. */
export function isNodeWorthALook(node: Node): boolean {
  if (!isMachineOfOurs(node) || isClosed(node)) return false
  if (node.meta.deletedAt !== undefined && node.meta.finalizers.includes(FINALIZER)) return true
  if (node.meta.labels[LABEL.registered] !== 'true') return true
  // What it still waits for is on the node; taints that only its claim knows to be startup taints are seen by the look.
  if (node.meta.labels[LABEL.initialized] !== 'true') return isReady(node) && !node.taints.some(isEphemeral)
  // Its machine may be gone.
  return !isReady(node)
}

/** A node that joins is through with its own start: nothing of it is still to come but what we take away ourselves. */
export function canRunPods(node: Node): boolean {
  return isReady(node) && !node.taints.some((taint) => isEphemeral(taint) && taint.key !== TAINT_KEY.unregistered)
}

/**
 * Nobody follows the claim yet, as far as it tells itself. Whoever makes or ends a claim follows it; claims made and deleted by hand have
 * nobody until a first look, and that look leaves its mark on the conditions.
 */
export function isClaimWorthALook(claim: NodeClaim): boolean {
  const { conditions } = claim.status
  if (claim.meta.deletedAt !== undefined) return !conditions.some(({ type }) => type === 'Drained' || type === 'InstanceTerminating')
  return conditions.length === 0 && claim.meta.annotations[ANNOTATION.decision] === undefined
}

/** By whoever ends its claim, and follows it. */
function isClosed(node: Node): boolean {
  return node.taints.some(({ key, effect }) => key === DISRUPTED_TAINT.key && effect === DISRUPTED_TAINT.effect)
}
