import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { messageOf } from '../shared/base/result.ts'
import { defined } from '../shared/base/values.ts'
import type { KubeClient } from './cluster/client/kubeClient.ts'
import { UNSUPPORTED_KINDS_LINE } from './cluster/workloads/unsupportedKinds.ts'
import { parseAppLine } from './demo/appLine.ts'
import { createDemo } from './demo/demo.ts'
import { formatSeconds } from './demo/formatSeconds.ts'
import { noteStages } from './demo/noteStages.ts'
import { HARSH_TIMEOUT_MS, runOnce } from './demo/runOnce.ts'
import { createStageTimes } from './demo/stageTimes.ts'
import { createTerminal } from './demo/terminal.ts'
import { watchCluster } from './demo/watchCluster.ts'
import { wholeLine } from './demo/wholeLine.ts'
import { applyManifests } from './stack/applyManifests.ts'
import { requireControlPlane } from './stack/attachedCluster.ts'
import { buildBundles } from './stack/buildBundles.ts'
import { requireFree } from './stack/freePort.ts'
import { givenSettings } from './stack/givenSettings.ts'
import { poolReady } from './stack/poolReady.ts'
import { writeReaderAccess } from './stack/readerAccess.ts'
import { type Stack, startStack } from './stack/startStack.ts'

const ROOT = join(import.meta.dirname, '..')
const EXAMPLES = join(ROOT, 'examples', 'quickstart')
const TICK_MS = 200
const LEFT_IN_CLUSTER = 'every process of this run is gone; what it made in the cluster of --kubeconfig stays there'

type Options = {
  readonly once: boolean
  readonly kubeconfig?: string
  readonly speed: number
  readonly port: number
  readonly functionsPort: number
  /** Cores that the embedded Azure grants. Undefined for the quota of a large subscription. */
  readonly quota?: number
  readonly inspect?: number
  readonly build: boolean
  readonly harsh: boolean
  readonly verbose: boolean
  /** Each is `NAME=value`. */
  readonly set: readonly string[]
}

const options = readOptions()
const times = createStageTimes()
const terminal = createTerminal({ write: (text) => process.stdout.write(text), now: Date.now })
const print = terminal.say
const demo = createDemo({ print, now: Date.now })
const ending = new AbortController()
let starting: Promise<Stack> | undefined
let stopping = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0, 'stopping'))

try {
  await run()
} catch (cause) {
  await stop(1, `cannot go on: ${messageOf(cause)}`)
}

async function run(): Promise<void> {
  const settings = givenSettings(options.set)
  if (options.kubeconfig !== undefined) requireControlPlane(options.kubeconfig)
  await requireFree(options.port, '--port')
  await requireFree(options.functionsPort, '--functions-port')
  if (options.build) {
    print('building the function app and the shim; this takes some seconds')
    const beganAt = Date.now()
    await buildBundles(ROOT, ending.signal)
    print(`built in ${formatSeconds(Date.now() - beganAt)}`)
  }
  print('starting storage, Azure, Kubernetes, the function app and the shim on the loopback address')
  const directory = runDirectory()
  starting = startStack({
    speed: options.speed,
    directory,
    appSettings: { ...(options.verbose ? { LOG_LEVEL: 'debug' } : {}), ...settings },
    kubernetesPort: options.port,
    functionsPort: options.functionsPort,
    onAppLine,
    onShimLine: (text) => {
      if (options.verbose) print(`shim: ${text}`)
    },
    onNotice: print,
    signal: ending.signal,
    ...defined({
      quotaCores: options.quota,
      kubeconfig: options.kubeconfig,
      inspectPort: options.inspect,
      harsh: options.harsh ? [] : undefined,
    }),
  })
  const stack = await starting
  const view = watchCluster(stack.client, demo, times)
  setInterval(() => demo.tick(), TICK_MS).unref()
  print(`ready, machines boot ${options.speed} times as fast as in Azure; in another terminal:`)
  print(`  export KUBECONFIG=${stack.kubeconfigFile}`)
  print('  kubectl scale deployment inflate --replicas 20; kubectl get nodeclaims,nodepools,nodes,pods')
  const { url, headersFile } = await writeReaderAccess(stack, directory)
  print('why a pod goes where it goes, and why a machine is what it is:')
  print('  npm run explain -- pods/default/NAME, or nodeclaims/NAME')
  print(`  curl -H @${headersFile} ${url}/pods/default/NAME (again while it answers that it is asked)`)
  if (options.kubeconfig === undefined) print(UNSUPPORTED_KINDS_LINE)
  const signal = AbortSignal.timeout(30_000 + (options.harsh ? HARSH_TIMEOUT_MS : 0))
  await applyExample(stack.client, 'nodepool.yaml', signal)
  await poolReady(stack.client, signal, options.harsh ? HARSH_TIMEOUT_MS : undefined)
  await applyExample(stack.client, 'inflate.yaml', signal)
  if (!options.once) {
    print('to look further: docs/local.md for this stack, docs/concepts.md for NodePools, examples/ for more to apply')
    print('to stop: Ctrl-C')
    return
  }
  const say = (text: string) => process.stdout.write(`${text}\n`)
  const failure = await runOnce(stack, view, times, say, options.harsh ? HARSH_TIMEOUT_MS : undefined)
  await stop(failure === undefined ? 0 : 1, failure === undefined ? 'the demo went as it should' : `the demo failed ${failure}`)
}

