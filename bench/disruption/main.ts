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

/** Decides until every machine had its turn. Before each decision, a pod changes in a way on which nothing depends. */
function round({ objects, ...context }: ClusterSnapshot, cluster: LoadedCluster): readonly Look[] {
  const looks: Look[] = []
  for (let turn: DisruptionCursor | undefined; looks.length === 0 || turn !== undefined; ) {
    const [pod] = objects.pod.slice(looks.length)
    if (pod !== undefined) cluster.apply({ put: { pod: [{ ...pod, annotations: { ...pod.annotations, changed: `${looks.length}` } }] } })
    const { ms, answer } = timed(() => cluster.decide({ ...context, ...(turn === undefined ? {} : { disruptionCursor: turn }) }))
    looks.push({ ms, moves: movesOf(answer) })
    turn = answer.turn
  }
  return looks
}

type Look = { readonly ms: number; readonly moves: number }

function rounds(name: string, given: ClusterSnapshot, gates: { readonly plan: number; readonly look: number }): readonly Figure[] {
  const cluster = loadCluster(given.objects)
  const first = round(given, cluster)
  const warm = round(given, cluster)
  const ms = sumOf(first.map((look) => look.ms))
  const moves = sumOf(first.map((look) => look.moves))
  return [
    { name: `${name}: whole plan, ${first.length} looks`, ms, gateMs: gates.plan, moves },
    { name: `${name}: longest look after loading`, ms: Math.max(...warm.map((look) => look.ms)), gateMs: gates.look },
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
  ...rounds('one changed pod, nothing to gain', fleet({ nodes, fill: 0.97, isSpread: false, isEven: true }), { ...gates, look: 50 }),
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
