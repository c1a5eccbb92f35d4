import { assignDomains, takersAmong } from '../../shared/engine/scheduling/candidates/packed/assignDomains.ts'
import { type BinType, type PricedBinTypes, priceBinTypes } from '../../shared/engine/scheduling/candidates/packed/dualValues.ts'
import type { Item } from '../../shared/engine/scheduling/candidates/packed/items.ts'
import { createLayouter, type Layouter } from '../../shared/engine/scheduling/candidates/packed/pack.ts'
import type { Plan } from '../../shared/engine/scheduling/candidates/plan.ts'
import { newPlan } from '../../shared/engine/scheduling/choice/newPlan.ts'
import { createCluster } from '../../shared/engine/scheduling/model/cluster/cluster.ts'
import { batchOf, problemOf } from '../../shared/engine/scheduling/model/placementProblem.ts'
import { createWork } from '../../shared/engine/scheduling/model/quantities/work.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { type SnapshotShape, snapshot } from './snapshot.ts'

export type Packing = {
  readonly plan: Plan
  readonly items: readonly Item[]
  readonly binTypes: readonly BinType[]
  readonly priced: PricedBinTypes
  readonly layouter: Layouter
}

/** A plan in which nothing is placed. */
export function emptyPlan(given: ClusterSnapshot): Plan {
  const cluster = createCluster(given.objects)
  const work = createWork()
  return newPlan(problemOf(cluster, given, batchOf(cluster, given, work), work, { placement: 'price' }), work)
}

/** The waiting pods as the packer sees them, with all pools in one tier. */
export function packing(shape: SnapshotShape): Packing {
  const plan = emptyPlan(snapshot(shape))
  const items = assignDomains(plan, plan.poolOptions, () => true, takersAmong(plan))
  const priced = priceBinTypes(plan.poolOptions, items, plan)
  return {
    plan,
    items,
    priced,
    binTypes: priced.subproblems.map(({ binType }) => binType),
    layouter: createLayouter(plan, plan.poolOptions, items),
  }
}
