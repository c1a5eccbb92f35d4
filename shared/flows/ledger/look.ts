import type { DecisionContext } from '../../engine/scheduling/snapshot/decisionContext.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** What a decision was made of, as far as those need it that carry it out and tell of it. */
export type Look = DecisionContext & { readonly objects: Pick<ClusterSnapshot['objects'], 'node' | 'nodeClaim' | 'nodePool'> }

export function lookOf(context: DecisionContext, state: ClusterState): Look {
  return { ...context, objects: { node: state.list('node'), nodeClaim: state.list('nodeClaim'), nodePool: state.list('nodePool') } }
}