/** Applies a file of the example, and says what is in it. */
async function applyExample(client: KubeClient, file: string, signal: AbortSignal): Promise<void> {
  const made = await applyManifests(client, join(EXAMPLES, file), signal)
  print(`applied examples/quickstart/${file}: ${made.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(', ')}`)
}

async function stop(code: number, why: string): Promise<void> {
  if (stopping) return
  stopping = true
  print(why)
  terminal.hush()
  ending.abort()
  const stack = await starting?.catch(() => undefined)
  await stack?.close()
  if (starting !== undefined)
    terminal.close(`stopped; ${options.kubeconfig === undefined ? 'everything of this run is removed' : LEFT_IN_CLUSTER}`)
  process.exit(code)
}

function onAppLine(text: string): void {
  const line = parseAppLine(text)
  if (line) {
    if (options.verbose) print(wholeLine(line))
    else demo.app(line)
    noteStages(line, times)
  } else if (options.verbose) print(`app: ${text}`)
}

/** Each run has a folder of its own, so that several stacks run side by side. */
function runDirectory(): string {
  const base = join(ROOT, '.local')
  mkdirSync(base, { recursive: true })
  return mkdtempSync(join(base, 'run-'))
}

function readOptions(): Options {
  return new Command()
    .name('npm start --')
    .description('Runs Joiner on the loopback address, with an embedded Azure and Kubernetes.')
    .option('--once', 'play the demo (five pods, twenty, none), print the stage times and exit', false)
    .option('--speed <n>', 'divide boot and shutdown times of machines by this', positive, 5)
    .option('--kubeconfig <file>', 'use the control plane of this kubeconfig (npm run controlplane) instead of the embedded one')
    .option('--port <n>', 'port of the Kubernetes API server; 0 takes a free one', port, 0)
    .option('--functions-port <n>', 'port of the functions host; 0 takes a free one', port, 0)
    .option('--quota <cores>', 'cores that the embedded Azure grants, to see what happens when it runs out', cores)
    .option('--inspect <port>', 'let a debugger attach to the function app at this port of 127.0.0.1', port)
    .option('--harsh', 'stop and kill idle processes of the function app, and run its groups of functions apart, as Flex Consumption may')
    .option('--no-build', 'run the bundles of the build before')
    .option('--set <name=value>', 'a setting of the function app, as docs/reference.md lists them; may be given again', collect, [])
    .option('--verbose', 'also print what the shim and the functions host write, and all lines and measures of the app', false)
    .parse()
    .opts<Options>()
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}

function positive(text: string): number {
  const value = Number(text)
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError('must be a number above zero')
  return value
}

function cores(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('must be a whole number of cores, 0 for none')
  return value
}

function port(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > 65_535) throw new InvalidArgumentError('must be a port number, or 0 for a free one')
  return value
}
