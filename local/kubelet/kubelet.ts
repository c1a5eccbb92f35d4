import { err, ok, type Result } from '../../shared/base/result.ts'
import { ownValue } from '../../shared/base/values.ts'
import { createApi, type KubeApi } from '../cluster/client/api.ts'
import type { Credential, KubeConnection } from '../cluster/client/connection.ts'
import { pause } from '../cluster/client/informer.ts'
import { createKubeClient, type KubeClient, type Refusal } from '../cluster/client/kubeClient.ts'
import type { Node } from '../cluster/client/objects.ts'
import { NODES } from '../cluster/client/resource.ts'
import { parseAmounts } from '../cluster/quantity.ts'
import type { Machine } from '../machine.ts'
import { type BootConfig, readBootConfig } from './bootConfig.ts'
import { type BootFailure, bootFailure } from './bootFailure.ts'
import type { Heartbeats } from './heartbeats.ts'
import { fabricFailure, isSwitched } from './image/gpuFabric.ts'
import { renewLease } from './lease.ts'
import { archOfSize, type NodeFacts, newNode, nodeConditions, nodeStatus, providerIdOf } from './nodeObject.ts'
import { type CredentialFlow, obtainCredential } from './obtainCredential.ts'
import type { PodFeed } from './podFeed.ts'
import type { PodTimes } from './podPlan.ts'
import { createPodWorkers, type Programs } from './podWorkers.ts'

/** How long each stage of a boot takes at speed 1. */
export type BootTimes = {
  /** From power on until the kubelet runs. */
  readonly provisionMs: number
  /** From registration until the pod network works and the node is ready. */
  readonly networkMs: number
  /** From ready until the GPU device plugin reports. */
  readonly devicePluginMs: number
}

export type KubeletOptions = {
  readonly machine: Machine
  readonly times: BootTimes & PodTimes
  readonly speed: number
  /** Divides the start and stop times of pods. */
  readonly podSpeed: number
  readonly memoryOverhead: number
  readonly flow: CredentialFlow
  /** Where to connect instead of API_SERVER_NAME. The certificate must still be for API_SERVER_NAME. */
  readonly dial: { readonly host: string; readonly port: number } | undefined
  /** The credentials that earlier runs of kubelets left on the disks of machines. */
  readonly disk: CredentialDisk
  readonly address: string
  readonly nextPodIP: () => string
  readonly feed: PodFeed
  readonly heartbeats: Heartbeats
  /** False: the node stays as it registered, not ready. */
  readonly hasNetwork: boolean
  /** `key=value` each: the network of a node works only with all these labels. Empty: the network of each node works. */
  readonly networkLabels: readonly string[]
  readonly programs: Programs | undefined
  readonly now: () => number
  readonly say: (stage: KubeletStage, message: string) => void
}

export type KubeletStage = BootFailure['stage'] | 'joined' | 'ready' | 'off' | 'running'

/** Keeps the credential of a kubelet while its process restarts, by machine id. */
export interface CredentialDisk {
  load(machineId: string): Credential | undefined
  save(machineId: string, credential: Credential): void
  /** Called when the machine ended, and its disk with it. */
  forget(machineId: string): void
}

/** Boots one machine from its customData. Returns the power switch, which stops the machine at once and without a message. */
export function startKubelet(options: KubeletOptions): () => void {
  const power = new AbortController()
  const say: KubeletOptions['say'] = (stage, message) => power.signal.aborted || options.say(stage, message)
  void live({ ...options, say }, power.signal)
  return () => power.abort()
}

async function live(options: KubeletOptions, off: AbortSignal): Promise<void> {
  const boot = readBootConfig(options.machine.customData)
  await pause(options.times.provisionMs / options.speed, off)
  if (off.aborted) return
  if (!boot.ok) return options.say(boot.error.stage, boot.error.message)
  const wrongHardware = hardwareFailure(options.machine, boot.value)
  if (wrongHardware !== undefined) return options.say(wrongHardware.stage, wrongHardware.message)
  const name = boot.value.settings.hostname ?? options.machine.name
  const client = await connect(options, boot.value, name, off)
  if (client === undefined) return
  off.addEventListener('abort', () => client.close())
  await run(options, boot.value, name, client, off)
}

