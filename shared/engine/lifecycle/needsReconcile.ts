/**
 * Which changes of nodes and claims call for a look at a claim. A look costs reads of the API server, so a change that matters to no step leads to
 * none: a healthy node, a claim that is ready, and what our own steps wrote on a claim that a chain of looks follows anyway.
 */
import { ANNOTATION, FINALIZER, LABEL, TAINT_KEY } from '../../model/labels.ts'
import { isMachineOfOurs, type Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isEphemeral } from '../../model/taint.ts'
import { DISRUPTED_TAINT } from '../pod/podPredicates.ts'
import { isOfEarlierGeneration } from './generation.ts'
import { isReady } from './nodeState.ts'

/** Reports whether a step of the node's claim may find something to do, judged by the node alone. */
export function nodeNeedsReconcile(node: Node): boolean {
  if (!isMachineOfOurs(node) || isClosed(node)) return false
  if (node.meta.deletedAt !== undefined && node.meta.finalizers.includes(FINALIZER)) return true
  if (node.meta.labels[LABEL.registered] !== 'true') return true
  // The node shows what it still waits for. Which taints are startup taints is known to the claim alone, so the look checks them.
  if (node.meta.labels[LABEL.initialized] !== 'true') return isReady(node) && !node.taints.some(isEphemeral)
  // The machine of a node that is not ready may be gone.
  return !isReady(node)
}

/** Reports whether a joining node has finished its own start: it is ready, and only the taint that we remove ourselves is left of its start. */
export function canRunPods(node: Node): boolean {
  return isReady(node) && !node.taints.some((taint) => isEphemeral(taint) && taint.key !== TAINT_KEY.unregistered)
}

/**
 * Reports whether no chain of looks follows the claim yet, judged by the claim alone. The process that makes or ends a claim follows it. A claim made
 * or deleted by hand is not followed until a first look, and this look writes conditions. A claim of a new generation is looked at once.
 */
export function claimNeedsReconcile(claim: NodeClaim): boolean {
  const { conditions } = claim.status
  if (claim.meta.deletedAt !== undefined) return !conditions.some(({ type }) => type === 'Drained' || type === 'InstanceTerminating')
  return isOfEarlierGeneration(claim) || (conditions.length === 0 && claim.meta.annotations[ANNOTATION.decision] === undefined)
}

/** Reports whether the node is closed. Whatever closed it also ends its claim and follows it. */
function isClosed(node: Node): boolean {
  return node.taints.some(({ key, effect }) => key === DISRUPTED_TAINT.key && effect === DISRUPTED_TAINT.effect)
}
