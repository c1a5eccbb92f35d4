import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccessRow } from '../../local/azure/arm/authorization/access.ts'
import type { KubeRequest } from '../../local/cluster/client/kubeClient.ts'
import { CACHE, findBinaries } from '../../local/controlplane/binaries.ts'
import { type ControlPlane, startControlPlane } from '../../local/controlplane/startControlPlane.ts'
import type { AppLine } from '../../local/demo/appLine.ts'
import { createSaidLines } from '../../local/demo/saidLines.ts'
import { appSettings } from '../../local/stack/appSettings.ts'
import type { Child } from '../../local/stack/child.ts'
import { type FunctionsHost, startFunctions } from '../../local/stack/functionsHost.ts'
import { removeRights } from '../../local/stack/installRights.ts'
import { poolReady } from '../../local/stack/poolReady.ts'
import { startShim } from '../../local/stack/shimProcess.ts'
import type { StackOptions } from '../../local/stack/stackOptions.ts'
import { type Stack, startStack } from '../../local/stack/startStack.ts'
import { ownEverything } from '../azure/armCall.ts'
import { requireGranted } from './azureRows.ts'
import { CLASS_PATH, DEPLOYMENT_PATH, deployment, nodeClass, nodePool, POOL_PATH } from './clusterObjects.ts'
import { inventoryProblem, takeInventory } from './inventory.ts'
import { PATIENCE_MS, until } from './until.ts'

const SPEED = 40

export type EnvironmentOptions = Pick<StackOptions, 'appSettings' | 'booting' | 'hasNetwork' | 'rightsByHelm'> & {
  /** Runs on a real control plane. Default: on the embedded one. */
  readonly isReal?: boolean
  readonly capacityTypes?: readonly string[]
  /** Called with the audit log of a real control plane, after everything has ended that appears in it. */
  readonly onAudit?: (plane: Pick<ControlPlane, 'auditFile' | 'restarts'>) => void
  /** Called at the end with the actions that ARM checked. Default: checks that none was denied. */
  readonly onAzureAudit?: (rows: readonly AccessRow[]) => void
}

/** A running stack with a pool of small machines. Many scenarios use it, one after another. */
export interface Environment {
  readonly stack: Stack
  /** The real control plane. Undefined on the embedded one. */
  readonly plane: ControlPlane | undefined
  readonly directory: string
  /** The log lines of the function app since the scenario began. */
  said(): readonly AppLine[]
  /** Waits for a line of the app, up to the limit of `until`. Resolves at once when the line comes, so that a test can strike at that moment. */
  whenSaid(text: RegExp): Promise<AppLine>
  /** Waits for a request that ARM answered. */
  whenAsked(method: string, type: string): Promise<void>
  /** Creates the deployment or changes its replicas. */
  scale(name: string, replicas: number): Promise<void>
  send(request: Omit<KubeRequest, 'signal'>): Promise<unknown>
  /** Creates an object in the collection at the path. The object is removed before the next scenario. */
  make(path: string, body: object): Promise<void>
  patch(path: string, body: object): Promise<void>
  remove(path: string): Promise<void>
  /** Undefined if there is no such object. */
  get<Item>(path: string): Promise<Item | undefined>
  /** Waits for the end state with this number of pods: all run, and every object has its owner. */
  settle(pods: number): Promise<void>
  /** Names of the machines that Azure agreed to create since the scenario began, whatever became of them. */
  machinesMade(): readonly string[]
  /** Removes the objects of the scenario before, waits until nothing is left, and clears the records. */
  begin(): Promise<void>
  /** Ends the shim and removes the rights of the chart, as `helm uninstall` does. Requests that are denied from now on are not judged. */
  uninstallChart(): Promise<void>
  /** Starts a second host on the same storage. */
  startHost(): FunctionsHost
  /** Starts a second shim. It stands by until the first one stops leading. */
  startShim(): Promise<Child>
  close(): Promise<void>
}

