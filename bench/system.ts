// Measures the whole system on a real control plane, with simulated kubelets: `npm run bench:system -- [--steps 100,1000] [--speed 1000] [--profile
// FOLDER]`. Prints tables and one line of JSON, and exits with 1 if the last step misses a gate. The floor is the time for the same pods on existing
// nodes: what control plane and kubelets take by themselves.
import { mkdirSync, mkdtempSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { CACHE, findBinaries } from '../local/controlplane/binaries.ts'
import { type ControlPlane, startControlPlane } from '../local/controlplane/startControlPlane.ts'
import { type AppLine, parseAppLine } from '../local/demo/appLine.ts'
import { noteStages } from '../local/demo/noteStages.ts'
import { createStageTimes } from '../local/demo/stageTimes.ts'
import { buildBundles } from '../local/stack/buildBundles.ts'
import { APP_IDENTITY } from '../local/stack/identities.ts'
import { type Stack, startStack } from '../local/stack/startStack.ts'
import { writeBundle } from '../scripts/build.ts'
import { DEFAULT_MACHINE_NAMES } from '../shared/model/ids.ts'
import { printFigures } from './figures.ts'
import { INSTANCE_HEAP } from './instanceHeap.ts'
import { spreadOf } from './quantiles.ts'
import { memoryOf } from './shimProcess.ts'
import { addCalls, type Calls, createCallBook } from './systemCalls.ts'
import { GATED_PODS, type StepFigures, stepFigures } from './systemGates.ts'
import { createMachineReplay, joiningLines, measureJoining } from './systemJoining.ts'
import { createSystemLoad, type SystemLoad } from './systemLoad.ts'
import { childRunning, type ProcessTimes, processTimes, spentBetween } from './systemProcesses.ts'

const ROOT = join(import.meta.dirname, '..')
const LOG_DELAY_MS = 500
const HOST_FILE = 'dist/host/main.mjs'
/** The value of host.json. The local stack polls each queue ten times a second instead, which would count as the app's work. */
const POLLING = { AzureFunctionsJobHost__extensions__queues__maxPollingInterval: '00:00:30' }
/** A line of the host for each run, which is counted. */
const RUNS = { AzureFunctionsJobHost__logging__logLevel__Function: 'Information' }
/** Far more than the largest step needs. */
const QUOTA_CORES = 50_000
/** The line of the app about a run of the key of a claim. */
const RECONCILED = /^nodeclaim (\S+) was reconciled: (\w+)$/

const { values } = parseArgs({
  options: { steps: { type: 'string', default: '100,1000' }, speed: { type: 'string', default: '1000' }, profile: { type: 'string' } },
})
const steps = values.steps.split(',').map(Number)
const profiled: { readonly [name: string]: string } =
  values.profile === undefined
    ? {}
    : { NODE_OPTIONS: `--import ${join(import.meta.dirname, 'profiler.ts')}`, PROFILE_FOLDER: resolve(values.profile) }

const times = createStageTimes()
const replay = createMachineReplay()
/** Executions of functions, as the host logs them, and runs of the keys of claims. */
let runs: Calls = {}

const base = join(ROOT, '.local')
mkdirSync(base, { recursive: true })
const binaries = await findBinaries({ assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE, say: console.log })
await buildBundles(ROOT)
// The host as a bundle: from its sources it takes 40 MiB more, which do not belong to the app.
await writeBundle(ROOT, { entry: 'local/host/main.ts', out: HOST_FILE, external: ['@azure/functions-core'] })
const plane = await startControlPlane({ binaries, folder: mkdtempSync(join(base, 'system-plane-')) })
try {
  const stack = await startStack({
    speed: Number(values.speed),
    directory: mkdtempSync(join(base, 'system-')),
    kubeconfig: plane.kubeconfigFile,
    kubernetesPort: 0,
    functionsPort: 0,
    quotaCores: QUOTA_CORES,
    // Runs of the keys of claims are logged at level debug only.
    hostFile: join(ROOT, HOST_FILE),
    appSettings: {
      LOG_LEVEL: 'debug',
      ...POLLING,
      ...RUNS,
      ...profiled,
      NODE_OPTIONS: `${INSTANCE_HEAP} ${profiled['NODE_OPTIONS'] ?? ''}`,
    },
    throughProxies: async (straight) => ({ ...straight, shimEnv: { ...straight.shimEnv, ...profiled } }),
    machinesFrom: replay.watching,
    onAppLine: noteAppLine,
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
  const book = createCallBook(auditFile)
  const rows: StepFigures[] = []
  for (const pods of steps) rows.push(await measureStep(stack, load, book, pods))
  const floors = await measureFloors(load)
  const emptiedMs = await load.removeNodes()
  const joining = await measureJoining(stack, load, replay, steps.at(-1) ?? 0)
  load.close()
  const table = new Table({
    head: ['pods', 'first claim', 'last claim', 'claims', 'all run', 'floor (ms)', 'app + shim MiB'],
    style: { head: [], border: [] },
  })
  for (const [index, { pods, firstClaimMs, lastClaimMs, claims, runningMs, mebibytes }] of rows.entries()) {
    table.push([pods, firstClaimMs, lastClaimMs, claims, runningMs, floors[index], mebibytes.join(' + ')].map(String))
  }
  console.log(table.toString())
  console.log(`from the last pod gone to the last node gone: ${emptiedMs} ms`)
  const [last, floor] = [rows.at(-1), floors.at(-1)]
  if (last === undefined || floor === undefined) return
  console.log(`the step to ${last.pods} pods: seconds of processor time: ${JSON.stringify(last.seconds)}`)
  console.log(`the step to ${last.pods} pods: calls of the app for its claims: ${JSON.stringify(last.calls)}`)
  console.log(`the step to ${last.pods} pods: nodes by their small + large pods: ${JSON.stringify(last.nodesByPods)}`)
  for (const line of joiningLines(joining, floor)) console.log(line)
  console.log(JSON.stringify({ rows, floors, emptiedMs, joining }))
  printFigures(stepFigures(last, floor), false, last.pods >= GATED_PODS)
}

/** Runs one step. Returns its cost. */
async function measureStep(stack: Stack, load: SystemLoad, book: ReturnType<typeof createCallBook>, pods: number): Promise<StepFigures> {
  const host = stack.functions.child.pid()
  const [app, shim] = [childRunning(join(ROOT, HOST_FILE), host), stack.shim.pid()]
  const pids = [app, shim]
  const names = new Map([[app, 'app'] as const, [shim, 'shim'], [host, 'host'], [process.pid, 'emulators']])
  const looked = (): ProcessTimes => processTimes(names)
  book.take(APP_IDENTITY.objectId, () => false)
  runs = {}
  const before = looked()
  toggleProfiles(pids)
  const scaled = await load.scaleTo(pods)
  toggleProfiles(pids)
  const seconds = spentBetween(before, looked())
  const calls = await callsUntilQuiet(book)
  if (runs['claimRuns'] === undefined) throw new Error('the app logged no run for a claim')
  const { claims, readyAt, ...moments } = scaled
  return {
    pods,
    ...moments,
    claims: claims.length,
    seconds,
    mebibytes: pids.map((pid) => Math.round(memoryOf(pid ?? 0).resident)),
    runs,
    calls,
    decisionToArmMs: spreadOf(claims.flatMap((claim) => between(times.of(claim).get('decided'), firstArmCall(stack, claim)))),
    readyToInitializedMs: spreadOf(claims.flatMap((claim) => between(readyAt.get(claim), times.of(claim).get('initialized')))),
  }
}

/**
 * Counts calls until no Event comes any more: the app writes its Events in the background, and the API server writes its log a moment after it
 * answers.
 */
async function callsUntilQuiet(book: ReturnType<typeof createCallBook>): Promise<Calls> {
  let calls: Calls = {}
  for (let isQuiet = false; !isQuiet; ) {
    await sleep(LOG_DELAY_MS)
    isQuiet = true
    const more = book.take(APP_IDENTITY.objectId, (call, name) => {
      if (call.endsWith(' events')) isQuiet = false
      return isForClaims(call, name)
    })
    calls = addCalls(calls, more)
  }
  return calls
}

/** Begins a profile of each process, or ends it. */
function toggleProfiles(pids: readonly (number | undefined)[]): void {
  if (values.profile === undefined) return
  for (const pid of pids) if (pid !== undefined) process.kill(pid, 'SIGUSR2')
}

/** Reports whether a call is for claims. The number of Events about pods depends on the pods, not on the claims. */
function isForClaims(call: string, name: string): boolean {
  return !call.endsWith(' events') || !name.startsWith('load-')
}

function firstArmCall({ azure }: Stack, claim: string): number | undefined {
  return azure.requests.firstPut('networkInterfaces', `${DEFAULT_MACHINE_NAMES.prefix}${claim}`)
}

/** The time between two moments, or nothing if one of them is unknown. */
function between(start: number | undefined, end: number | undefined): readonly number[] {
  return start === undefined || end === undefined ? [] : [end - start]
}

function noteAppLine(text: string): void {
  const line = parseAppLine(text)
  if (line !== undefined) {
    noteRun(line)
    return noteStages(line, times)
  }
  const name = /"message":"executed (\w+):/.exec(text)?.[1]
  if (name !== undefined) runs = { ...runs, [name]: (runs[name] ?? 0) + 1 }
}

/**
 * Counts a run of the key of a claim. The first run that finds nothing left to wait for has just initialized the claim. A watch of claims would be
 * seconds late while the API server has no processor time left.
 */
function noteRun({ at, message }: AppLine): void {
  const [, claim, outcome] = RECONCILED.exec(message) ?? []
  if (claim === undefined) return
  runs = { ...runs, claimRuns: (runs['claimRuns'] ?? 0) + 1 }
  if (outcome === 'settled') times.reached(claim, 'initialized', at)
}

/** Runs the same steps again on the nodes that are left by the steps before. Returns their times. */
async function measureFloors(load: SystemLoad): Promise<readonly number[]> {
  await load.scaleTo(0)
  const floors: number[] = []
  for (const pods of steps) floors.push((await load.scaleTo(pods)).runningMs)
  await load.scaleTo(0)
  return floors
}
