import { mkdir } from 'node:fs/promises'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { InternalError } from '../../shared/base/result.ts'
import { admit, type Judge } from './admission.ts'

export type Storage = {
  readonly connectionString: string
  readonly blobUrl: string
  readonly queueUrl: string
  close(): Promise<void>
}

export type StorageOptions = {
  /** The folder that keeps the content. Undefined keeps it in memory. */
  readonly dataDir?: string
  /** An account that is reached by its own name, over https and with Entra tokens. `connectionString` reaches the same account by its key. */
  readonly account?: NamedAccount
  /** Judges each request with a token. Undefined grants all requests. */
  readonly judge?: Judge
}

export type NamedAccount = {
  readonly name: string
  /** Files of the certificate and key (PEM) that the servers show. */
  readonly certificateFile: string
  readonly keyFile: string
}

/** The account and the key that every Azurite has. Both are public and good for nothing else. */
const ACCOUNT = 'devstoreaccount1'
const ACCOUNT_KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='
const WRITES_PER_FOLDER = 50
const KEEP_ALIVE_SECONDS = 30

/** The accounts of all storages that this process has started. */
const ACCOUNTS = new Set([ACCOUNT])

/**
 * Starts Azure Storage, blob and queue, in this process on free ports of the loopback address. The classes of Azurite are started without its
 * command line, which is the only part that would send telemetry or print.
 */
export async function startStorage(options: StorageOptions = {}): Promise<Storage> {
  const { dataDir, account } = options
  // The variable is the only way to pass the accounts: Azurite reads it again each minute, for every storage of this process.
  if (account !== undefined) {
    ACCOUNTS.add(account.name)
    process.env['AZURITE_ACCOUNTS'] = [...ACCOUNTS].map((name) => `${name}:${ACCOUNT_KEY}`).join(';')
  }
  if (dataDir !== undefined) await mkdir(dataDir, { recursive: true })
  const { BlobConfiguration, BlobServer, QueueConfiguration, QueueServer } = loadAzurite()
  const blob = new BlobServer(new BlobConfiguration(...configurationOf('blob', options)))
  const queue = new QueueServer(new QueueConfiguration(...configurationOf('queue', options)))
  if (options.judge !== undefined) {
    admit(blob.httpServer, 'blob', options.judge)
    admit(queue.httpServer, 'queue', options.judge)
  }
  await blob.start()
  try {
    await queue.start()
  } catch (cause) {
    await blob.close()
    throw cause
  }
  const name = account?.name ?? ACCOUNT
  const blobUrl = `${blob.getHttpServerAddress()}/${name}`
  const queueUrl = `${queue.getHttpServerAddress()}/${name}`
  const protocol = account === undefined ? 'http' : 'https'
  return {
    connectionString: `DefaultEndpointsProtocol=${protocol};AccountName=${name};AccountKey=${ACCOUNT_KEY};BlobEndpoint=${blobUrl};QueueEndpoint=${queueUrl};`,
    blobUrl,
    queueUrl,
    close: async () => {
      await Promise.all([blob.close(), queue.close()])
    },
  }
}

type Configuration = readonly [
  host: string,
  port: number,
  keepAliveSeconds: number,
  metadataPath: string,
  extentPath: string,
  persistence: readonly { readonly locationId: string; readonly locationPath: string; readonly maxConcurrency: number }[],
  enableAccessLog: boolean,
  accessLog: undefined,
  enableDebugLog: boolean,
  debugLogPath: undefined,
  loose: boolean,
  skipApiVersionCheck: boolean,
  cert: string,
  key: string,
  password: string,
  oauth: 'basic' | undefined,
  disableProductStyleUrl: boolean,
  inMemory: boolean,
]

type AzuriteServer = { readonly httpServer: Server; start(): Promise<void>; close(): Promise<void>; getHttpServerAddress(): string }
type ServerClass = new (configuration: object) => AzuriteServer
type ConfigurationClass = new (...args: Configuration) => object

/** The package has neither types nor a public entry for embedding. Its inner modules are named and typed here only. */
function loadAzurite() {
  return {
    BlobConfiguration: loadConfiguration('blob/BlobConfiguration'),
    BlobServer: loadServer('blob/BlobServer'),
    QueueConfiguration: loadConfiguration('queue/QueueConfiguration'),
    QueueServer: loadServer('queue/QueueServer'),
  }
}

const load: (module: string) => unknown = createRequire(import.meta.url)

function loadServer(module: string): ServerClass {
  const loaded = load(`azurite/dist/src/${module}.js`)
  const isServer = (value: unknown): value is { readonly default: ServerClass } => hasClass(value, 'getHttpServerAddress')
  if (isServer(loaded)) return loaded.default
  throw new InternalError(`azurite's ${module} is not the server class this program embeds: it was written for azurite 3.35`)
}

function loadConfiguration(module: string): ConfigurationClass {
  const loaded = load(`azurite/dist/src/${module}.js`)
  const isConfiguration = (value: unknown): value is { readonly default: ConfigurationClass } => hasClass(value, 'hasCert')
  if (isConfiguration(loaded)) return loaded.default
  throw new InternalError(`azurite's ${module} is not the configuration class this program embeds: it was written for azurite 3.35`)
}

/** Reports whether the default export of the module is a class with the method, which is as much of its type as can be checked here. */
function hasClass(module: unknown, method: string): boolean {
  if (typeof module !== 'object' || module === null || !('default' in module)) return false
  return typeof module.default === 'function' && method in module.default.prototype
}

function configurationOf(service: 'blob' | 'queue', { dataDir, account }: StorageOptions): Configuration {
  const folder = dataDir ?? ''
  return [
    '127.0.0.1',
    0,
    KEEP_ALIVE_SECONDS,
    join(folder, `${service}.json`),
    join(folder, `${service}-extents.json`),
    [{ locationId: 'Default', locationPath: join(folder, service), maxConcurrency: WRITES_PER_FOLDER }],
    false,
    undefined,
    false,
    undefined,
    false,
    true, // skips the API version check: the storage SDK speaks a newer version than the emulator knows, but the parts that we use are the same
    account?.certificateFile ?? '',
    account?.keyFile ?? '',
    '',
    account === undefined ? undefined : 'basic',
    false,
    dataDir === undefined,
  ]
}
