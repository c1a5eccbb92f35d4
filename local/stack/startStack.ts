import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '../../shared/base/values.ts'
import { networkLabelsOf } from '../azure/networkLabels.ts'
import { type LocalAzure, startAzure } from '../azure/startAzure.ts'
import { connectionFrom } from '../cluster/client/connection.ts'
import { createKubeClient, type KubeClient } from '../cluster/client/kubeClient.ts'
import { startControllers } from '../cluster/startControllers.ts'
import { startKubelets } from '../kubelet/startKubelets.ts'
import { type Storage, startStorage } from '../storage/startStorage.ts'
import { applyManifests } from './applyManifests.ts'
import { assignAppRoles } from './appRoles.ts'
import { appSettings } from './appSettings.ts'
import { attachCluster } from './attachedCluster.ts'
import type { Child } from './child.ts'
import type { StackCluster } from './cluster.ts'
import { startEmbeddedCluster } from './embeddedCluster.ts'
import type { Endpoints } from './endpoints.ts'
import { freePort } from './freePort.ts'
import { type FunctionsHost, requireSettings, startFunctions } from './functionsHost.ts'
import { APP_IDENTITY, SHIM_IDENTITY } from './identities.ts'
import { nameIssuer } from './nameIssuer.ts'
import { createOwnedParts, type OwnedParts } from './ownedParts.ts'
import { projectShimToken, removeShimPod, showShimRunning } from './shimPod.ts'
import { startShim } from './shimProcess.ts'
import type { StackOptions } from './stackOptions.ts'
import { watchEvictions } from './watchEvictions.ts'

/** The whole system on the loopback address. */
export interface Stack {
  readonly azure: LocalAzure
  readonly kubernetes: StackCluster
  readonly storage: Storage
  readonly endpoints: Endpoints
  readonly functions: FunctionsHost
  readonly shim: Child
  readonly client: KubeClient
  readonly kubeconfigFile: string
  /** Lets Azure evict the spot machine of a node, with the notice that its shim receives. */
  evict(node: string): Promise<void>
  /** Ends everything and removes its files. */
  close(): Promise<void>
}

/** A limit for requests that an API server answers at once. */
const READY_MS = 30_000

const CHART = join(import.meta.dirname, '..', '..', 'charts', 'joiner-crd', 'templates')

