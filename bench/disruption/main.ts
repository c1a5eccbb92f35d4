/** How long it takes to plan moves of a large cluster: `npm run bench:disruption [-- --json] [--nodes 5000]`. Exits 1 where a gate is missed. */
import { parseArgs } from 'node:util'
import { loadCluster } from '../../shared/engine/loadedCluster.ts'
import { loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import { fleet } from './fleet.ts'

type Figure = { readonly name: string; readonly ms: number; readonly gateMs: number; readonly moves?: number }

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false }, nodes: { type: 'string', default: '5000' } } })
const nodes = Number(values.nodes)

/** Processor time: other programs of the machine do not count. */
function timed<Answer>(make: () => Answer): { readonly ms: number; readonly answer: Answer } {
  const from = process.cpuUsage()
  const answer = make()
  const { user, system } = process.cpuUsage(from)
  return { ms: (user + system) / 1000, answer }
}

/** Each machine closed on paper, and opened again. */
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

function wholePlan(name: string, { objects, ...context }: ClusterSnapshot): Figure {
  const cluster = loadCluster(objects)
  const { ms, answer } = timed(() => cluster.decide(context))
  return { name, ms, gateMs: 10_000, moves: movesOf(answer) }
}

/** A pod changes that nothing depends on. */
function nothingToGain({ objects, ...context }: ClusterSnapshot): Figure {
  const cluster = loadCluster(objects)
  cluster.decide(context)
  const times = objects.pod.slice(0, 5).map((pod) => {
    cluster.apply({ put: { pod: [{ ...pod, annotations: { ...pod.annotations, changed: 'yes' } }] } })
    return timed(() => cluster.decide({ ...context }))
  })
  const [best] = times.sort((first, second) => first.ms - second.ms)
  return {
    name: 'decision with one changed pod, full nodes',
    ms: best?.ms ?? 0,
    gateMs: 50,
    moves: best === undefined ? 0 : movesOf(best.answer),
  }
}

const half = fleet({ nodes, fill: 0.5, isSpread: false })
const spread = fleet({ nodes, fill: 0.5, isSpread: true })
const figures: readonly Figure[] = [
  ...candidates(half),
  wholePlan('whole plan, half-full nodes', half),
  wholePlan('whole plan, spread over zones', spread),
  nothingToGain(fleet({ nodes, fill: 0.93, isSpread: false })),
]
const missed = figures.filter(({ ms, gateMs }) => ms > gateMs)
if (values.json) console.log(JSON.stringify({ nodes, figures, missed: missed.map(({ name }) => name) }, undefined, 2))
else {
  for (const { name, ms, gateMs, moves } of figures) {
    const verdict = ms > gateMs ? 'MISSED' : 'ok'
    console.log(
      `${name.padEnd(44)} ${ms.toFixed(2).padStart(10)} ms  gate ${String(gateMs).padStart(6)} ms  ${verdict}${moves === undefined ? '' : `  ${moves} moves`}`,
    )
  }
}
process.exitCode = missed.length > 0 ? 1 : 0
