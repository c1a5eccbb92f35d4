import type { Occasion } from '../../engine/scheduling/snapshot/occasion.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** What a decision was made of, as far as those need it that carry it out and tell of it. */
export type Look = Occasion & { readonly objects: Pick<ClusterSnapshot['objects'], 'node' | 'nodeClaim' | 'nodePool'> }

export function lookOf(occasion: Occasion, state: ClusterState): Look {
  return { ...occasion, objects: { node: state.list('node'), nodeClaim: state.list('nodeClaim'), nodePool: state.list('nodePool') } }
}
