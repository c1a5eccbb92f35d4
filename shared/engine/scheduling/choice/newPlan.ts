import { type Plan, poolOptionsOf } from '../candidates/plan.ts'
import { createPoolOptionsFor } from '../candidates/poolOptionsFor.ts'
import { reservedPoolOptions } from '../candidates/reserved/reservedPoolOptions.ts'
import { reservationsLeft } from '../model/cluster/reservations.ts'
import type { PlacementMode, PlacementProblem } from '../model/placementProblem.ts'
import { budgetFor, type Work } from '../model/quantities/work.ts'

const COMMITMENTS: { readonly [Mode in PlacementMode]: Plan['commitment'] } = { price: 'early', firstFit: 'late' }

/** A plan in which nothing is placed yet. */
export function newPlan({ cluster, context, placement, axes, pools, room, classes, newDaemons }: PlacementProblem, work: Work): Plan {
  const { minValuesPolicy, maxSteps } = context.settings
  const pods = classes.reduce((sum, { count }) => sum + count, 0)
  const all = poolOptionsOf(pools.narrowedTemplates, cluster.machines.usage)
  const reservations = reservationsLeft(pools.templates, cluster)
  const isFirstFit = placement !== 'price'
  const poolOptions = isFirstFit ? all : reservedPoolOptions(all, reservations)
  const poolOptionsFor = createPoolOptionsFor(poolOptions)
  return {
    existingNodes: room.existingNodes,
    room,
    touched: new Map(),
    poolOptions,
    poolOptionsFor,
    everyPoolOptionFor: poolOptionsFor,
    held: isFirstFit && reservations.size > 0 ? { left: reservations, of: new Map() } : undefined,
    newDaemons,
    work,
    budget: budgetFor(pods, maxSteps),
    postponed: new Map(),
    refused: new Set(),
    axes: axes.names.length + axes.drivers.length,
    isStrict: minValuesPolicy === 'Strict',
    commitment: COMMITMENTS[placement],
    nodesFirst: !isFirstFit,
    bins: [],
    log: [],
    left: new Map(classes.map((each) => [each, each.count])),
    version: 0,
  }
}