export async function startEnvironment(options: EnvironmentOptions = {}): Promise<Environment> {
  const directory = mkdtempSync(join(tmpdir(), 'joiner-e2e-'))
  const lines = createSaidLines()
  const { listen: say, listenToApp: onAppLine } = lines
  const { isReal, capacityTypes, onAudit, onAzureAudit, ...stackOptions } = options
  const plane = isReal === true ? await startPlane(directory) : undefined
  const stack = await startStackOn(plane, {
    ...stackOptions,
    appSettings: { AzureFunctionsJobHost__extensions__queues__maxPollingInterval: '00:00:02', ...stackOptions.appSettings },
    speed: SPEED,
    directory,
    kubernetesPort: 0,
    functionsPort: 0,
    onAppLine,
    onShimLine: say,
    onNotice: say,
  })
  ownEverything(stack.azure)
  const others: Child[] = []
  const deployed = new Set<string>()
  const made = new Set<string>()
  let uninstalledAt: number | undefined

  async function send(request: Omit<KubeRequest, 'signal'>): Promise<unknown> {
    const got = await stack.client.send({ ...request, signal: AbortSignal.timeout(PATIENCE_MS) })
    if (!got.ok) throw new Error(`${request.method} ${request.path}: ${got.error.message}`)
    return got.value
  }

  async function scale(name: string, replicas: number): Promise<void> {
    deployed.add(name)
    const body = { spec: { replicas } }
    const path = `${DEPLOYMENT_PATH}/${name}`
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const patched = await stack.client.send({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json', signal })
    if (!patched.ok) await send({ method: 'POST', path: DEPLOYMENT_PATH, body: deployment(name, replicas) })
  }

  const patch = async (path: string, body: object): Promise<void> => {
    await send({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' })
  }

  async function get<Item>(path: string): Promise<Item | undefined> {
    const got = await stack.client.send<Item>({ method: 'GET', path, signal: AbortSignal.timeout(PATIENCE_MS) })
    return got.ok ? got.value : undefined
  }

  async function remove(path: string): Promise<void> {
    const query = { propagationPolicy: 'Background' }
    const removed = await stack.client.send({ method: 'DELETE', path, query, signal: AbortSignal.timeout(PATIENCE_MS) })
    if (!removed.ok && removed.error.code !== 404) throw new Error(`DELETE ${path}: ${removed.error.message}`)
    made.delete(path)
  }

  async function settle(pods: number): Promise<void> {
    try {
      // An inventory that cannot be read, for example while the API server is away, counts as not settled.
      await until(() => takeInventory(stack).then((inventory) => inventoryProblem(inventory, pods), String))
    } catch (cause) {
      throw new Error([String(cause), ...lines.lately()].join('\n'), { cause })
    }
  }

  await send({ method: 'POST', path: CLASS_PATH, body: nodeClass() })
  await send({ method: 'POST', path: POOL_PATH, body: nodePool(capacityTypes) })
  await poolReady(stack.client, AbortSignal.timeout(PATIENCE_MS))

  return {
    stack,
    plane,
    directory,
    send,
    async make(path, body) {
      await send({ method: 'POST', path, body })
      made.add(`${path}/${nameOf(body)}`)
    },
    patch,
    remove,
    get,
    settle,
    said: lines.ofApp,
    whenSaid: (text) => lines.when(text, PATIENCE_MS),
    whenAsked: (method, type) => {
      const before = stack.azure.requests.count({ method, type })
      return until(() => (stack.azure.requests.count({ method, type }) > before ? undefined : `no ${method} of ${type} came`))
    },
    scale,
    machinesMade() {
      const puts = stack.azure.requests
        .all()
        .filter(({ method, type, status }) => method === 'PUT' && type === 'virtualMachines' && status < 300)
      return [...new Set(puts.flatMap(({ name }) => name ?? []))].sort()
    },
    async begin() {
      stack.azure.script.clear()
      for (const name of deployed) await scale(name, 0)
      // The last objects first, so pods go before pools.
      const before = [...made].reverse()
      for (const path of before) await remove(path)
      await settle(0)
      // An AKSNodeClass goes a moment after the last of its claims.
      for (const path of before.filter((each) => each.startsWith(CLASS_PATH)))
        await until(async () => ((await get(path)) === undefined ? undefined : `${path} is still there`))
      stack.azure.requests.clear()
      lines.forget()
    },
    async uninstallChart() {
      if (options.rightsByHelm === undefined) throw new Error('the rights are not those of the chart: set rightsByHelm')
      uninstalledAt = Date.now()
      await stack.shim.stop()
      await removeRights(stack.client, options.rightsByHelm, AbortSignal.timeout(PATIENCE_MS))
    },
    startHost() {
      const settings = appSettings({ azure: stack.azure, endpoints: stack.endpoints })
      const host = startFunctions({ settings, caFile: join(directory, 'ca.pem'), port: 0, onLine: onAppLine, onNotice: say })
      others.push(host.child)
      return host
    },
    async startShim() {
      const { url } = await stack.functions.ready()
      const { azure, endpoints: kubernetes } = stack
      const caFile = join(directory, 'ca.pem')
      const to = { functionsUrl: url }
      const shim = startShim({ azure, kubernetes, caFile, directory, ...to, podName: 'joiner-shim-2', onLine: say, onNotice: say })
      others.push(shim)
      return shim
    },
    async close() {
      await Promise.all(others.map((child) => child.stop()))
      await stack.close()
      try {
        if (plane !== undefined) onAudit?.(withoutRights(plane, uninstalledAt))
        const judge = onAzureAudit ?? requireGranted
        judge(stack.azure.access.rows())
      } finally {
        await plane?.close()
      }
    },
  }
}

/** The audit log, whose requests after the removal of the rights are not judged. */
function withoutRights({ auditFile, restarts }: ControlPlane, from: number | undefined): Pick<ControlPlane, 'auditFile' | 'restarts'> {
  return { auditFile, restarts: from === undefined ? restarts : [...restarts, { from, to: Number.POSITIVE_INFINITY }] }
}

function nameOf(body: object): string {
  const { metadata } = body as { readonly metadata: { readonly name: string } }
  return metadata.name
}

async function startPlane(directory: string): Promise<ControlPlane> {
  const binaries = await findBinaries({ assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE, say: () => undefined })
  return startControlPlane({ binaries, folder: `${directory}-plane` })
}

async function startStackOn(plane: ControlPlane | undefined, options: StackOptions): Promise<Stack> {
  if (plane === undefined) return startStack(options)
  try {
    return await startStack({ ...options, kubeconfig: plane.kubeconfigFile })
  } catch (cause) {
    await plane.close()
    throw cause
  }
}
