import type { ClusterEvent, Reason } from '../../model/decision.ts'
import type { ProblemCode } from '../../model/problem.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** The most claims of one decision that get Events. Where thousands stay for similar reasons, some are enough. `joiner explain` answers for each. */
const MOST_TOLD = 25

/**
 * Events on node and claim that say why a claim is not disrupted, with Karpenter's reasons. Reasons that pass within moments get no Event: a claim
 * whose `consolidateAfter` is not over, a nominated node, a node that gets pods of nodes that are disrupted now, a node whose turn comes in a later
 * decision. Normal reasons get none either: a node that is worth its price, or that its NodePool keeps. An Event for each of them would cost two
 * writes every five minutes for the whole life of the claim.
 */
export function blockedEvents(reasons: readonly Reason[], state: ClusterState): readonly ClusterEvent[] {
  const told = reasons.filter(({ subject, code }) => subject.kind === 'nodeClaim' && NAMES[code] !== undefined).slice(0, MOST_TOLD)
  return told.flatMap(({ subject, code, message }): readonly ClusterEvent[] => {
    const claim = state.find('nodeClaim', subject.name)
    const reason = NAMES[code]
    if (claim === undefined || reason === undefined) return []
    const event = { subject, uid: claim.meta.uid, type: 'Normal', reason, message, key: code } as const
    const { nodeName } = claim.status
    const node = nodeName === undefined ? undefined : state.find('node', nodeName)
    return node === undefined ? [event] : [event, { ...event, subject: { kind: 'node', name: node.name }, uid: node.meta.uid }]
  })
}

const NAMES: { readonly [Code in ProblemCode]?: 'DisruptionBlocked' | 'Unconsolidatable' } = {
  'DISRUPTION.DO_NOT_DISRUPT': 'DisruptionBlocked',
  'DISRUPTION.PDB': 'DisruptionBlocked',
  'DISRUPTION.BUDGET': 'DisruptionBlocked',
  'DISRUPTION.WINDOW': 'DisruptionBlocked',
  'DISRUPTION.FROZEN': 'DisruptionBlocked',
  'DISRUPTION.DRIFT_PAUSED': 'DisruptionBlocked',
  'DISRUPTION.CALM': 'Unconsolidatable',
  'DISRUPTION.NO_ROOM': 'Unconsolidatable',
  'DISRUPTION.NO_PRICE': 'Unconsolidatable',
  'DISRUPTION.SPOT': 'Unconsolidatable',
  'DISRUPTION.BALANCE': 'Unconsolidatable',
}
