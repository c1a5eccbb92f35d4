import { join } from 'node:path'
import type { Pod } from '../../../local/cluster/client/objects.ts'
import { CACHE } from '../../../local/goPrograms.ts'
import { findHelm } from '../../../local/helm/findHelm.ts'
import { runHelm } from '../../../local/helm/runHelm.ts'
import { type Internet, startInternet } from '../../../local/internet/startInternet.ts'
import { type Child, END_WITH_PARENT, startChild } from '../../../local/stack/child.ts'
import { settle } from '../../../shared/base/concurrency.ts'
import { messageOf } from '../../../shared/base/result.ts'
import { repositoryRoot } from '../../floors.ts'
import type { ReleaseParts } from '../releaseParts.ts'
import { type Container, findRunc, prepareContainer } from './container.ts'
import { networkOf } from './installation.ts'
import { createNameService } from './names.ts'
import { podProcess } from './podProcess.ts'
import type { Platform } from './startInstallation.ts'
import type { World } from './startWorld.ts'
import { required } from './systemNodes.ts'

// Installs the charts of the release by Helm, and starts processes for two of their pods: the forwarder, and the watcher of a spot node.

export const NAMESPACE = 'joiner'
/** The module that puts a program into the loopback internet. */
const INTERNET = join(repositoryRoot, 'local', 'internet')
const FOLLOW_EVERY_MS = 500
type Helm = (args: readonly string[], values?: object) => Promise<string>
type Pods = { readonly items: readonly Pod[] }

export async function createHelm({ plane }: World): Promise<Helm> {
  const program = await findHelm({ assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE }, () => undefined)
  return async (args, values) => {
    const outcome = await runHelm(program, [...args, '--kubeconfig', plane.kubeconfigFile, '--namespace', NAMESPACE], values)
    if (outcome.code !== 0) throw new Error(`helm ${args.join(' ')}: ${outcome.errors.trim()}`)
    return outcome.out
  }
}

export type Forwarder = {
  readonly pod: Pod
  readonly child: Child
  readonly container: Container | undefined
  readonly overrides: readonly string[]
}

export type Following = {
  /** The process of the first pod, once it is ready. Rejects if it cannot be started. */
  readonly first: Promise<Forwarder>
  /** Ends the following and the process that runs. */
  end(): Promise<void>
}

/** Starts the process of each pod of the forwarder's deployment, by its spec, and ends it with its pod: one after the other, as in an upgrade. */
export function followForwarder(world: World, platform: Platform, release: ReleaseParts): Following {
  const { promise, resolve, reject } = Promise.withResolvers<Forwarder>()
  // Nobody may wait for it, where the installation fails before.
  promise.catch(() => undefined)
  let running: Forwarder | undefined
  let isEnding = false
  const step = async (): Promise<void> => {
    const pods = await forwarderPods(world)
    if (running !== undefined && !pods.some(({ metadata }) => metadata.name === running?.pod.metadata.name)) {
      await running.child.stop()
      running = undefined
    }
    const [pod] = pods
    if (running !== undefined || pod === undefined) return
    const started = await startWhileThere(pod)
    if (started === undefined) return
    running = started
    started.child.ready().then(() => resolve(started), reject)
  }
  /** Undefined if the pod goes while its process is started, as in an upgrade that follows another one: the next step finds the pod in its place. */
  const startWhileThere = async (pod: Pod): Promise<Forwarder | undefined> => {
    const place = { world, platform, internet: platform.ofCluster, release }
    const started = await settle(() => startPod(place, pod, '"message":"snapshot sent"'))
    if (started.ok) return { pod, ...started.value }
    if ((await forwarderPods(world)).some(({ metadata }) => metadata.name === pod.metadata.name)) throw started.error
    return undefined
  }
  const follow = async (): Promise<void> => {
    while (!isEnding) {
      await step()
      await new Promise((next) => setTimeout(next, FOLLOW_EVERY_MS))
    }
  }
  const following = follow().catch((cause: unknown) => {
    reject(cause)
    platform.say(`the forwarder was not followed: ${messageOf(cause)}`)
  })
  return {
    first: promise,
    async end() {
      isEnding = true
      await following
      await running?.child.stop()
    },
  }
}

/** The pods of the forwarder that have a node and are not being deleted. */
async function forwarderPods(world: World): Promise<readonly Pod[]> {
  const pods = await required<Pods>(world.client, 'GET', `/api/v1/namespaces/${NAMESPACE}/pods`)
  return pods.items.filter(
    ({ metadata, spec }) =>
      metadata.labels?.['app.kubernetes.io/component'] === 'shim' &&
      spec.nodeName !== undefined &&
      metadata.deletionTimestamp === undefined,
  )
}

/** Starts the DaemonSet's pod on a node. Its link-local address leads to the metadata service of that machine. */
export async function startWatcher(world: World, platform: Platform, release: ReleaseParts, node: string): Promise<Child> {
  const { azure, authority, parts } = world
  const pods = await required<Pods>(world.client, 'GET', `/api/v1/namespaces/${NAMESPACE}/pods`)
  const pod = pods.items.find(({ metadata, spec }) => metadata.labels?.['app.kubernetes.io/component'] === 'spot' && spec.nodeName === node)
  if (pod === undefined) throw new Error(`no watcher runs on spot node ${node}`)
  const servers = { ...platform.servers, fixed: { ...platform.servers.fixed, '169.254.169.254': { url: azure.imdsUrl(node) } } }
  const networkId = networkOf(azure.subnetId)
  const internet = await startInternet(authority, createNameService(azure.resources, servers, { name: 'cluster', networkId }))
  await parts.own(() => internet.close())
  const { child } = await startPod({ world, platform, internet, release }, pod, '"message":"started"')
  await child.ready()
  return child
}

type PodStart = { readonly world: World; readonly platform: Platform; readonly internet: Internet; readonly release: ReleaseParts }

async function startPod({ world, platform, internet, release }: PodStart, pod: Pod, readyText: string) {
  const say = (line: string): void => platform.say(`${pod.metadata.name}: ${line}`)
  const { client, plane, azure, directory, caFile, parts } = world
  const url = new URL(plane.url)
  const kubernetes = { host: url.hostname, port: Number(url.port), ca: plane.caCertificate }
  const process = await podProcess(pod, {
    client,
    tenantId: azure.tenantId,
    kubernetes,
    folder: join(directory, 'pods', pod.metadata.name),
  })
  const args = [...internet.argsOf(), ...process.args]
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: caFile }
  const runc = findRunc()
  const place = { root: release.imageRoot, workingDirectory: release.imageWorkingDirectory }
  const mounted = [join(directory, 'pods', pod.metadata.name), caFile, INTERNET]
  const inImage = { ...place, env: { ...release.imageEnv, ...env }, mounted }
  const container =
    runc === undefined
      ? undefined
      : prepareContainer(runc, join(directory, 'containers', pod.metadata.name), {
          ...inImage,
          args: [...release.imageEntrypoint, '--import', END_WITH_PARENT, ...args],
        })
  if (container !== undefined) await parts.own(() => container.remove())
  const child = startChild({
    name: `pod ${pod.metadata.name}`,
    ...(container === undefined
      ? { args, cwd: join(release.imageRoot, release.imageWorkingDirectory), env }
      : { program: container.program, args: container.runArgs, env: {} }),
    isReady: (line) => line.includes(readyText),
    onLine: say,
    onNotice: say,
  })
  await parts.own(() => child.stop())
  return { child, container, overrides: process.overrides }
}
