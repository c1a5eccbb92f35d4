import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { BlobServiceClient } from '@azure/storage-blob'
import { QueueServiceClient } from '@azure/storage-queue'
import { textAt } from '../../../local/azure/json.ts'
import { type Internet, startInternet } from '../../../local/internet/startInternet.ts'
import { type Child, startChild } from '../../../local/stack/child.ts'
import { freePort } from '../../../local/stack/freePort.ts'
import { startStorage } from '../../../local/storage/startStorage.ts'
import { defined } from '../../../shared/base/values.ts'
import { createIngestion, type Ingestion } from '../../../test/monitor/ingestion.ts'
import { repositoryRoot } from '../../floors.ts'
import { createDataRights, type DataRights } from '../dataRights.ts'
import { type ReleaseParts, unpackZip } from '../releaseParts.ts'
import type { DeployerPlace } from './deployerPlace.ts'
import { type Installation, installationIn, networkOf } from './installation.ts'
import { createNameService, type Servers } from './names.ts'
import type { World } from './startWorld.ts'

// Starts what `azd up` starts: storage as the template created it, the package of the app, the charts and their pods.

export interface Platform {
  readonly installation: Installation
  /** Records who used which data in storage. */
  readonly dataRights: DataRights
  readonly servers: Servers
  readonly ingestion: Ingestion
  /** The internet as the app sees it, and as a pod of the cluster sees it. */
  readonly ofApp: Internet
  readonly ofCluster: Internet
  /** Starts the package, in place of the one that runs. Returns the names of its functions. */
  deploy(release: Pick<ReleaseParts, 'zipFile'>): Promise<{ readonly functions: readonly string[]; readonly url: string }>
  /** Ends the app for good. */
  stopApp(): Promise<void>
  /** The last lines of the app and of pods, printed after a failure. */
  readonly lines: readonly string[]
  say(line: string): void
}

const KEPT_LINES = 400

export async function startPlatform(world: World, place: DeployerPlace): Promise<Platform> {
  const { azure, authority, parts } = world
  const installation = installationIn(world)
  const dataRights = createDataRights(azure.resources(), installation.storageId)
  const storage = await startAccount(world, installation, dataRights)
  const ingestion = createIngestion({ instrumentationKey: installation.instrumentationKey, now: Date.now })
  const ingestionUrl = await serveIngestion(ingestion, parts)
  let appUrl: string | undefined
  let stop: () => Promise<unknown> = () => Promise.resolve()
  const servers = serversOf(world, { fixed: place.fixed, storage, ingestionUrl }, () =>
    appUrl === undefined ? undefined : { url: appUrl },
  )
  place.enter((host) => createNameService(azure.resources, servers, { name: 'deployer', networkId: place.networkId() })(host))
  const from = async (name: string, networkId: string | undefined): Promise<Internet> => {
    const internet = await startInternet(authority, createNameService(azure.resources, servers, { name, networkId }))
    await parts.own(() => internet.close())
    return internet
  }
  const ofApp = await from('app', installation.appNetworkId)
  const ofCluster = await from('cluster', networkOf(azure.subnetId))
  const lines: string[] = []
  const say = (line: string): void => {
    lines.push(line)
    if (lines.length > KEPT_LINES) lines.shift()
  }
  return {
    installation,
    dataRights,
    servers,
    ingestion,
    ofApp,
    ofCluster,
    lines,
    say,
    async stopApp() {
      await stop()
    },
    async deploy(release) {
      await stop()
      const folder = join(world.directory, 'site')
      rmSync(folder, { recursive: true, force: true })
      unpackZip(release.zipFile, folder)
      const keys = { host: newKey(), master: newKey(), system: newKey() }
      const port = await freePort()
      const app = startApp(world, { installation, internet: ofApp, folder, port, keys }, say)
      await parts.own(() => app.child.stop())
      stop = () => app.child.stop()
      const functions = await app.functions()
      appUrl = `http://127.0.0.1:${port}`
      listFunctions(azure, installation, functions)
      world.outlets.setApp({ siteId: installation.site.id, url: appUrl, systemKey: keys.system })
      return { functions, url: appUrl }
    },
  }
}

/** Azure lists the functions of an app once its code runs. */
function listFunctions(azure: World['azure'], { site, siteName }: Installation, functions: readonly string[]): void {
  for (const name of functions)
    azure.putResource({ id: `${site.id}/functions/${name}`, name: `${siteName}/${name}`, type: 'Microsoft.Web/sites/functions' })
}