/** Starts the parts in the order of their dependencies. Started parts are ended again if a later part fails. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const parts = createOwnedParts()
  const stop = (): void => void parts.close()
  options.signal?.addEventListener('abort', stop)
  try {
    return await start(options, parts)
  } catch (cause) {
    await parts.close()
    throw cause
  } finally {
    options.signal?.removeEventListener('abort', stop)
  }
}

async function start(options: StackOptions, parts: OwnedParts): Promise<Stack> {
  const onNotice = options.onNotice ?? (() => undefined)
  mkdirSync(options.directory, { recursive: true })
  await parts.own(() => rmSync(options.directory, { recursive: true, force: true }))
  const [storage, azure] = await Promise.all([startStorage({}), startAzure(azureOptions(options))])
  await parts.own(() => Promise.all([storage.close(), azure.close()]))
  assignAppRoles(azure)
  const kubernetes = await clusterOf(options, azure)
  await parts.own(() => kubernetes.close())
  const { kubeconfigFile, source } = kubernetes
  const client = createKubeClient(connectionFrom(source))
  await parts.own(() => client.close())
  await installDefinitions(client)
  await nameIssuer(azure, client, AbortSignal.timeout(READY_MS))
  const machines = options.machinesFrom?.(azure.machines) ?? azure.machines
  const controllers = await startControllers({ ...source, which: kubernetes.controllers, speed: options.speed, machines })
  await parts.own(() => controllers.close())
  const kubelets = await startKubelets({
    machines: options.booting?.(machines) ?? machines,
    speed: options.speed,
    podWatch: source,
    credentials: kubernetes.credentials,
    networkLabels: networkLabelsOf(azure),
    ...defined({ podSpeed: options.podSpeed, hasNetwork: options.hasNetwork, programsOn: options.programsOn }),
  })
  await parts.own(() => kubelets.close())

  // The host keeps its port when it is started again, so it cannot take a new free port each time.
  const port = options.functionsPort === 0 ? await freePort() : options.functionsPort
  const { ending } = parts
  const pod = await shimPod(options, parts, client)
  const direct = directEndpoints({ azure, kubernetes, storage, shimEnv: { ...kubernetes.shimEnv, ...pod.env } }, port)
  const endpoints = (await options.throughProxies?.(direct)) ?? direct
  const caFile = join(options.directory, 'ca.pem')
  writeFileSync(caFile, endpoints.authorities)
  const settings = appSettings({ azure, endpoints, ...defined({ more: options.appSettings }) })
  const { messageLeaseSeconds, inspectPort, hostFile, harsh, settingsFile } = options
  const functions = startFunctions({
    settings,
    caFile,
    port,
    onLine: options.onAppLine,
    onNotice,
    ending,
    ...defined({ messageLeaseSeconds, inspectPort, hostFile, harsh, settingsFile }),
  })
  await parts.own(() => functions.child.stop())
  const { url, keys } = await requireSettings(await functions.ready())
  await functions.runTimer('timer')
  await azure.subscribe({
    name: 'interruption',
    endpoint: `${url}/runtime/webhooks/eventgrid?functionName=interruption&code=${keys.system}`,
  })
  const told = { azure, caFile, directory: options.directory, onLine: options.onShimLine, onNotice, ending }
  const shim = startShim({ ...told, functionsUrl: endpoints.functionsUrl, kubernetes: endpoints })
  await parts.own(() => shim.stop())
  await shim.ready()
  await pod.showRunning()
  const evictions = watchEvictions({ ...told, client })
  await parts.own(() => evictions.close())
  return { azure, kubernetes, storage, endpoints, functions, shim, client, kubeconfigFile, evict: evictions.evict, close: parts.close }
}

/** Makes the pod whose token the shim uses. Without it, the shim uses a token of the tenant. */
async function shimPod(
  { appSettings: more, directory, onNotice = () => undefined }: StackOptions,
  parts: OwnedParts,
  client: KubeClient,
): Promise<{ readonly env: Endpoints['shimEnv']; readonly showRunning: () => Promise<void> }> {
  if (more?.['SHIM_AUTH'] === 'entra') return { env: {}, showRunning: async () => undefined }
  await parts.own(() => removeShimPod(client))
  const file = await projectShimToken({ client, directory, onNotice, ending: parts.ending })
  return { env: { JOINER_TOKEN_FILE: file }, showRunning: () => showShimRunning(client, AbortSignal.timeout(READY_MS)) }
}

function clusterOf(
  { directory, kubeconfig, kubernetesPort, rightsByHelm, onNotice, signal }: StackOptions,
  azure: LocalAzure,
): Promise<StackCluster> {
  const surroundings = { azure, directory, onNotice: onNotice ?? (() => undefined) }
  if (kubeconfig === undefined) return startEmbeddedCluster(surroundings, kubernetesPort, rightsByHelm)
  return attachCluster(surroundings, kubeconfig, signal ?? new AbortController().signal)
}

type Ends = Pick<Stack, 'azure' | 'kubernetes' | 'storage'> & Pick<Endpoints, 'shimEnv'>

function directEndpoints({ azure, kubernetes, storage, shimEnv }: Ends, port: number): Endpoints {
  return {
    armUrl: azure.armUrl,
    kubernetesUrl: kubernetes.url,
    kubernetesCa: kubernetes.caCertificate,
    storageConnection: storage.connectionString,
    shimEnv,
    functionsUrl: `http://127.0.0.1:${port}`,
    authorities: `${azure.caCertificate}\n${kubernetes.caCertificate}`,
  }
}

function azureOptions({ speed, quotaCores, familyCores, sizes }: StackOptions): Parameters<typeof startAzure>[0] {
  const quota = {
    ...(quotaCores === undefined ? {} : { regionalCores: quotaCores, spotCores: quotaCores }),
    ...(familyCores === undefined ? {} : { familyCores, spotCores: familyCores }),
  }
  return { speed, managedIdentities: [APP_IDENTITY], clients: [SHIM_IDENTITY], needsRoles: true, quota, ...defined({ sizes }) }
}

async function installDefinitions(client: KubeClient): Promise<void> {
  const signal = AbortSignal.timeout(READY_MS)
  for (const file of readdirSync(CHART).filter((name) => name.endsWith('.yaml'))) await applyManifests(client, join(CHART, file), signal)
}
