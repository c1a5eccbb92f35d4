// The known behaviour of Azure Monitor's ingestion for `POST /v2.1/track`: rows in the tables of the workspace, and refusals.
import { gunzipSync } from 'node:zlib'
import { type Envelope, rowOf, type TableRow } from './tables.ts'

export type TrackRequest = {
  readonly method: string
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array
}
export type TrackAnswer = { readonly status: number; readonly headers: { readonly [name: string]: string }; readonly body: string }

/** The answer of the next request in place of success. `rows`: the places of the refused rows of a partial success, with the status of each. */
export type Trouble =
  | { readonly status: 401 | 402 | 403 | 408 | 429 | 439 | 500 | 503; readonly retryAfter?: string }
  | { readonly status: 307 | 308; readonly location: string }
  | { readonly status: 206; readonly rows: { readonly [place: number]: number } }

export type Ingestion = {
  answer(request: TrackRequest): TrackAnswer
  /** The answers of the next requests, one each, in order. */
  trouble(...troubles: readonly Trouble[]): void
  rows(table: string): readonly TableRow[]
  readonly requests: readonly TrackRequest[]
  /** All received texts, decompressed, also those that were refused. */
  readonly texts: readonly string[]
  /** Bytes of the accepted rows, as JSON. */
  readonly bytes: number
}

export type IngestionOptions = {
  readonly instrumentationKey: string
  /** The token that calls must carry. Absent: the key is enough. */
  readonly token?: string
  readonly now: () => number
}

const LONGEST_ROW = 64 * 1024
const OLDEST_MS = 48 * 3_600_000
const NEWEST_MS = 24 * 3_600_000

export function createIngestion({ instrumentationKey, token, now }: IngestionOptions): Ingestion {
  const tables = new Map<string, TableRow[]>()
  const troubles: Trouble[] = []
  const requests: TrackRequest[] = []
  const texts: string[] = []
  let bytes = 0

  function taken(envelope: Envelope): void {
    const { table, row } = rowOf(envelope)
    const rows = tables.get(table) ?? []
    rows.push(row)
    tables.set(table, rows)
    bytes += JSON.stringify(envelope).length
  }

  function take(text: string, refusals: { readonly [place: number]: number }): TrackAnswer {
    const envelopes = envelopesIn(text)
    if (envelopes === undefined)
      return { status: 400, headers: {}, body: '{"errors":[{"index":0,"statusCode":400,"message":"invalid JSON"}]}' }
    const errors = envelopes.flatMap((envelope, index) => {
      const asked = refusals[index]
      if (asked !== undefined) return [{ index, statusCode: asked, message: 'as asked' }]
      const message = wrongIn(envelope, instrumentationKey, now())
      if (message !== undefined) return [{ index, statusCode: 400, message }]
      taken(envelope)
      return []
    })
    const accepted = envelopes.length - errors.length
    const status = errors.length === 0 ? 200 : accepted === 0 ? 400 : 206
    return { status, headers: {}, body: JSON.stringify({ itemsReceived: envelopes.length, itemsAccepted: accepted, errors }) }
  }

  return {
    trouble: (...more) => void troubles.push(...more),
    rows: (table) => tables.get(table) ?? [],
    requests,
    texts,
    get bytes() {
      return bytes
    },
    answer(request) {
      requests.push(request)
      const { pathname } = new URL(request.url)
      if (request.method !== 'POST' || pathname !== '/v2.1/track') return { status: 404, headers: {}, body: '' }
      const isGzip = request.headers['content-encoding'] === 'gzip'
      const text = Buffer.from(isGzip ? gunzipSync(request.body) : request.body).toString('utf8')
      texts.push(text)
      if (token !== undefined && request.headers['authorization'] !== `Bearer ${token}`) return { status: 401, headers: {}, body: '' }
      const trouble = troubles.shift()
      if (trouble === undefined) return take(text, {})
      if (trouble.status === 206) return take(text, trouble.rows)
      if ('location' in trouble) return { status: trouble.status, headers: { location: trouble.location }, body: '' }
      return { status: trouble.status, headers: 'retryAfter' in trouble ? { 'retry-after': trouble.retryAfter ?? '' } : {}, body: '' }
    },
  }
}

/** The envelopes in a JSON array or in JSON lines. Undefined if the text is neither. */
function envelopesIn(text: string): readonly Envelope[] | undefined {
  try {
    return text.trimStart().startsWith('[') ? JSON.parse(text) : text.split('\n').map((line) => JSON.parse(line))
  } catch {
    return undefined
  }
}

/** The reason why a row is refused permanently. */
function wrongIn(envelope: Envelope, key: string, now: number): string | undefined {
  const { iKey, name, time, data } = envelope
  if (iKey !== key) return 'invalid instrumentation key'
  if (JSON.stringify(envelope).length > LONGEST_ROW) return 'the row is larger than 64 KB'
  const at = Date.parse(time)
  if (!(at >= now - OLDEST_MS && at <= now + NEWEST_MS)) return `field time: ${time} is not of the last two days`
  const { baseType, baseData } = data
  if (`Microsoft.ApplicationInsights.${baseType.replace('Data', '')}` !== name) return `field name: ${name} does not fit ${baseType}`
  if (baseData.ver !== 2) return 'field ver of baseData must be 2'
  const properties = Object.entries(baseData.properties ?? {})
  if (properties.some(([each, value]) => each.length > 150 || typeof value !== 'string' || value.length > 8_192))
    return 'field properties: keys to 150 and texts to 8192 characters'
  if (Object.values(baseData.measurements ?? {}).some((value) => !Number.isFinite(value))) return 'field measurements: numbers only'
  return undefined
}
