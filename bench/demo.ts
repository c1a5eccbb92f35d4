// Measures the first hour with `npm start` on its embedded cluster: `npm run bench:demo -- [--pods 200] [--speed 5]`. Scales the deployment of the
// README and measures how long its pods take to be steady once their last machine is there, and how long `joiner explain` takes. Prints a table, and exits with 1 if the gate is missed.
import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startInformer } from '../local/cluster/client/informer.ts'
import { NODES, PODS } from '../local/cluster/client/resource.ts'
import { isReady } from '../local/demo/printNodes.ts'
import { isRunning } from '../local/demo/printPods.ts'
import { applyManifests } from '../local/stack/applyManifests.ts'
import { buildBundles } from '../local/stack/buildBundles.ts'
import { POOL_PATH, poolReady } from '../local/stack/poolReady.ts'
import { type Stack, startStack } from '../local/stack/startStack.ts'
import { explainFigure } from './explainTimes.ts'
import { printFigures } from './figures.ts'

const ROOT = join(import.meta.dirname, '..')
const EXAMPLES = join(ROOT, 'examples', 'quickstart')
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/inflate'
const LIMIT_MS = 10 * 60_000
const LOOK_EVERY_MS = 50
/** The cluster is steady after this long without a change: all pods run, and no node comes, goes or stops being ready. */
const STEADY_MS = 5_000
/** The number of pods for which the gate holds. */
const GATED_PODS = 200

const { values } = parseArgs({
  options: { pods: { type: 'string', default: String(GATED_PODS) }, speed: { type: 'string', default: '5' } },
})
const replicas = Number(values.pods)
if (!Number.isSafeInteger(replicas) || replicas < 1) throw new Error(`--pods ${values.pods}: must be a whole number of at least 1`)

const base = join(ROOT, '.local')
mkdirSync(base, { recursive: true })
await buildBundles(ROOT)
const directory = mkdtempSync(join(base, 'demo-'))
const stack = await startStack({
  speed: Number(values.speed),
  directory,
  kubernetesPort: 0,
  functionsPort: 0,
  onAppLine: () => undefined,
  onShimLine: () => undefined,
})
try {
  await run(stack)
} finally {
  await stack.close()
}
process.exit()

async function run(started: Stack): Promise<void> {
  const { client } = started
  const signal = AbortSignal.timeout(LIMIT_MS)
  await applyManifests(client, join(EXAMPLES, 'nodepool.yaml'), signal)
  await poolReady(client, signal)
  const patch = async (path: string, spec: object): Promise<void> => {
    const contentType = 'application/merge-patch+json'
    const answer = await client.send({ method: 'PATCH', path, body: { spec }, contentType, signal })
    if (!answer.ok) throw new Error(`PATCH ${path}: ${answer.error.message}`)
  }
  // The pool of the example has a limit of 100 CPUs, and a budget that spreads the moves of many nodes over time.
  await patch(POOL_PATH, { limits: { cpu: replicas * 2 }, disruption: { budgets: [{ nodes: '100%' }] } })
  await applyManifests(client, join(EXAMPLES, 'inflate.yaml'), signal)
  const [pods, nodes] = [startInformer(PODS, { client, query: { labelSelector: 'app=inflate' } }), startInformer(NODES, { client })]
  await Promise.all([pods.synced, nodes.synced])
  let [machinesAt, podsAt, changedAt] = [0, 0, 0]
  const startedAt = performance.now()
  nodes.onChange((now, before) => {
    const [is, was] = [now, before].map((each) => each !== undefined && isReady(each))
    if (is !== was) changedAt = performance.now()
    if (is === true && was === false) machinesAt = performance.now()
  })
  pods.onChange(() => {
    podsAt = changedAt = performance.now()
  })
  await patch(DEPLOYMENT, { replicas })
  const areSteady = (): boolean => {
    const all = [...pods.items()]
    return all.length === replicas && all.every(isRunning) && performance.now() - changedAt > STEADY_MS
  }
  while (!areSteady()) {
    signal.throwIfAborted()
    await sleep(LOOK_EVERY_MS)
  }
  const seconds = (to: number, from: number): number => Math.max(0, to - from) / 1000
  console.log(`${replicas} pods on ${[...nodes.items()].length} nodes: machines ready after ${seconds(machinesAt, startedAt).toFixed(1)} s`)
  const steady = seconds(podsAt, machinesAt)
  printFigures(
    [
      { what: 'from the last machine ready to steady pods', value: steady, unit: 's', gate: 10, aim: 5 },
      await explainFigure(started, directory, [...pods.items()][0]?.metadata.name ?? ''),
    ],
    false,
    replicas === GATED_PODS,
  )
  pods.close()
  nodes.close()
}
