import { type AzureOptions, createAzureExporting } from '../../shared/adapters/telemetry/azureExporting.ts'
import { type AzureTelemetry, createAzureTelemetry } from '../../shared/adapters/telemetry/azureTelemetry.ts'
import { createRedaction } from '../../shared/adapters/telemetry/redact.ts'
import { type EpochMs, epochMs } from '../../shared/model/units.ts'
import { createIngestion, type Ingestion } from './ingestion.ts'

const KEY = '11111111-2222-4333-8444-555555555555'
export const TOKEN = 'token-of-the-identity'
export const CONNECTION = `InstrumentationKey=${KEY};IngestionEndpoint=https://westeurope-5.in.applicationinsights.azure.com/`

type HttpClient = NonNullable<AzureOptions['httpClient']>
type HttpHeaders = Awaited<ReturnType<HttpClient['sendRequest']>>['headers']

export type Monitored = {
  readonly telemetry: AzureTelemetry
  /** The telemetry of another process. */
  readonly start: () => AzureTelemetry
  readonly ingestion: Ingestion
  /** Of its own, where no other was given. */
  readonly clock: { now: () => EpochMs; pass: (ms: number) => void }
  /** Requests that wait for their answer; `answer` gives it. Only with `slow`. */
  readonly waiting: readonly (() => void)[]
  /** How often the package was loaded. */
  readonly loads: () => number
}

export type MonitoredOptions = {
  readonly secrets?: readonly string[]
  /** Answers come only when they are given. */
  readonly slow?: boolean
  /** The network is down while this says so. */
  readonly isDown?: () => boolean
  readonly credential?: AzureOptions['credential']
  /** The time of rows, and of ingestion. Default: that of this machine, and what passed. */
  readonly now?: () => EpochMs
}

/** The real telemetry and Azure's real exporter, by its whole pipeline, against an ingestion endpoint in this process. */
export function createMonitored({
  secrets = [],
  slow = false,
  isDown = () => false,
  credential = CREDENTIAL,
  now,
}: MonitoredOptions = {}): Monitored {
  let passed = 0
  let loads = 0
  const waiting: (() => void)[] = []
  const startedAt = Date.now()
  const clock = { now: now ?? (() => epochMs(startedAt + passed)), pass: (ms: number) => void (passed += ms) }
  const ingestion = createIngestion({ instrumentationKey: KEY, token: TOKEN, now: now ?? Date.now })
  const httpClient: HttpClient = {
    async sendRequest(request) {
      if (isDown()) throw new TypeError('fetch failed')
      const { method, url } = request
      const answer = ingestion.answer({
        method,
        url,
        headers: request.headers.toJSON(),
        body: Buffer.from(request.body as Uint8Array | string),
      })
      if (slow) await new Promise<void>((resolve) => waiting.push(resolve))
      return { request, status: answer.status, headers: headersOf(answer.headers), bodyAsText: answer.body }
    },
  }
  const start = (): AzureTelemetry =>
    createAzureTelemetry({
      clock,
      redact: createRedaction([CONNECTION, ...secrets]),
      load: async () => {
        loads += 1
        return createAzureExporting({ connectionString: CONNECTION, credential, role: 'joiner', instance: 'one', httpClient }, clock.now)
      },
    })
  return { telemetry: start(), start, ingestion, clock, waiting, loads: () => loads }
}

function headersOf(named: { readonly [name: string]: string }): HttpHeaders {
  const headers = new Map(Object.entries(named))
  return {
    get: (name) => headers.get(name.toLowerCase()),
    has: (name) => headers.has(name.toLowerCase()),
    set: (name, value) => void headers.set(name.toLowerCase(), String(value)),
    delete: (name) => void headers.delete(name.toLowerCase()),
    toJSON: () => Object.fromEntries(headers),
    [Symbol.iterator]: () => headers[Symbol.iterator](),
  }
}

const CREDENTIAL = { getToken: () => Promise.resolve({ token: TOKEN, expiresOnTimestamp: Number.MAX_SAFE_INTEGER }) }
