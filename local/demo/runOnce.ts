import Table from 'cli-table3'
import { DEFAULT_MACHINE_NAMES } from '../../shared/model/ids.ts'
import type { Stack } from '../stack/startStack.ts'
import { STAGES, type StageTimes, spread } from './stageTimes.ts'
import type { ClusterView } from './watchCluster.ts'

/** One scene of the demo: its number of replicas, its times, and the claims that it made. */
type Scene = { readonly replicas: number; readonly startedAt: number; readonly endedAt: number; readonly claims: readonly string[] }

const SCENE_TIMEOUT_MS = 45_000
/** Where processes are stopped and killed, work may wait for the timer, which runs every minute. */
export const HARSH_TIMEOUT_MS = 200_000
const LOOK_EVERY_MS = 50

/** Plays the demo of the quickstart: five pods, twenty, none. Returns the failure, or undefined. */
export async function runOnce(
  stack: Stack,
  view: ClusterView,
  times: StageTimes,
  print: (line: string) => void,
  sceneMs = SCENE_TIMEOUT_MS,
): Promise<string | undefined> {
  const scenes: Scene[] = []
  for (const replicas of [5, 20, 0]) {
    const startedAt = Date.now()
    const before = new Set(times.claims())
    await scaleInflate(stack, replicas)
    const failure = await until(() => sceneProblem(stack, view, replicas), sceneMs)
    if (failure !== undefined) {
      const refusal = view.refusal()
      return `after ${sceneMs / 1000} s with ${replicas} replicas: ${failure}${refusal === undefined ? '' : `; ${refusal}`}`
    }
    scenes.push({ replicas, startedAt, endedAt: Date.now(), claims: times.claims().filter((claim) => !before.has(claim)) })
  }
  for (const claim of times.claims()) {
    const at = stack.azure.requests.firstPut('networkInterfaces', `${DEFAULT_MACHINE_NAMES.prefix}${claim}`)
    if (at !== undefined) times.reached(claim, 'first ARM call', at)
  }
  print('')
  print(stageTable(scenes, times))
  const denied = stack.azure.access.rows().find(({ isGranted }) => !isGranted)
  return denied === undefined ? undefined : `because the template's roles do not grant ${denied.action} on ${denied.scope}`
}

async function scaleInflate(stack: Stack, replicas: number): Promise<void> {
  const path = '/apis/apps/v1/namespaces/default/deployments/inflate'
  const contentType = 'application/merge-patch+json'
  await stack.client.send({ method: 'PATCH', path, body: { spec: { replicas } }, contentType, signal: AbortSignal.timeout(10_000) })
}

/** Returns what is not done yet, or undefined if the scene is over. */
function sceneProblem(stack: Stack, view: ClusterView, replicas: number): string | undefined {
  const running = view.runningPods('inflate')
  if (running !== replicas || view.pods('inflate') !== replicas) return `${running} of ${replicas} pods run`
  if (replicas > 0) return undefined
  const { vms, nics } = stack.azure.state()
  const left = view.claims() + view.nodes() + vms.length + nics.length
  return left === 0
    ? undefined
    : `${view.claims()} nodeclaims, ${view.nodes()} nodes, ${vms.length} machines and ${nics.length} network interfaces are left`
}

async function until(problem: () => string | undefined, patienceMs: number): Promise<string | undefined> {
  const end = Date.now() + patienceMs
  for (;;) {
    const now = problem()
    if (now === undefined || Date.now() > end) return now
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

function stageTable(scenes: readonly Scene[], times: StageTimes): string {
  const table = new Table({ head: ['scene', 'took', 'new nodes', ...STAGES], style: { head: [], border: [] } })
  for (const { replicas, startedAt, endedAt, claims } of scenes) {
    const stages = STAGES.map((stage) => {
      const values = claims.flatMap((claim) => {
        const at = times.of(claim).get(stage)
        return at === undefined ? [] : [at - startedAt]
      })
      const range = spread(values)
      return range === undefined ? '' : range.min === range.max ? `${range.min}` : `${range.min} - ${range.max}`
    })
    table.push([`to ${replicas} pods`, `${endedAt - startedAt} ms`, String(claims.length), ...stages])
  }
  return `${table.toString()}\nmilliseconds from the scaling to each stage, first and last node`
}
