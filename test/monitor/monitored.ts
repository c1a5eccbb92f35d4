import { type AzureOptions, createAzureExporting, type Post } from '../../shared/adapters/telemetry/azureExporting.ts'
import { type AzureTelemetry, createAzureTelemetry } from '../../shared/adapters/telemetry/azureTelemetry.ts'
import { createRedaction } from '../../shared/adapters/telemetry/redact.ts'
import { type EpochMs, epochMs } from '../../shared/model/units.ts'
import { createIngestion, type Ingestion } from './ingestion.ts'

const KEY = '11111111-2222-4333-8444-555555555555'
export const TOKEN = 'token-of-the-identity'
export const CONNECTION = `InstrumentationKey=${KEY};IngestionEndpoint=https://westeurope-5.in.applicationinsights.azure.com/`

export type Monitored = {
  readonly telemetry: AzureTelemetry
  /** Starts the telemetry of another process. */
  readonly start: () => AzureTelemetry
  readonly ingestion: Ingestion
  /** The clock that the test moves, unless `now` was given. */
  readonly clock: { now: () => EpochMs; pass: (ms: number) => void }
  /** Requests without an answer yet. Each function sends the answer. Only with `slow`. */
  readonly waiting: readonly (() => void)[]
}

export type MonitoredOptions = {
  readonly secrets?: readonly string[]
  /** Answers come only when the test sends them. */
  readonly slow?: boolean
  /** The network is down while this returns true. */
  readonly isDown?: () => boolean
  readonly credential?: AzureOptions['credential']
  /** The time of rows and of the ingestion. Default: the time of this machine plus the time passed by `clock`. */
  readonly now?: () => EpochMs
}

/** The real telemetry, connected to an ingestion endpoint in this process. */
export function createMonitored({
  secrets = [],
  slow = false,
  isDown = () => false,
  credential = CREDENTIAL,
  now,
}: MonitoredOptions = {}): Monitored {
  let passed = 0
  const waiting: (() => void)[] = []
  const startedAt = Date.now()
  const clock = { now: now ?? (() => epochMs(startedAt + passed)), pass: (ms: number) => void (passed += ms) }
  const ingestion = createIngestion({ instrumentationKey: KEY, token: TOKEN, now: now ?? Date.now })
  const post: Post = async ({ url, headers, body }) => {
    if (isDown()) throw new TypeError('fetch failed')
    const answer = ingestion.answer({ method: 'POST', url, headers, body })
    if (slow) await new Promise<void>((resolve) => waiting.push(resolve))
    const { 'retry-after': retryAfter, location } = answer.headers
    return { status: answer.status, body: answer.body, retryAfter, location }
  }
  const start = (): AzureTelemetry =>
    createAzureTelemetry({
      clock,
      redact: createRedaction([CONNECTION, ...secrets]),
      exporting: createAzureExporting({ connectionString: CONNECTION, credential, role: 'joiner', instance: 'one', post }, clock.now),
    })
  return { telemetry: start(), start, ingestion, clock, waiting }
}

const CREDENTIAL = { getToken: () => Promise.resolve({ token: TOKEN }) }
