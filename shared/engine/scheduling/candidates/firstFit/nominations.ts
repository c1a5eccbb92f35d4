import { byKey, inOrder } from '../../../../base/order.ts'
import type { Nomination } from '../../../../model/clusterSnapshot.ts'
import type { NodeClaimName, Uid } from '../../../../model/ids.ts'
import { domainFilters } from '../../model/neighbours/domainFilters.ts'
import type { ExistingNode } from '../../model/nodes/existingNode.ts'
import type { PodClass } from '../../model/pods/podClass.ts'
import type { DecisionContext } from '../../snapshot/decisionContext.ts'
import type { Plan } from '../plan.ts'
import { takeExistingNode } from './firstFit.ts'
import { tryExistingNode } from './place.ts'

/** Puts every pod where an earlier decision nominated it, as long as the node still takes it. Returns the node of each such pod. */
export function keepNominations(plan: Plan, classes: readonly PodClass[], context: DecisionContext): ReadonlyMap<Uid, ExistingNode> {
  const kept = new Map<Uid, ExistingNode>()
  const nominated = nominationsOf(plan.existingNodes, context)
  if (nominated.size === 0) return kept
  for (const podClass of classes) {
    for (const pod of podClass.pods()) {
      const existingNode = nominated.get(pod.uid)
      if (existingNode !== undefined && keep(plan, podClass, existingNode)) kept.set(pod.uid, existingNode)
    }
  }
  return kept
}

function keep(plan: Plan, podClass: PodClass, existingNode: ExistingNode): boolean {
  const relaxedPod = podClass.relaxedPods.find(
    (each) => tryExistingNode(existingNode, podClass, each, domainFilters(podClass, each), plan.commitment) === 'fits',
  )
  if (relaxedPod === undefined) return false
  takeExistingNode(plan, existingNode, podClass, relaxedPod, 1, { isNominated: true })
  plan.left.set(podClass, (plan.left.get(podClass) ?? 0) - 1)
  return true
}

/**
 * The node that each pod is nominated for, by pod uid. The order of nominations does not matter: the longest one wins, then the last claim by name.
 */
function nominationsOf(existingNodes: readonly ExistingNode[], { nominations, takenAt }: DecisionContext): ReadonlyMap<Uid, ExistingNode> {
  const live = nominations.filter((each) => each.until > takenAt).sort(byNomination)
  if (live.length === 0) return new Map()
  const byClaim = new Map<NodeClaimName | undefined, ExistingNode>(existingNodes.map((existingNode) => [existingNode.claim, existingNode]))
  return new Map(
    live.flatMap(({ pod, claim }) => {
      const existingNode = byClaim.get(claim)
      return existingNode === undefined ? [] : [[pod, existingNode] as const]
    }),
  )
}

const byNomination = inOrder<Nomination>(
  (first, second) => first.until - second.until,
  byKey((each) => each.claim),
)
