// Scales 1,000 pods to 300 on a real control plane, with simulated kubelets: `npm run bench:scale-down -- [--from 1000] [--to 300] [--speed 1000]`.
// Prints a table and one line of JSON, and exits with 1 if a gate is missed. There are ten Deployments with pods of one CPU, on machines of 16 CPUs,
// which hold 15 of them.
import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { CACHE, findBinaries } from '../local/controlplane/binaries.ts'
import { type ControlPlane, startControlPlane } from '../local/controlplane/startControlPlane.ts'
import { buildBundles } from '../local/stack/buildBundles.ts'
import { APP_IDENTITY } from '../local/stack/identities.ts'
import { type Stack, startStack } from '../local/stack/startStack.ts'
import { type Figure, printFigures } from './figures.ts'
import { createCallBook } from './systemCalls.ts'
import { createSystemLoad, type SystemLoad } from './systemLoad.ts'

const ROOT = join(import.meta.dirname, '..')
const QUOTA_CORES = 50_000
const LOOK_EVERY_MS = 250
/** Several rounds of moves without a change. */
const QUIET_MS = 40_000
const LIMIT_MS = 6 * 60_000
/** Pods that a node of the pool holds. */
const PODS_A_NODE = 15
/** The sizes for which the gates and aims hold. */
const GATED = { from: 1_000, to: 300 }

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: String(GATED.from) },
    to: { type: 'string', default: String(GATED.to) },
    speed: { type: 'string', default: '1000' },
  },
})
const [from, to] = [Number(values.from), Number(values.to)]

const base = join(ROOT, '.local')
mkdirSync(base, { recursive: true })
const binaries = await findBinaries({ assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE, say: console.log })
await buildBundles(ROOT)
const plane = await startControlPlane({ binaries, folder: mkdtempSync(join(base, 'scale-down-plane-')) })
try {
  const stack = await startStack({
    speed: Number(values.speed),
    directory: mkdtempSync(join(base, 'scale-down-')),
    kubeconfig: plane.kubeconfigFile,
    kubernetesPort: 0,
    functionsPort: 0,
    quotaCores: QUOTA_CORES,
    onAppLine: () => undefined,
    onShimLine: () => undefined,
  })
  try {
    await run(stack, plane)
  } finally {
    await stack.close()
  }
} finally {
  await plane.close()
}
process.exit()

async function run(stack: Stack, { auditFile }: ControlPlane): Promise<void> {
  const load = await createSystemLoad(stack.client, {
    deployments: Array.from({ length: 10 }, (_, index) => ({ name: `load-${index}`, requests: { cpu: '1', memory: '2Gi' } })),
    requirements: [
      { key: 'karpenter.azure.com/sku-family', operator: 'In', values: ['D'] },
      { key: 'karpenter.azure.com/sku-cpu', operator: 'In', values: ['16'] },
    ],
  })
  const book = createCallBook(auditFile)
  await load.scaleTo(from)
  const before = load.nodes()
  book.take(APP_IDENTITY.objectId, () => false)
  await load.setDisruption({ consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' })
  const startedAt = performance.now()
  await load.scaleTo(to)
  const { nodes, lastChangeMs, peak } = await settled(load, startedAt)
  const calls = book.take(APP_IDENTITY.objectId, () => true)
  load.close()
  const evictions = calls['create pods/eviction'] ?? 0
  const seconds = lastChangeMs / 1000
  console.log(JSON.stringify({ from, to, before, nodes, peak, seconds, evictions }))
  printFigures(figuresOf({ nodes, seconds, evictions }), false, from === GATED.from && to === GATED.to)
}

function figuresOf({ nodes, seconds, evictions }: { nodes: number; seconds: number; evictions: number }): readonly Figure[] {
  return [
    { what: 'nodes in the end', value: nodes, unit: '', gate: 22, aim: Math.ceil(GATED.to / PODS_A_NODE) },
    { what: 'from the scaling to the last node gone', value: seconds, unit: 's', gate: 105, aim: 45 },
    { what: 'evictions asked for', value: evictions, unit: '', gate: 160, aim: 100 },
  ]
}

type Settled = { readonly nodes: number; readonly lastChangeMs: number; readonly peak: number }

/** Waits until no node has come or gone for a while. */
async function settled(load: SystemLoad, startedAt: number): Promise<Settled> {
  let [nodes, peak, changedAt] = [load.nodes(), load.nodes(), performance.now()]
  while (performance.now() - changedAt < QUIET_MS) {
    if (performance.now() - startedAt > LIMIT_MS) throw new Error(`nodes come and go after ${LIMIT_MS / 60_000} minutes still`)
    await sleep(LOOK_EVERY_MS)
    const now = load.nodes()
    if (now !== nodes) [nodes, changedAt] = [now, performance.now()]
    peak = Math.max(peak, now)
  }
  return { nodes, lastChangeMs: Math.round(changedAt - startedAt), peak }
}