function hardwareFailure(machine: Machine, boot: BootConfig): BootFailure | undefined {
  const arch = archOfSize(machine.size)
  if (boot.arch === undefined || boot.arch === arch) return fabricFailure(machine.size, boot.hasGpuDriver && boot.startsFabricManager)
  return bootFailure('kubelet', `exec format error: the binaries are for ${boot.arch}, ${machine.size} is ${arch}`)
}

/** Not divided by the speed, like all waiting for the API server: an answer takes the same time at any speed. */
const RETRY_MS = 500

/** Tries until the node is registered or the power goes off. Reports each new reason once, as the journal of a machine would. */
async function connect(options: KubeletOptions, boot: BootConfig, name: string, off: AbortSignal): Promise<KubeClient | undefined> {
  let said = ''
  while (!off.aborted) {
    const joined = await join(options, boot, name, off)
    if (joined.ok) {
      options.say('joined', `registered as node ${name}`)
      return joined.value
    }
    if (off.aborted) return undefined
    if (joined.error.message !== said) options.say(joined.error.stage, joined.error.message)
    said = joined.error.message
    await pause(RETRY_MS, off)
  }
  return undefined
}

async function join(options: KubeletOptions, boot: BootConfig, name: string, off: AbortSignal): Promise<Result<KubeClient, BootFailure>> {
  const url = `https://${boot.apiServer.host}:${boot.apiServer.port}`
  const base = { url, ca: boot.ca, ...(options.dial === undefined ? {} : { dial: options.dial }) }
  const credential = options.disk.load(options.machine.id) ?? (await firstCredential(options, base, boot, name, off))
  if ('stage' in credential) return err(credential)
  const client = createKubeClient({ ...base, credential })
  const registered = await register(createApi(client, off), factsOf(options, boot, name))
  if (registered.ok) {
    options.disk.save(options.machine.id, credential)
    return ok(client)
  }
  client.close()
  return err(failureOf('register', registered.error))
}

async function firstCredential(
  options: KubeletOptions,
  base: Omit<KubeConnection, 'credential'>,
  boot: BootConfig,
  nodeName: string,
  signal: AbortSignal,
): Promise<Credential | BootFailure> {
  const bootstrap = { ...base, credential: { kind: 'token' as const, token: boot.bootstrapToken } }
  const obtained = await obtainCredential({ flow: options.flow, bootstrap, nodeName, patienceMs: SIGNER_PATIENCE_MS, signal })
  return obtained.ok ? obtained.value : failureOf('credential', obtained.error)
}

/** In real time, like RETRY_MS. A kubelet that gives up early asks again, and the requests that it gave up on pile up. */
const SIGNER_PATIENCE_MS = 30_000

function failureOf(stage: 'credential' | 'register', refusal: Refusal): BootFailure {
  if (refusal.code === 401)
    return bootFailure('credential', 'the API server does not know the bootstrap token: wrong, expired or deleted (401)')
  if (refusal.code !== 0) return bootFailure(stage, `${refusal.code} ${refusal.reason}: ${refusal.message}`)
  if (/ALTNAME/.test(refusal.reason))
    return bootFailure('connect', `the API server's certificate is for another name than API_SERVER_NAME: ${refusal.message}`)
  if (/CERT|SIGNATURE|SELF_SIGNED/.test(refusal.reason)) {
    return bootFailure('connect', `the API server's certificate is not signed by KUBE_CA_CRT: ${refusal.reason}`)
  }
  return bootFailure('connect', `cannot reach the API server: ${refusal.reason}: ${refusal.message}`)
}

function factsOf(options: KubeletOptions, boot: BootConfig, name: string): NodeFacts {
  const { machine, address, memoryOverhead } = options
  return { machine, boot, name, address, memoryOverhead, now: options.now() }
}

