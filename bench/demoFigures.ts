// The first hour with `npm start` on its embedded cluster. Scales the deployment of the README: how long its pods take to be steady once their last
// machine is there, and how long `joiner explain` takes.
import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startInformer } from '../local/cluster/client/informer.ts'
import { NODES, PODS } from '../local/cluster/client/resource.ts'
import { isReady } from '../local/demo/printNodes.ts'
import { isRunning } from '../local/demo/printPods.ts'
import { applyManifests } from '../local/stack/applyManifests.ts'
import { buildBundles } from '../local/stack/buildBundles.ts'
import { POOL_PATH, poolReady } from '../local/stack/poolReady.ts'
import { type Stack, startStack } from '../local/stack/startStack.ts'
import { explainFigure } from './explainTimes.ts'
import type { Figure } from './figures.ts'

const ROOT = join(import.meta.dirname, '..')
const EXAMPLES = join(ROOT, 'examples', 'quickstart')
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/inflate'
const SPEED = 5
const LIMIT_MS = 10 * 60_000
const LOOK_EVERY_MS = 50
/** The cluster is steady after this long without a change: all pods run, and no node comes, goes or stops being ready. */
const STEADY_MS = 5_000

export async function demoFigures(replicas: number): Promise<readonly Figure[]> {
  const base = join(ROOT, '.local')
  mkdirSync(base, { recursive: true })
  await buildBundles(ROOT)
  const directory = mkdtempSync(join(base, 'demo-'))
  const stack = await startStack({
    speed: SPEED,
    directory,
    kubernetesPort: 0,
    functionsPort: 0,
    onAppLine: () => undefined,
    onShimLine: () => undefined,
  })
  try {
    return await run(stack, directory, replicas)
  } finally {
    await stack.close()
  }
}

async function run(started: Stack, directory: string, replicas: number): Promise<readonly Figure[]> {
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
  const explain = await explainFigure(started, directory, [...pods.items()][0]?.metadata.name ?? '')
  pods.close()
  nodes.close()
  return [{ what: 'demo: from the last machine ready to steady pods', value: steady, unit: 's', gate: 10, aim: 5 }, explain]
}
