import type { Action, ClusterEvent } from '../../model/decision.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { PodRef } from '../../model/podRef.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** The most pods of one decision that get an Event, as many as Karpenter allows at once. Of thousands of similar pods, a few are enough. */
const MOST_TOLD = 10

/** Events that tell pods which claim or node they are nominated for, with Karpenter's reason. */
export function nominationEvents(actions: readonly Action[], state: ClusterState): readonly ClusterEvent[] {
  const meant = actions.flatMap((action): readonly Meant[] => {
    if (action.kind === 'createClaim') return action.pods.map((pod) => ({ pod, claim: action.draft.name }))
    return action.kind === 'nominate' ? action.pods.map((pod) => ({ pod, claim: action.claim })) : []
  })
  // A pod of a disruption command still runs on its old node: it is not pending.
  const waiting = meant.filter(({ pod }) => state.find('pod', pod.key)?.nodeName === undefined)
  return waiting.slice(0, MOST_TOLD).map(({ pod, claim }) => {
    const node = state.find('nodeClaim', claim)?.status.nodeName
    const where = node === undefined ? `nodeclaim/${claim}` : `nodeclaim/${claim}, node/${node}`
    return {
      subject: { kind: 'pod', name: pod.key },
      uid: pod.uid,
      type: 'Normal',
      reason: 'Nominated',
      message: `Pod should schedule on: ${where}`,
      key: claim,
    }
  })
}

type Meant = { readonly pod: PodRef; readonly claim: NodeClaimName }
