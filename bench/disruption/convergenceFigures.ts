// The figures of a half-empty cluster that becomes cheaper: how fast, how far, and what it costs.
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { Figure } from '../figures.ts'
import { boundProblem } from '../scheduling/bounds/boundProblem.ts'
import { configurationBound } from '../scheduling/bounds/configurationBound.ts'
import { fluidBound } from '../scheduling/bounds/fluidBound.ts'
import { loadSolver } from '../scheduling/bounds/linearProgram.ts'
import { outcomeOf } from '../scheduling/outcome.ts'
import { loadStatePlanner } from '../scheduling/planner.ts'
import { BUDGET_SHARE, type Converged, converge, timeToWithin } from './convergence.ts'
import { convergeAsKarpenter } from './peer.ts'

/** A price within this share of the last one counts as reached. */
const NEARLY = 0.05
const SEED = 1
const BOUND_SECONDS = 5

const KINDS = [
  { name: 'plain', isApart: false, gate: 10, aim: 3 },
  { name: 'one workload apart', isApart: true, gate: 15, aim: 6 },
] as const

export async function convergenceFigures(nodes: number): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const { name, isApart, gate, aim } of KINDS) {
    const converged = await converge({ nodes, isApart, seed: SEED })
    const fresh = await freshPlan(converged)
    const own = timeToWithin(NEARLY, converged.course)
    const peer = timeToWithin(NEARLY, convergeAsKarpenter(converged.before, BUDGET_SHARE))
    const last = (converged.course.at(-1)?.price ?? Number.NaN) / 1e6
    const { evicted, onGone, nodes: counts } = converged
    const of = `half-empty ${counts.before} nodes, ${name}:`
    figures.push(
      { what: `${of} price above the configuration bound`, value: 100 * (last / fresh.bound - 1), unit: '%', gate, aim },
      {
        what: `${of} time to within 5 % of the last price, of Karpenter's ${peer / 1000} s`,
        value: own / peer,
        unit: '',
        gate: 0.2,
        aim: 0.05,
      },
      { what: `${of} pods moved, of those on nodes that are gone`, value: evicted / onGone, unit: '', gate: 1.3, aim: 1.05 },
      {
        what: `${of} most nodes beyond those at first`,
        value: counts.most - counts.before,
        unit: '',
        gate: Math.ceil(BUDGET_SHARE * counts.before),
        aim: 1,
      },
      { what: `${of} nodes, of a fresh plan`, value: counts.after / fresh.nodes, unit: '', gate: 1.1, aim: 1 },
    )
  }
  return figures
}

/** The nodes of a plan for the same pods in an empty cluster, and the least price that any plan can have. */
async function freshPlan({ before, pods }: Converged): Promise<{ readonly nodes: number; readonly bound: number }> {
  const given = withWaiting(before, pods)
  const { decision } = loadStatePlanner(given, 'once').decide([])
  const highs = await loadSolver()
  const problem = boundProblem(given, decision)
  return {
    nodes: outcomeOf(given, decision).nodes,
    bound: configurationBound(highs, problem, fluidBound(highs, problem), BOUND_SECONDS).bound,
  }
}

/** The cluster without its nodes, with all pods waiting. */
export function withWaiting(snapshot: ClusterSnapshot, pods: readonly Pod[]): ClusterSnapshot {
  const waiting = pods.map((pod): Pod => {
    const { nodeName: _, scheduledAt: __, startedAt: ___, ...free } = pod
    return { ...free, phase: 'Pending', unschedulableSince: snapshot.takenAt }
  })
  return { ...snapshot, objects: { ...snapshot.objects, node: [], nodeClaim: [], pod: waiting } }
}
