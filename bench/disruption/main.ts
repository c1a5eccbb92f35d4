/**
 * Measures how long it takes to plan moves in a large cluster: `npm run bench:disruption [-- --json] [--nodes 5000]`. Exits with 1 if a gate is
 * missed.
 */
import { parseArgs } from 'node:util'
import { type LoadedCluster, loadCluster } from '../../shared/engine/loadedCluster.ts'
import { loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import type { DisruptionCursor } from '../../shared/model/disruptionCursor.ts'
import { quantile } from '../quantiles.ts'
import { fleet } from './fleet.ts'

type Figure = { readonly name: string; readonly ms: number; readonly gateMs: number; readonly moves?: number }

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false }, nodes: { type: 'string', default: '5000' } } })
const nodes = Number(values.nodes)

/** Measures processor time, so that other programs of the machine do not count. */
function timed<Answer>(make: () => Answer): { readonly ms: number; readonly answer: Answer } {
  const from = process.cpuUsage()
  const answer = make()
  const { user, system } = process.cpuUsage(from)
  return { ms: (user + system) / 1000, answer }
}

/** Closes each machine in the plan, and opens it again. */
function candidates(given: ClusterSnapshot): readonly Figure[] {
  const planning = loadPlanning(given.objects)
  const machines = [...planning.fleet([]).all()]
  const relocation = planning.relocate(given, { machines, places: machines, withHeldPods: [] })
  const times = machines.map((machine) => timed(() => relocation.close([machine]).undo()).ms).sort((first, second) => first - second)
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0
  return [
    { name: 'one candidate, median', ms: at(0.5), gateMs: 2 },
    { name: 'one candidate, p99', ms: at(0.99), gateMs: 10 },
  ]
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
    const { ms, answer } = timed(() => cluster.decide({ ...context, ...(turn === undefined ? {} : { disruptionCursor: turn }) }))
    looks.push({ ms, moves: movesOf(answer) })
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

/** The changed pods are far apart, so that each look sees the change of another node. */
const STRIDE = 7919

type Look = { readonly ms: number; readonly moves: number }

function rounds(name: string, given: ClusterSnapshot, gates: { readonly plan: number; readonly look: number }): readonly Figure[] {
  const cluster = loadCluster(given.objects)
  const change = onePodIn(given, cluster)
  const first = round(given, cluster, change)
  const warm = round(given, cluster, change)
  const ms = sumOf(first.map((look) => look.ms))
  const moves = sumOf(first.map((look) => look.moves))
  return [
    { name: `${name}: whole plan, ${first.length} looks`, ms, gateMs: gates.plan, moves },
    { name: `${name}: longest look after loading`, ms: Math.max(...warm.map((look) => look.ms)), gateMs: gates.look },
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
    { name: `nothing to gain: whole plan, ${first.length} looks`, ms: sumOf(first.map(({ ms }) => ms)), gateMs: gates.plan },
    { name: 'nothing to gain, one changed pod: median', ms: quantile(changed, 0.5), gateMs: 50 },
    { name: 'nothing to gain, one changed pod: p99', ms: quantile(changed, 0.99), gateMs: gates.look },
    { name: 'nothing to gain, nothing changed: median', ms: quantile(unchanged, 0.5), gateMs: 50 },
    { name: 'nothing to gain, nothing changed: p99', ms: quantile(unchanged, 0.99), gateMs: gates.look },
  ]
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}

const half = fleet({ nodes, fill: 0.5, isSpread: false })
const gates = { plan: 10_000, look: 150 }
const figures: readonly Figure[] = [
  ...candidates(half),
  ...rounds('half-full nodes', half, gates),
  ...rounds('spread over zones', fleet({ nodes, fill: 0.5, isSpread: true }), gates),
  ...quietLooks(fleet({ nodes, fill: 0.97, isSpread: false, isEven: true })),
]
const missed = figures.filter(({ ms, gateMs }) => ms > gateMs)
if (values.json) console.log(JSON.stringify({ nodes, figures, missed: missed.map(({ name }) => name) }, undefined, 2))
else {
  for (const { name, ms, gateMs, moves } of figures) {
    const verdict = ms > gateMs ? 'MISSED' : 'ok'
    console.log(
      `${name.padEnd(60)} ${ms.toFixed(2).padStart(10)} ms  gate ${String(gateMs).padStart(6)} ms  ${verdict}${moves === undefined ? '' : `  ${moves} moves`}`,
    )
  }
}
process.exitCode = missed.length > 0 ? 1 : 0
