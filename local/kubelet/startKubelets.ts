import { type ConnectionSource, type Credential, connectionFrom, type KubeConnection } from '../cluster/client/connection.ts'
import { createKubeClient } from '../cluster/client/kubeClient.ts'
import type { Machine, MachineSource } from '../machine.ts'
import { createHeartbeats } from './heartbeats.ts'
import { type BootTimes, type CredentialDisk, type KubeletStage, startKubelet } from './kubelet.ts'
import type { CredentialFlow } from './obtainCredential.ts'
import { createOwnPodFeed, createSharedPodFeed, type PodFeed } from './podFeed.ts'
import type { PodTimes } from './podPlan.ts'
import type { Programs } from './podWorkers.ts'

export type KubeletLogLine = { readonly at: number; readonly machine: string; readonly stage: KubeletStage; readonly message: string }

export type StartKubeletsOptions = {
  readonly machines: MachineSource
  /** Divides the times of machine boots and of pods. Default 1. */
  readonly speed?: number
  /** Divides the start and stop times of pods. Default: `speed`. */
  readonly podSpeed?: number
  readonly times?: Partial<BootTimes & PodTimes>
  /** `host:port` to connect to instead of API_SERVER_NAME. The certificate of the server must still be for API_SERVER_NAME. */
  readonly apiServerOverride?: string
  /** The connection for one watch of all pods for all kubelets. Undefined: each kubelet watches its own pods with its own credential. */
  readonly podWatch?: ConnectionSource
  /** How kubelets get their identity. Default `signingRequest`, as real kubelets do. */
  readonly credentials?: CredentialFlow
  /** Where credentials outlive this process. By default they do not. */
  readonly disk?: CredentialDisk
  /** The part (0 to 1) of a machine's memory that its firmware and hypervisor keep. Default 0.07. */
  readonly memoryOverhead?: number
  readonly leasePeriodMs?: number
  /** Whether the pod network of a machine ever works. Without a network the node never becomes ready. By default all networks work. */
  readonly hasNetwork?: (machine: Machine) => boolean
  /** `key=value` each: the network of a node works only with all these labels. See `networkLabelsOf` of local/azure. By default none is needed. */
  readonly networkLabels?: readonly string[]
  /** The programs of pods on a machine. By default, no pod has one, and each behaves as its plan says. */
  readonly programsOn?: (machine: Machine) => Programs
  readonly onLog?: (line: KubeletLogLine) => void
  readonly now?: () => number
}

export type Kubelets = { close(): void; readonly logs: readonly KubeletLogLine[] }

/** About 2.5 s from power on to ready at speed 1. */
const TIMES: BootTimes & PodTimes = {
  provisionMs: 1300,
  networkMs: 1000,
  devicePluginMs: 3000,
  startMs: 400,
  initMs: 300,
  stopMs: 500,
  jobMs: 2000,
}
const MAX_LOG_LINES = 10_000
const LEASE_PERIOD_MS = 10_000

/** Boots a simulated kubelet on each machine that starts, and stops it with the machine. */
export async function startKubelets(options: StartKubeletsOptions): Promise<Kubelets> {
  const logs: KubeletLogLine[] = []
  const now = options.now ?? Date.now
  const say = (machine: string, stage: KubeletStage, message: string) => {
    const line = { at: now(), machine, stage, message }
    logs.push(line)
    if (logs.length > MAX_LOG_LINES) logs.shift()
    options.onLog?.(line)
  }
  const feed = feedFrom(options.podWatch, (line) => say('', 'running', line))
  const heartbeats = createHeartbeats(options.leasePeriodMs ?? LEASE_PERIOD_MS)
  const disk = options.disk ?? memoryDisk()
  const addresses = createAddresses()
  const running = new Map<string, () => void>()
  const start = (machine: Machine) => {
    running.get(machine.id)?.()
    const switchOff = startKubelet({
      machine,
      times: { ...TIMES, ...options.times },
      ...speedsOf(options),
      memoryOverhead: options.memoryOverhead ?? 0.07,
      flow: options.credentials ?? 'signingRequest',
      dial: dialOf(options.apiServerOverride),
      disk,
      address: addresses.nextNode(),
      nextPodIP: addresses.nextPod,
      feed: feed.feed,
      hasNetwork: options.hasNetwork?.(machine) ?? true,
      networkLabels: options.networkLabels ?? [],
      programs: options.programsOn?.(machine),
      heartbeats,
      now,
      say: (stage, message) => say(machine.name, stage, message),
    })
    running.set(machine.id, switchOff)
  }
  const stop = (machine: Machine) => {
    if (!running.has(machine.id)) return
    running.get(machine.id)?.()
    running.delete(machine.id)
    disk.forget(machine.id)
    say(machine.name, 'off', 'the machine stopped')
  }
  const goesDown = (machine: Machine) => {
    running.get(machine.id)?.()
    running.delete(machine.id)
    say(machine.name, 'off', 'the machine restarts')
  }
  const unlisten = options.machines.listen({ started: start, stopped: stop, goesDown })
  return {
    logs,
    close: () => {
      unlisten()
      for (const switchOff of running.values()) switchOff()
      running.clear()
      heartbeats.close()
      feed.close()
    },
  }
}

function speedsOf({ speed = 1, podSpeed = speed }: StartKubeletsOptions): { readonly speed: number; readonly podSpeed: number } {
  return { speed, podSpeed }
}

function feedFrom(source: ConnectionSource | undefined, log: (line: string) => void): { readonly feed: PodFeed; close(): void } {
  if (source === undefined) return { feed: createOwnPodFeed(log), close: () => {} }
  const connection: KubeConnection = connectionFrom(source)
  const client = createKubeClient(connection)
  const feed = createSharedPodFeed(client, log)
  return {
    feed,
    close: () => {
      feed.close()
      client.close()
    },
  }
}

function dialOf(override: string | undefined): { readonly host: string; readonly port: number } | undefined {
  if (override === undefined) return undefined
  const url = new URL(`https://${override}`)
  return { host: url.hostname, port: Number(url.port || 443) }
}

function memoryDisk(): CredentialDisk {
  const saved = new Map<string, Credential>()
  return { load: (id) => saved.get(id), save: (id, credential) => saved.set(id, credential), forget: (id) => saved.delete(id) }
}

/** Node addresses from 10.224.0.4 on, pod addresses from 10.244.0.2 on. */
function createAddresses(): { nextNode(): string; nextPod(): string } {
  let nodes = 3
  let pods = 1
  const spread = (second: number, index: number) => `10.${second + ((index >> 16) & 7)}.${(index >> 8) & 255}.${index & 255}`
  return { nextNode: () => spread(224, ++nodes), nextPod: () => spread(244, ++pods) }
}
