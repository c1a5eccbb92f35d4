import type { Pod } from '../../../../model/pod.ts'
import { intersectAll, type Requirements, requirementsFrom, requirementsFromLabels } from '../../../../model/requirements.ts'

/**
 * The node labels that a pod requires. Any one of these alternatives must be met: the node selector together with one term of the required node
 * affinity. A term without expressions matches no node. Without any terms, the node selector alone counts.
 */
export function requiredTermsOf(pod: Pick<Pod, 'nodeSelector' | 'requiredNodeTerms'>): readonly Requirements[] {
  const selector = requirementsFromLabels(pod.nodeSelector)
  const terms = pod.requiredNodeTerms
    ?.filter((term) => term.matchExpressions.length > 0)
    .map((term) => intersectAll(selector, requirementsFrom(term.matchExpressions)))
  return terms ?? [selector]
}
