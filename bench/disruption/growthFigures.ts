/** How the cost of a look grows with the cluster: arrivals, looks with nothing to do, and the plan of moves. */
import { loadCluster } from '../../shared/engine/loadedCluster.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Figure } from '../figures.ts'
import { quantile } from '../quantiles.ts'
import { fleet } from './fleet.ts'
import { arrivalsIn, inMs, onePodIn, round, sumOf } from './looks.ts'

/** Milliseconds of processor time: the gates and aims of 20,000 nodes. */
const GATES = { look: [5, 2], plan: [20_000, 10_000], longest: [150, 50] } as const

/** The most nodes with the taint of planned nodes, as by default in the app. */
const MOST_PLANNED_TAINTS = 100

export function growthFigures(nodes: number): readonly Figure[] {
  return [...quietFigures(nodes), ...planFigures(nodes)]
}

/** All nodes are full, and everything has been tried. */
function quietFigures(nodes: number): readonly Figure[] {
  const given = asInTheApp(fleet({ nodes, fill: 0.97, isSpread: false, isEven: true }))
  const cluster = loadCluster(given.objects)
  round(given, cluster, () => undefined)
  const idle = round(given, cluster, () => undefined).map(({ ms }) => ms)
  const { arriving, running } = arrivalsIn(given, cluster)
  return [
    inMs(`${nodes} nodes: a look with nothing to do, median`, quantile(idle, 0.5), GATES.look),
    inMs(`${nodes} nodes: one arrival, median`, arriving, GATES.look),
    inMs(`${nodes} nodes: one arrival that runs, median`, running, GATES.look),
  ]
}

/** All nodes are half full. */
function planFigures(nodes: number): readonly Figure[] {
  const given = asInTheApp(fleet({ nodes, fill: 0.5, isSpread: false }))
  const cluster = loadCluster(given.objects)
  const change = onePodIn(given, cluster)
  const first = round(given, cluster, change)
  const warm = round(given, cluster, change)
  const moves = sumOf(first.map((look) => look.moves))
  return [
    inMs(`${nodes} nodes: whole plan, ${first.length} looks, ${moves} moves`, sumOf(first.map(({ ms }) => ms)), GATES.plan),
    inMs(`${nodes} nodes: longest look after loading`, Math.max(...warm.map(({ blockedMs }) => blockedMs)), GATES.longest),
  ]
}

function asInTheApp(given: ClusterSnapshot): ClusterSnapshot {
  return { ...given, settings: { ...given.settings, mostPlannedTaints: MOST_PLANNED_TAINTS } }
}
