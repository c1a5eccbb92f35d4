import type { ClaimAction, ClaimObservation, NodePatch } from '../../shared/model/claimStep.ts'
import { FINALIZER, type Labels } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'

/** The next observation of a step, if its actions have been applied and nothing else has happened. */
export function applied(before: ClaimObservation, actions: readonly ClaimAction[]): ClaimObservation {
  return actions.reduce(applyOne, before)
}

function applyOne(now: ClaimObservation, action: ClaimAction): ClaimObservation {
  const { claim } = now
  switch (action.kind) {
    case 'addFinalizer':
      return { ...now, claim: { ...claim, meta: { ...claim.meta, finalizers: [...claim.meta.finalizers, FINALIZER] } } }
    case 'patchClaim':
      return { ...now, claim: { ...claim, meta: { ...claim.meta, labels: action.labels, annotations: keptOf(action) } } }
    case 'patchStatus':
      return { ...now, claim: { ...claim, status: action.status } }
    case 'patchNode':
      return changeNode(now, action.node, (node) => patched(node, action.patch))
    case 'deleteNode':
      return changeNode(now, action.node, (node) =>
        node.meta.finalizers.length === 0 ? undefined : { ...node, meta: { ...node.meta, deletedAt: now.now } },
      )
    case 'removeNodeFinalizer':
      return changeNode(now, action.node, (node) =>
        node.meta.deletedAt === undefined ? { ...node, meta: { ...node.meta, finalizers: [] } } : undefined,
      )
    case 'removeFinalizer':
      return { ...now, claim: { ...claim, meta: { ...claim.meta, finalizers: [] } } }
    case 'deleteClaim':
      return { ...now, claim: { ...claim, meta: { ...claim.meta, deletedAt: now.now, generation: claim.meta.generation + 1 } } }
    case 'terminateInstance':
      return typeof now.instance === 'object' ? { ...now, instance: { ...now.instance, state: { kind: 'deleting' } } } : now
    case 'deletePod':
    case 'evictPod':
      return { ...now, pods: now.pods.map((pod) => (pod.uid === action.pod.uid ? { ...pod, deletedAt: now.now } : pod)) }
    case 'restartMachine':
    case 'launch':
    case 'deleteBootstrapToken':
    case 'markUnavailable':
    case 'reportSize':
    case 'publish':
      return now
  }
}

function keptOf({ annotations, annotationsGone = [] }: Extract<ClaimAction, { readonly kind: 'patchClaim' }>): Labels {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !annotationsGone.includes(key)))
}

function changeNode(now: ClaimObservation, which: Node, change: (node: Node) => Node | undefined): ClaimObservation {
  return { ...now, nodes: now.nodes.flatMap((node) => (node.name === which.name ? (change(node) ?? []) : node)) }
}

function patched(node: Node, { labels, labelsGone = [], annotations, taints, finalizers }: NodePatch): Node {
  const meta = {
    ...node.meta,
    labels: Object.fromEntries(Object.entries({ ...node.meta.labels, ...labels }).filter(([key]) => !labelsGone.includes(key))),
    annotations: { ...node.meta.annotations, ...annotations },
    finalizers: finalizers ?? node.meta.finalizers,
  }
  return { ...node, meta, taints: taints ?? node.taints }
}
