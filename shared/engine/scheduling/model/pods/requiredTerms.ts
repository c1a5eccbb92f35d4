import type { Pod } from '../../../../model/pod.ts'
import { intersectAll, type Requirements, requirementsFrom, requirementsFromLabels } from '../../../../model/requirements.ts'

/**
 * The node labels a pod demands: any one of these must be met. Node selector together with each term of the required node affinity; a
 * term without expressions matches no node, and no terms at all match every node.
 */
export function requiredTermsOf(pod: Pick<Pod, 'nodeSelector' | 'requiredNodeTerms'>): readonly Requirements[] {
  const selector = requirementsFromLabels(pod.nodeSelector)
  const terms = pod.requiredNodeTerms
    ?.filter((term) => term.matchExpressions.length > 0)
    .map((term) => intersectAll(selector, requirementsFrom(term.matchExpressions)))
  return terms ?? [selector]
}
