import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Answer, sentAs } from './answer.ts'
import { type Envelope, envelopeOf, metricOf } from './envelopes.ts'
import type { Exporting, Sent } from './exported.ts'

const compress = promisify(gzip)

export type AzureOptions = {
  readonly connectionString: string
  /** The identity that sends. Absent: the connection string is enough. */
  readonly credential?: { getToken(scope: string): Promise<{ readonly token: string } | null> }
  /** The name of the app. `instance` names this process of it. */
  readonly role: string
  readonly instance: string
  /** Replaces the HTTP client of the platform. */
  readonly post?: Post
}

export type Posting = {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array<ArrayBuffer>
}
export type Posted = Answer & { readonly location?: string | undefined }
export type Post = (request: Posting) => Promise<Posted>

const TIMEOUT_MS = 30_000
const PUBLIC_AUDIENCE = 'https://monitor.azure.com/'
/** Hosts of the ingestion by cloud. A redirect to any other host would hand the rows and the token of the identity to a stranger. */
const INGESTION_HOSTS = [
  /\.(monitor\.azure|applicationinsights\.azure|services\.visualstudio)\.com$/,
  /\.(monitor|applicationinsights)\.azure\.us$/,
  /\.(monitor|applicationinsights)\.azure\.cn$/,
]
const REDIRECTS: ReadonlySet<number> = new Set([307, 308])

/** Sends rows to the component of Azure Monitor that the connection string names. */
export function createAzureExporting(options: AzureOptions, now: () => number): Exporting {
  const { role, instance, credential, post = postWithFetch } = options
  const { instrumentationKey, audience, ...destination } = destinationOf(options.connectionString)
  const sender = { instrumentationKey, role, instance }
  let { endpoint } = destination

  async function answerTo(body: Uint8Array<ArrayBuffer>): Promise<Answer> {
    const token = (await credential?.getToken(`${audience}/.default`))?.token
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip', ...authorization }
    const send = (): Promise<Posted> => post({ url: `${endpoint}/v2.1/track`, headers, body })
    const answer = await send()
    const moved = REDIRECTS.has(answer.status) ? movedTo(answer.location, endpoint) : undefined
    if (moved === undefined) return answer
    endpoint = moved
    return send()
  }

  async function sent(envelopes: readonly Envelope[]): Promise<Sent> {
    if (envelopes.length === 0) return { again: [], refused: 0 }
    const body = await compress(JSON.stringify(envelopes))
    // Without an answer, and without a token, all rows are sent again.
    const answer = await answerTo(body).catch(() => undefined)
    return sentAs(envelopes.length, answer, now())
  }

  return {
    rows: (rows) => sent(rows.map((row) => envelopeOf(row, sender))),
    points: (points) => sent(points.map((point) => metricOf(point, now(), sender))),
  }
}

/** Reads a connection string: https://learn.microsoft.com/azure/azure-monitor/app/connection-strings. */
function destinationOf(connectionString: string) {
  const part = (name: string): string | undefined => new RegExp(`(?:^|;)\\s*${name}=([^;]*)`, 'i').exec(connectionString)?.[1]?.trim()
  const suffix = part('EndpointSuffix')
  const ofSuffix = suffix === undefined ? 'https://dc.services.visualstudio.com' : `https://dc.${suffix}`
  return {
    instrumentationKey: part('InstrumentationKey') ?? '',
    endpoint: (part('IngestionEndpoint') ?? ofSuffix).replace(/\/$/, ''),
    audience: part('AADAudience') ?? PUBLIC_AUDIENCE,
  }
}

/** Returns the endpoint that a redirect leads to. Undefined if it leads out of the ingestion of this cloud. */
function movedTo(location: string | undefined, endpoint: string): string | undefined {
  if (location === undefined || !URL.canParse(location)) return undefined
  const [to, from] = [new URL(location), new URL(endpoint)]
  const isWithin = INGESTION_HOSTS.some((hosts) => hosts.test(to.hostname) && hosts.test(from.hostname))
  return isWithin && to.port === '' ? `https://${to.hostname}` : undefined
}

async function postWithFetch({ url, headers, body }: Posting): Promise<Posted> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch(url, { method: 'POST', redirect: 'manual', headers, body, signal })
  const header = (name: string): string | undefined => response.headers.get(name) ?? undefined
  return { status: response.status, body: await response.text(), retryAfter: header('retry-after'), location: header('location') }
}
