import type { ClusterEvent, Reason } from '../../model/decision.ts'
import type { ProblemCode } from '../../model/problem.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** Machines of one decision that are told: of thousands that stay for like reasons some tell enough, and `joiner explain` tells of each. */
const MOST_TOLD = 25

/**
 * Why no move takes a machine, on node and claim, under Karpenter's names. What passes by itself within moments is not told: a machine that is
 * not quiet yet, a place that is kept, a wave, the turn of the next decision. Nor is what is normal: a machine that is worth its money, and one
 * that its pool wants to keep. Telling each such machine would cost two writes in every five minutes of its life.
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
  'DISRUPTION.CALM': 'Unconsolidatable',
  'DISRUPTION.NO_ROOM': 'Unconsolidatable',
  'DISRUPTION.NO_PRICE': 'Unconsolidatable',
  'DISRUPTION.SPOT': 'Unconsolidatable',
  'DISRUPTION.BALANCE': 'Unconsolidatable',
}
