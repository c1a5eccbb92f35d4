import type { Decision } from '../../shared/model/decision.ts'
import type { NodeClaimName } from '../../shared/model/ids.ts'
import type { PodRef } from '../../shared/model/pod.ts'

/** The pods for which the decision names a claim, new or existing. Pods for nodes without a claim are not included. */
export function placedPods({ actions }: Decision): readonly { readonly pod: PodRef; readonly claim: NodeClaimName }[] {
  return actions.flatMap((action) => {
    if (action.kind === 'createClaim') return action.pods.map((pod) => ({ pod, claim: action.draft.name }))
    return action.kind === 'nominate' ? action.pods.map((pod) => ({ pod, claim: action.claim })) : []
  })
}
