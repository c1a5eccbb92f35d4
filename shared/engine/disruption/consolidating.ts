import type { DecisionSettings } from '../../model/clusterSnapshot.ts'
import type { Reason } from '../../model/decision.ts'
import type { NodePool } from '../../model/nodePool.ts'
import type { Relocation } from '../scheduling/relocation/relocation.ts'
import type { Totals } from './balance.ts'
import type { Wave } from './wave.ts'

export type Consolidating = {
  readonly relocation: () => Relocation
  readonly wave: Wave
  readonly totals: (pool: NodePool) => Totals
  readonly settings: Pick<DecisionSettings, 'calm'>
  readonly refuse: (reason: Reason) => void
}