type Account = Awaited<ReturnType<typeof startAccount>>

type Made = { readonly fixed: Servers['fixed']; readonly storage: Account; readonly ingestionUrl: string }

function serversOf({ azure, authority }: World, { fixed, storage, ingestionUrl }: Made, app: Servers['app']): Servers {
  const ca = azure.caCertificate
  return {
    fixed,
    blob: { url: new URL(storage.blobUrl).origin, ca: authority.certificate },
    queue: { url: new URL(storage.queueUrl).origin, ca: authority.certificate },
    topics: { url: new URL(azure.topicEndpoint).origin, ca },
    kudu: { url: azure.kuduUrl, ca },
    app,
    ingestion: { url: ingestionUrl },
  }
}

const newKey = (): string => randomBytes(32).toString('base64url')

/** Starts storage with the account, containers and queues of the template. Under the account's name it accepts tokens only. */
async function startAccount({ authority, directory, outlets, parts }: World, installation: Installation, { judge }: DataRights) {
  const names = ['blob', 'queue'].map((service) => `${installation.storageName}.${service}.core.windows.net`)
  const { certificate, key } = await authority.issue({ subject: 'CN=storage', usage: 'server', dnsNames: names })
  const [certificateFile, keyFile] = [join(directory, 'storage.crt'), join(directory, 'storage.key')]
  writeFileSync(certificateFile, certificate)
  writeFileSync(keyFile, key)
  setDefaultCACertificates([...getCACertificates('default'), authority.certificate])
  const storage = await startStorage(defined({ account: { name: installation.storageName, certificateFile, keyFile }, judge }))
  await parts.own(() => storage.close())
  const blobs = BlobServiceClient.fromConnectionString(storage.connectionString)
  for (const name of installation.containers) await blobs.getContainerClient(name).create()
  const queues = QueueServiceClient.fromConnectionString(storage.connectionString)
  for (const name of installation.queues) await queues.getQueueClient(name).create()
  outlets.setStorage(installation.storageId, storage.connectionString)
  return storage
}

async function serveIngestion(ingestion: Ingestion, parts: World['parts']): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    void buffer(incoming).then((body) => {
      const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]))
      const answer = ingestion.answer({ method: incoming.method ?? '', url: `https://ingestion${incoming.url ?? '/'}`, headers, body })
      outgoing.writeHead(answer.status, answer.headers).end(answer.body)
    })
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await parts.own(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${port}`
}

type AppOptions = {
  readonly installation: Installation
  readonly internet: Internet
  readonly folder: string
  readonly port: number
  readonly keys: object
}

/** Starts the package in an empty folder, with the settings of the template and those that the platform adds. */
function startApp(
  { azure, caFile, apiServer }: World,
  options: AppOptions,
  onLine: (line: string) => void,
): { readonly child: Child; functions(): Promise<readonly string[]> } {
  const { installation, internet, folder, port, keys } = options
  mkdirSync(folder, { recursive: true })
  let names: readonly string[] = []
  const host = join(repositoryRoot, 'local', 'host', 'main.ts')
  const child = startChild({
    name: 'the functions host',
    args: [
      ...internet.argsOf({ [apiServer.host]: apiServer.port }),
      host,
      '--app',
      folder,
      '--host-json',
      join(folder, 'host.json'),
      '--port',
      String(port),
      '--host-id',
      installation.siteName.slice(0, 32),
      '--keys',
      JSON.stringify(keys),
    ],
    cwd: folder,
    env: { ...installation.settings, ...platformSettings(azure, installation), NODE_EXTRA_CA_CERTS: caFile },
    isReady: (line) => {
      if (!line.startsWith('{"ready":true')) return false
      const ready: { readonly functions: readonly string[] } = JSON.parse(line)
      names = ready.functions
      return true
    },
    onLine,
    onNotice: onLine,
  })
  return {
    child,
    async functions() {
      await child.ready()
      return names
    },
  }
}

/** Returns the variables that Azure adds to the environment of every app. */
function platformSettings(azure: World['azure'], { site, siteName }: Installation): Record<string, string> {
  return {
    IDENTITY_ENDPOINT: azure.identityEndpoint,
    IDENTITY_HEADER: azure.identityHeader,
    WEBSITE_SITE_NAME: siteName,
    WEBSITE_HOSTNAME: textAt(site, 'properties.defaultHostName') ?? '',
  }
}
