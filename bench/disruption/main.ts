/**
 * Measures how long it takes to plan moves in a large cluster, plays how a half-empty cluster becomes cheaper, and compares the end with that of
 * Karpenter's methods: `npm run bench:disruption [-- --json] [--only looks,converging,greedy] [--nodes 5000] [--converging 100] [--scaled-in 20]
 * [--renew] [--sizes 2000,20000]`. With `--renew`, Karpenter's methods are played again and recorded. With `--sizes`, it measures looks at clusters of
 * these numbers of nodes, and nothing else. Exits with 1 if a gate is missed.
 */
import { parseArgs } from 'node:util'
import { limitHeapGrowth } from '../../functions/heap.ts'
import { loadCluster } from '../../shared/engine/loadedCluster.ts'
import { loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { type Figure, printFigures } from '../figures.ts'
import { quantile } from '../quantiles.ts'
import { convergenceFigures } from './convergenceFigures.ts'
import { fleet } from './fleet.ts'
import { growthFigures } from './growthFigures.ts'
import { arrivalsIn, inMs, onePodIn, round, sumOf, timed } from './looks.ts'
import { scaledInFigures } from './scaledInFigures.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '5000' },
    converging: { type: 'string', default: '100' },
    'scaled-in': { type: 'string', default: '20' },
    only: { type: 'string', default: 'looks,converging,greedy' },
    renew: { type: 'boolean', default: false },
    sizes: { type: 'string' },
  },
})
const nodes = Number(values.nodes)
// The heap has the limit of the app. The limit decides how often a full garbage collection runs, and how long the collection blocks.
limitHeapGrowth()

/** Closes each machine in the plan, and opens it again. */
function candidates(given: ClusterSnapshot): readonly Figure[] {
  const planning = loadPlanning(given.objects)
  const machines = [...planning.fleet(given).all()]
  const relocation = planning.relocate(given, { machines, places: machines, withHeldPods: [] })
  const times = machines.map((machine) => timed(() => relocation.close([machine]).undo()).ms).sort((first, second) => first - second)
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0
  return [inMs('one candidate, median', at(0.5), [2, 0.1]), inMs('one candidate, p99', at(0.99), [10, 1])]
}

/** Milliseconds of processor time. The gate of a look is the longest time for which the app may block. */
const PLAN = [10_000, 3_000] as const
const LOOK = [150, 50] as const
const ARRIVAL = [15, 2] as const

function rounds(name: string, given: ClusterSnapshot, aimOfPlan: number): readonly Figure[] {
  const cluster = loadCluster(given.objects)
  const change = onePodIn(given, cluster)
  const first = round(given, cluster, change)
  const warm = round(given, cluster, change)
  const ms = sumOf(first.map((look) => look.ms))
  const moves = sumOf(first.map((look) => look.moves))
  return [
    inMs(`${name}: whole plan, ${first.length} looks, ${moves} moves`, ms, [PLAN[0], aimOfPlan]),
    inMs(`${name}: longest look after loading`, Math.max(...warm.map((look) => look.blockedMs)), LOOK),
  ]
}

/** Looks at full nodes, where there is nothing to gain and everything has been tried. */
function quietLooks(given: ClusterSnapshot): readonly Figure[] {
  const cluster = loadCluster(given.objects)
  const change = onePodIn(given, cluster)
  const first = round(given, cluster, change)
  const changed = round(given, cluster, change).map(({ ms }) => ms)
  const unchanged = round(given, cluster, () => undefined).map(({ ms }) => ms)
  const arrivals = arrivalsIn(given, cluster)
  return [
    inMs(`nothing to gain: whole plan, ${first.length} looks`, sumOf(first.map(({ ms }) => ms)), PLAN),
    inMs('nothing to gain, one changed pod: median', quantile(changed, 0.5), [50, 5]),
    inMs('nothing to gain, one changed pod: p99', quantile(changed, 0.99), LOOK),
    inMs('nothing to gain, nothing changed: median', quantile(unchanged, 0.5), [10, 2]),
    inMs('nothing to gain, nothing changed: p99', quantile(unchanged, 0.99), LOOK),
    inMs('one arrival: median', arrivals.arriving, ARRIVAL),
    inMs('one arrival that runs: median', arrivals.running, ARRIVAL),
  ]
}

function lookFigures(): readonly Figure[] {
  const half = fleet({ nodes, fill: 0.5, isSpread: false })
  return [
    ...candidates(half),
    ...rounds('half-full nodes', half, 1_000),
    ...rounds('spread over zones', fleet({ nodes, fill: 0.5, isSpread: true }), 3_000),
    ...quietLooks(fleet({ nodes, fill: 0.97, isSpread: false, isEven: true })),
  ]
}

async function allFigures(): Promise<readonly Figure[]> {
  const only = values.only.split(',')
  return [
    ...(only.includes('looks') ? lookFigures() : []),
    ...(only.includes('converging') ? await convergenceFigures(Number(values.converging)) : []),
    ...(only.includes('greedy') ? await scaledInFigures(Number(values['scaled-in']), values.renew) : []),
  ]
}

const sizes = values.sizes?.split(',').map(Number)
printFigures(sizes === undefined ? await allFigures() : sizes.flatMap(growthFigures), values.json)
