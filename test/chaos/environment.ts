import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CACHE, findBinaries } from '../../local/controlplane/binaries.ts'
import { type ControlPlane, startControlPlane } from '../../local/controlplane/startControlPlane.ts'
import type { Machine, MachineSource } from '../../local/machine.ts'
import { appSettings } from '../../local/stack/appSettings.ts'
import type { Child } from '../../local/stack/child.ts'
import type { Endpoints } from '../../local/stack/endpoints.ts'
import { startFunctions } from '../../local/stack/functionsHost.ts'
import { createOwnedParts } from '../../local/stack/ownedParts.ts'
import { poolReady } from '../../local/stack/poolReady.ts'
import { startShim } from '../../local/stack/shimProcess.ts'
import { type Stack, startStack } from '../../local/stack/startStack.ts'
import { defined } from '../../shared/base/values.ts'
import { CLASS_PATH, nodeClass, nodePool, POOL_PATH, poolNamed } from '../e2e/clusterObjects.ts'
import { PATIENCE_MS, until } from '../e2e/until.ts'
import { type FaultProxies, openFaultProxies } from './faultProxies.ts'
import { LIMITED } from './load.ts'
import { LIMITED_MOST } from './plan.ts'

const SPEED = 40
const CPUS_A_MACHINE = 2

/** Short intervals: the timers find work again within seconds, so that a seed stays short. Production differs in the lengths only. */
const FAST_SETTINGS = {
  BATCH_IDLE_DURATION: '300ms',
  BATCH_MAX_DURATION: '2s',
  LAUNCH_LOCK_DURATION: '5s',
  GC_GRACE_DURATION: '5s',
  GC_DRAIN_DURATION: '10s',
  REGISTRATION_TIMEOUT: '90s',
  RESYNC_SCHEDULE: '*/4 * * * * *',
  DISRUPTION_SCHEDULE: '*/4 * * * * *',
  GC_SCHEDULE: '*/7 * * * * *',
  AzureFunctionsJobHost__extensions__queues__visibilityTimeout: '00:00:02',
}
const MESSAGE_LEASE_SECONDS = 10

/** The stack under test with a second host, a second shim and a proxy to each service. One environment plays many seeds. */
export type Environment = {
  readonly stack: Stack
  readonly plane: ControlPlane | undefined
  readonly proxies: FaultProxies
  /** The connection to storage that bypasses the proxies. */
  readonly storageConnection: string
  readonly processes: { readonly [Who in 'host' | 'second host' | 'shim' | 'second shim']: Child }
  /** The output of all processes since the seed began. */
  readonly told: string[]
  close(): Promise<void>
}

export async function openEnvironment(kind: 'embedded' | 'real'): Promise<Environment> {
  const parts = createOwnedParts()
  try {
    return await open(kind, parts)
  } catch (cause) {
    await parts.close()
    throw cause
  }
}

async function open(kind: 'embedded' | 'real', parts: ReturnType<typeof createOwnedParts>): Promise<Environment> {
  const directory = mkdtempSync(join(tmpdir(), 'joiner-chaos-'))
  await parts.own(() => rmSync(directory, { recursive: true, force: true }))
  const told: string[] = []
  const tell = (text: string): void => void told.push(text)
  const plane = kind === 'real' ? await startPlane(`${directory}-plane`) : undefined
  await parts.own(() => plane?.close())
  let proxies: FaultProxies | undefined
  let direct: Endpoints | undefined
  const stack = await startStack({
    speed: SPEED,
    directory: join(directory, 'stack'),
    kubernetesPort: 0,
    functionsPort: 0,
    appSettings: FAST_SETTINGS,
    messageLeaseSeconds: MESSAGE_LEASE_SECONDS,
    ...defined({ kubeconfig: plane?.kubeconfigFile }),
    throughProxies: async (given) => {
      direct = given
      const opened = await openFaultProxies(given, directory)
      proxies = opened.proxies
      const all = Object.values(opened.proxies)
      await parts.own(() => Promise.all(all.map((proxy) => proxy.close())))
      return opened.endpoints
    },
    booting: (machines) => bootingStraight(machines, () => ({ direct, over: stack.endpoints })),
    onAppLine: tell,
    onShimLine: tell,
    onNotice: tell,
  })
  await parts.own(() => stack.close())
  if (proxies === undefined || direct === undefined) throw new Error('the stack has not asked for its endpoints')
  const caFile = join(directory, 'stack', 'ca.pem')
  const settings = appSettings({ azure: stack.azure, endpoints: stack.endpoints, more: FAST_SETTINGS })
  const telling = { onLine: tell, onNotice: tell }
  const secondHost = startFunctions({ settings, caFile, port: 0, messageLeaseSeconds: MESSAGE_LEASE_SECONDS, ...telling }).child
  await parts.own(() => secondHost.stop())
  await stack.functions.ready()
  const to = { functionsUrl: stack.endpoints.functionsUrl, kubernetes: stack.endpoints }
  const secondShim = startShim({ azure: stack.azure, caFile, directory, ...to, podName: 'joiner-shim-2', ...telling })
  await parts.own(() => secondShim.stop())
  await secondHost.ready()
  await makePools(stack)
  return {
    stack,
    plane,
    proxies,
    storageConnection: direct.storageConnection,
    processes: { host: stack.functions.child, 'second host': secondHost, shim: stack.shim, 'second shim': secondShim },
    told,
    close: parts.close,
  }
}

async function makePools({ client }: Stack): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const limited = poolNamed('limited', {
    labels: LIMITED.nodeSelector,
    // The taint keeps other pods off the pool: its limit allows only a few machines.
    template: { taints: [{ key: 'team', value: 'limited', effect: 'NoSchedule' }] },
    spec: { limits: { cpu: String(LIMITED_MOST * CPUS_A_MACHINE) } },
  })
  for (const [path, body] of [
    [CLASS_PATH, nodeClass()],
    [POOL_PATH, nodePool()],
    [POOL_PATH, limited],
  ] as const) {
    const made = await client.send({ method: 'POST', path, body, signal })
    if (!made.ok) throw new Error(`POST ${path}: ${made.error.message}`)
  }
  await until(() => poolReady(client, signal).then(() => undefined, String))
}

/** Lets kubelets reach the API server directly. They are not under test, and the certificates of some do not pass a proxy. */
function bootingStraight(
  machines: MachineSource,
  endpoints: () => { readonly direct: Endpoints | undefined; readonly over: Endpoints },
): MachineSource {
  const redirected = (machine: Machine): Machine => {
    const { direct, over } = endpoints()
    if (direct === undefined) return machine
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const told = Buffer.from(machine.customData, 'base64').toString()
    const straightened = told
      .replaceAll(new URL(over.kubernetesUrl).host, new URL(direct.kubernetesUrl).host)
      .replaceAll(base64(over.kubernetesCa), base64(direct.kubernetesCa))
    return { ...machine, customData: base64(straightened) }
  }
  return {
    listen: ({ started, stopped }) => machines.listen({ started: (machine) => started(redirected(machine)), stopped }),
  }
}

async function startPlane(folder: string): Promise<ControlPlane> {
  const binaries = await findBinaries({ assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE, say: () => undefined })
  return startControlPlane({ binaries, folder })
}
