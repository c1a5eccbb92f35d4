/**
 * Measures how long it takes to plan moves in a large cluster, and plays how a half-empty cluster becomes cheaper:
 * `npm run bench:disruption [-- --json] [--nodes 5000] [--converging 100] [--scaled-in 4]`. Exits with 1 if a gate is missed.
 */
import { parseArgs } from 'node:util'
import { type LoadedCluster, loadCluster } from '../../shared/engine/loadedCluster.ts'
import { loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision, DisruptionCursor } from '../../shared/model/decision.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { unseenPod } from '../../test/builders/pod.ts'
import { type Figure, printFigures } from '../figures.ts'
import { quantile } from '../quantiles.ts'
import { convergenceFigures } from './convergenceFigures.ts'
import { fleet } from './fleet.ts'
import { scaledInFigures } from './scaledInFigures.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '5000' },
    converging: { type: 'string', default: '100' },
    'scaled-in': { type: 'string', default: '4' },
  },
})
const nodes = Number(values.nodes)

const inMs = (what: string, value: number, [gate, aim]: readonly [gate: number, aim: number]): Figure => ({
  what,
  value,
  unit: 'ms',
  gate,
  aim,
})

/** Measures processor time, so that other programs of the machine do not count. */
type Timed<Answer> = {
  /** Milliseconds of processor time, of all threads. */
  readonly ms: number
  /** Milliseconds of processor time of the thread that decides: as long as the app blocks. */
  readonly blockedMs: number
  readonly answer: Answer
}

function timed<Answer>(make: () => Answer): Timed<Answer> {
  const from = process.cpuUsage()
  const fromThread = process.threadCpuUsage()
  const answer = make()
  return {
    ms: sumOf(Object.values(process.cpuUsage(from))) / 1000,
    blockedMs: sumOf(Object.values(process.threadCpuUsage(fromThread))) / 1000,
    answer,
  }
}

/** Closes each machine in the plan, and opens it again. */
function candidates(given: ClusterSnapshot): readonly Figure[] {
  const planning = loadPlanning(given.objects)
  const machines = [...planning.fleet(given).all()]
  const relocation = planning.relocate(given, { machines, places: machines, withHeldPods: [] })
  const times = machines.map((machine) => timed(() => relocation.close([machine]).undo()).ms).sort((first, second) => first - second)
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0
  return [inMs('one candidate, median', at(0.5), [2, 0.1]), inMs('one candidate, p99', at(0.99), [10, 1])]
}

function movesOf({ actions }: Decision): number {
  return actions.filter(({ kind }) => kind === 'deleteClaim' || kind === 'startCommand').length
}

/** Decides until every machine had its turn. Before each decision, `change` changes the cluster. */
function round(given: ClusterSnapshot, cluster: LoadedCluster, change: (look: number) => void): readonly Look[] {
  const { objects: _, ...context } = given
  const looks: Look[] = []
  for (let turn: DisruptionCursor | undefined; looks.length === 0 || turn !== undefined; ) {
    change(looks.length)
    const { answer, ...times } = timed(() => cluster.decide({ ...context, ...(turn === undefined ? {} : { disruptionCursor: turn }) }))
    looks.push({ ...times, moves: movesOf(answer) })
    turn = answer.turn
  }
  return looks
}

/** Returns a function that changes a pod in a way on which nothing depends. */
function onePodIn({ objects }: ClusterSnapshot, cluster: LoadedCluster): (look: number) => void {
  return (look) => {
    const pod = objects.pod[(look * STRIDE) % objects.pod.length]
    if (pod !== undefined) cluster.apply({ put: { pod: [{ ...pod, annotations: { ...pod.annotations, changed: `${look}` } }] } })
  }
}

/** Milliseconds of processor time. The gate of a look is the longest time for which the app may block. */
const PLAN = [10_000, 3_000] as const
const LOOK = [150, 50] as const

/** The changed pods are far apart, so that each look sees the change of another node. */
const STRIDE = 7919

/** Pods that arrive one after another. The first ones make what later ones find. */
const ARRIVALS = 30
const ARRIVAL = [15, 2] as const

type Look = Omit<Timed<never>, 'answer'> & { readonly moves: number }

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
  return [
    inMs(`nothing to gain: whole plan, ${first.length} looks`, sumOf(first.map(({ ms }) => ms)), PLAN),
    inMs('nothing to gain, one changed pod: median', quantile(changed, 0.5), [50, 5]),
    inMs('nothing to gain, one changed pod: p99', quantile(changed, 0.99), LOOK),
    inMs('nothing to gain, nothing changed: median', quantile(unchanged, 0.5), [10, 2]),
    inMs('nothing to gain, nothing changed: p99', quantile(unchanged, 0.99), LOOK),
    ...arrivals(given, cluster),
  ]
}

/** One small pod after another arrives. Each gets its place, and runs there at the next look. */
function arrivals({ objects, ...context }: ClusterSnapshot, cluster: LoadedCluster): readonly Figure[] {
  const [arriving, bound]: [number[], number[]] = [[], []]
  for (let at = 0; at < ARRIVALS; at++) {
    const arrived = unseenPod({ name: `arrived-${at}`, cpus: 0.05, memoryGib: 0.05, createdAt: context.takenAt })
    const look = (next: Pod): number =>
      timed(() => {
        cluster.apply({ put: { pod: [next] } })
        cluster.decide(context)
      }).ms
    arriving.push(look(arrived))
    const node = objects.node[(at * STRIDE) % objects.node.length]
    if (node !== undefined) bound.push(look({ ...arrived, phase: 'Running', nodeName: node.name, scheduledAt: context.takenAt }))
  }
  return [
    inMs('one arrival: median', quantile(arriving, 0.5), ARRIVAL),
    inMs('one arrival that runs: median', quantile(bound, 0.5), ARRIVAL),
  ]
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}

const half = fleet({ nodes, fill: 0.5, isSpread: false })
const figures: readonly Figure[] = [
  ...candidates(half),
  ...rounds('half-full nodes', half, 1_000),
  ...rounds('spread over zones', fleet({ nodes, fill: 0.5, isSpread: true }), 3_000),
  ...quietLooks(fleet({ nodes, fill: 0.97, isSpread: false, isEven: true })),
  ...(await convergenceFigures(Number(values.converging))),
  ...scaledInFigures(Number(values['scaled-in'])),
]
printFigures(figures, values.json)
