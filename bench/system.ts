// The whole system on a real control plane, with simulated kubelets: `npm run bench:system -- [--steps 100,1000,3000] [--speed 1000]`. Prints a
// table and one line of JSON. The floor is the same pods onto nodes that are there already: what control plane and kubelets take by themselves.
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { CACHE, findBinaries } from '../local/controlplane/binaries.ts'
import { type ControlPlane, startControlPlane } from '../local/controlplane/startControlPlane.ts'
import { buildBundles } from '../local/stack/buildBundles.ts'
import { APP_IDENTITY } from '../local/stack/identities.ts'
import { type Stack, startStack } from '../local/stack/startStack.ts'
import { createSystemLoad, type SystemLoad } from './systemLoad.ts'

const ROOT = join(import.meta.dirname, '..')
/** Far more than the largest step needs. */
const QUOTA_CORES = 50_000

const { values } = parseArgs({
  options: { steps: { type: 'string', default: '100,1000,3000' }, speed: { type: 'string', default: '1000' } },
})
const steps = values.steps.split(',').map(Number)

const base = join(ROOT, '.local')
mkdirSync(base, { recursive: true })
const binaries = await findBinaries({ assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE, say: console.log })
await buildBundles(ROOT)
const plane = await startControlPlane({ binaries, folder: mkdtempSync(join(base, 'system-plane-')) })
try {
  const stack = await startStack({
    speed: Number(values.speed),
    directory: mkdtempSync(join(base, 'system-')),
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
  const load = await createSystemLoad(stack.client)
  const rows: Row[] = []
  for (const pods of steps) rows.push({ pods, ...(await load.scaleTo(pods)), rssMebibytes: memoryOf(stack), calls: callsOfApp(auditFile) })
  const floors = await measureFloors(load)
  const emptiedMs = await load.removeNodes()
  load.close()
  const table = new Table({
    head: ['pods', 'first claim', 'last claim', 'claims', 'all run', 'floor (ms)', 'app + shim MiB'],
    style: { head: [], border: [] },
  })
  for (const [index, { pods, firstClaimMs, lastClaimMs, claims, runningMs, rssMebibytes }] of rows.entries()) {
    table.push([pods, firstClaimMs, lastClaimMs, claims, runningMs, floors[index], rssMebibytes.join(' + ')].map(String))
  }
  console.log(table.toString())
  console.log(
    `from the last pod gone to the last node gone: ${emptiedMs} ms; calls of the app by verb: ${JSON.stringify(rows.at(-1)?.calls)}`,
  )
  console.log(JSON.stringify({ rows, floors, emptiedMs }))
}

type Row = Awaited<ReturnType<SystemLoad['scaleTo']>> & {
  readonly pods: number
  readonly rssMebibytes: readonly number[]
  readonly calls: Readonly<Record<string, number>>
}

/** The same steps once more, onto the nodes that the steps before have left. */
async function measureFloors(load: SystemLoad): Promise<readonly number[]> {
  await load.scaleTo(0)
  const floors: number[] = []
  for (const pods of steps) floors.push((await load.scaleTo(pods)).runningMs)
  await load.scaleTo(0)
  return floors
}

/** Resident memory of the function app's host and of the shim. */
function memoryOf({ functions, shim }: Stack): readonly number[] {
  return [functions.child.pid(), shim.pid()].map((pid) => {
    const kibibytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Math.round(Number(kibibytes) / 1024)
  })
}

function callsOfApp(auditFile: string): Record<string, number> {
  const calls: Record<string, number> = {}
  for (const line of readFileSync(auditFile, 'utf8').split('\n')) {
    if (!line.includes(APP_IDENTITY.objectId)) continue
    const verb = /"verb":"(\w+)"/.exec(line)?.[1] ?? 'other'
    calls[verb] = (calls[verb] ?? 0) + 1
  }
  return calls
}
