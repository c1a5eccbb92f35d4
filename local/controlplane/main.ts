// `npm run controlplane`: runs a real control plane on the loopback address until Ctrl-C.
import { join, relative } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { Fault } from '../../shared/model/problem.ts'
import { type BinarySource, CACHE, findBinaries, obstacle, releaseName } from './binaries.ts'
import { freeFolder } from './freeFolder.ts'
import { startControlPlane } from './startControlPlane.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const say = (line: string): void => console.log(line)

const options = new Command('npm run controlplane --')
  .description('Runs etcd, kube-apiserver, kube-controller-manager and kube-scheduler on 127.0.0.1 until Ctrl-C.')
  .option('--directory <path>', 'where its files go while it runs; a number is added when another one uses it', '.local/controlplane')
  .option('--port <number>', 'port of the API server; 0 takes a free one', readPort, 0)
  .option(
    '--previous',
    `Kubernetes ${releaseName({ assets: undefined, release: 'previous' })} instead of ${releaseName({ assets: undefined })}`,
  )
  .option('--build-only', 'only see to it that the programs are there')
  .parse()
  .opts<{ readonly directory: string; readonly port: number; readonly previous?: true; readonly buildOnly?: true }>()

try {
  process.exitCode = await run()
} catch (cause) {
  if (!(cause instanceof Fault)) throw cause
  console.error(cause.problem.message)
  process.exitCode = 1
}

async function run(): Promise<number> {
  const release = options.previous ? 'previous' : 'newest'
  const source: BinarySource = { release, assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE, say }
  const why = obstacle(source, process.env['PATH'] ?? '')
  if (why !== undefined) {
    console.error(why)
    return 1
  }
  const binaries = await findBinaries(source)
  if (options.buildOnly) return 0
  const startedAt = performance.now()
  const folder = freeFolder(join(ROOT, options.directory))
  const plane = await startControlPlane({ binaries, folder, port: options.port })
  const kubeconfig = relative(process.cwd(), plane.kubeconfigFile)
  say(`the control plane (${releaseName(source)}) is ready at ${plane.url} after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  say(`kubectl --kubeconfig ${kubeconfig} get namespaces`)
  say(`npm start -- --kubeconfig ${kubeconfig}`)
  say('Ctrl-C ends it and removes its files')
  try {
    await Promise.race([plane.failed, signalled()])
    return 0
  } finally {
    await plane.close()
  }
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}

function readPort(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError('must be a whole number from 0 to 65535')
  return port
}