/** Creates the node. If the node exists already, the kubelet takes it over, as after a reboot. */
async function register(api: KubeApi, facts: NodeFacts): Promise<Result<Node, Refusal>> {
  const created = await api.create(NODES, newNode(facts))
  if (created.ok || created.error.code !== 409) return created
  const known = await api.get(NODES, { name: facts.name })
  if (!known.ok) return known
  const { providerID } = known.value.spec
  if (providerID && providerID !== providerIdOf(facts.machine.id)) {
    return err({ code: 409, reason: 'AlreadyExists', message: `node ${facts.name} belongs to another machine, ${providerID}` })
  }
  return known
}

/** Runs a node that has joined: heartbeats, network, pods. Ends when the power goes off. */
async function run(options: KubeletOptions, boot: BootConfig, name: string, client: KubeClient, off: AbortSignal): Promise<void> {
  const api = createApi(client, off)
  const say = (line: string) => options.say('running', line)
  const report = createStatusReport(options, boot, name, api)
  const workers = createPodWorkers({
    api,
    hostIP: options.address,
    allocatable: () => parseAmounts(report.status().allocatable),
    nextPodIP: options.nextPodIP,
    times: options.times,
    speed: options.podSpeed,
    now: options.now,
    log: say,
    programs: options.programs,
  })
  const unfollow = options.feed.follow(name, client, workers.changed)
  const leave = options.heartbeats.join(() => void report.beat())
  off.addEventListener('abort', () => {
    unfollow()
    leave()
    workers.close()
  })
  await report.beat()
  await pause(options.times.networkMs / options.speed, off)
  if (!options.hasNetwork || !(await hasNetworkLabels(options, name, api)))
    return options.say('running', 'container runtime network not ready: cni config uninitialized')
  await report.becomeReady(off)
  options.say('ready', 'the node is ready')
  if (!boot.hasGpuDriver || options.machine.gpus === 0) return
  if (isSwitched(options.machine.size) && !boot.startsFabricManager)
    return say(`the GPUs of ${options.machine.size} cannot be used: they talk over NVSwitch, and no fabric manager was started`)
  await pause(options.times.devicePluginMs / options.speed, off)
  await report.addGpus(off)
}

/** Reads the node as it is now, because the controller that registers the node may add labels. */
async function hasNetworkLabels({ networkLabels }: KubeletOptions, name: string, api: KubeApi): Promise<boolean> {
  if (networkLabels.length === 0) return true
  const node = await api.get(NODES, { name })
  return (
    node.ok &&
    networkLabels.every((label) => {
      const [key = '', value] = label.split('=')
      return ownValue(node.value.metadata.labels, key) === value
    })
  )
}

/** The status is written again after this time, even if nothing has changed. */
const STATUS_PERIOD_MS = 300_000

type StatusReport = {
  status(): NonNullable<Node['status']>
  beat(): Promise<void>
  becomeReady(off: AbortSignal): Promise<void>
  addGpus(off: AbortSignal): Promise<void>
}

function createStatusReport(options: KubeletOptions, boot: BootConfig, name: string, api: KubeApi): StatusReport {
  const noPressureSince = options.now()
  let readySince: number | undefined
  let gpus = false
  let saidAt = 0
  const status = () => {
    const conditions =
      readySince === undefined ? {} : { conditions: nodeConditions(options.now(), { ready: true, readySince, noPressureSince }) }
    return { ...nodeStatus(factsOf(options, boot, name), gpus), ...conditions }
  }
  const write = async (): Promise<boolean> => {
    const answer = await api.patch(NODES, { name }, { status: status() }, 'strategic', 'status')
    if (answer.ok) saidAt = options.now()
    // A kubelet that runs does not create its node again after somebody deleted the node.
    return answer.ok || answer.error.code === 404
  }
  const insist = async (off: AbortSignal) => {
    while (!off.aborted && !(await write())) await pause(RETRY_MS, off)
  }
  return {
    status,
    beat: async () => {
      const refused = await renewLease(api, name, options.now())
      if (refused !== undefined) options.say('running', `cannot renew the lease: ${refused.message}`)
      if (readySince !== undefined && options.now() - saidAt > STATUS_PERIOD_MS) await write()
    },
    becomeReady: (off) => {
      readySince = options.now()
      return insist(off)
    },
    addGpus: (off) => {
      gpus = true
      return insist(off)
    },
  }
}
