import type { DecisionContext } from '../../engine/scheduling/snapshot/decisionContext.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** The input of a decision, with only the objects that are needed to carry the decision out and to report it. */
export type DecisionInput = DecisionContext & { readonly objects: Pick<ClusterSnapshot['objects'], 'node' | 'nodeClaim' | 'nodePool'> }

export function decisionInputOf(context: DecisionContext, state: ClusterState): DecisionInput {
  return { ...context, objects: { node: state.list('node'), nodeClaim: state.list('nodeClaim'), nodePool: state.list('nodePool') } }
}
