import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createAzureExporting, type Posting } from './azureExporting.ts'
import type { Row } from './exported.ts'

const KEY = 'InstrumentationKey=11111111-2222-4333-8444-555555555555'
const LINE: Row = { kind: 'line', at: 0, level: 'warn', message: 'a', properties: {} }

/** Returns the request for these rows, and the scope of the token. */
async function requestFor(connectionString: string, rows: readonly Row[] = [LINE]) {
  const requests: Posting[] = []
  const scopes: string[] = []
  const credential = {
    async getToken(scope: string) {
      scopes.push(scope)
      return { token: 't' }
    },
  }
  const post = async (request: Posting) => {
    requests.push(request)
    return { status: 200, body: '', retryAfter: undefined }
  }
  const exporting = createAzureExporting({ connectionString, credential, role: 'joiner', instance: 'one', post }, () => 0)
  expect(await exporting.rows(rows)).toEqual({ again: [], refused: 0 })
  const body = JSON.parse(gunzipSync(requests[0]?.body ?? '').toString())
  return { url: requests[0]?.url, scopes, body }
}

describe('rows go', () => {
  it.each([
    [`${KEY};IngestionEndpoint=https://a.in.applicationinsights.azure.com/`, 'https://a.in.applicationinsights.azure.com/v2.1/track'],
    [`ingestionendpoint=https://b.example;${KEY};LiveEndpoint=https://c.example/`, 'https://b.example/v2.1/track'],
    [`${KEY};EndpointSuffix=ai.contoso.com`, 'https://dc.ai.contoso.com/v2.1/track'],
    [KEY, 'https://dc.services.visualstudio.com/v2.1/track'],
  ])('with %s to %s', async (connectionString, want) => expect((await requestFor(connectionString)).url).toBe(want))

  it.each([
    [KEY, 'https://monitor.azure.com//.default'],
    [`${KEY};AADAudience=https://monitor.azure.us/`, 'https://monitor.azure.us//.default'],
  ])('with %s with a token for %s', async (connectionString, want) => expect((await requestFor(connectionString)).scopes).toEqual([want]))

  it('again if there is no token', async () => {
    const credential = { getToken: () => Promise.reject(new Error('no identity')) }
    const exporting = createAzureExporting({ connectionString: KEY, credential, role: 'joiner', instance: 'one' }, () => 0)
    expect(await exporting.rows([LINE, LINE])).toEqual({ again: [0, 1], refused: 0 })
  })
})

it('a span has its duration in days, hours, minutes and seconds', async () => {
  const span = (ms: number): Row => ({ kind: 'span', at: 0, ms, name: 'a', id: 'b', trace: { traceId: 't', spanId: 's' }, properties: {} })
  const { body } = await requestFor(KEY, [span(61_005), span(2 * 24 * 3_600_000 + 1)])
  const data: readonly { readonly data: { readonly baseData: { readonly duration: string } } }[] = body
  expect(data.map(({ data: { baseData } }) => baseData.duration)).toEqual(['00:01:01.005', '2.00:00:00.001'])
})

describe('what no ingestion takes stops no other row', () => {
  const span = (at: number, ms: number): Row => {
    return { kind: 'span', at, ms, name: 'a', id: 'b', trace: { traceId: 't', spanId: 's' }, properties: {} }
  }

  it.each([Number.NaN, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY])('a time or a duration of %d', async (strange) => {
    const { body } = await requestFor(KEY, [{ ...LINE, at: strange }, span(0, strange), LINE])
    expect(body).toHaveLength(3)
    expect(body[0].time).toBe('1970-01-01T00:00:00.000Z')
  })

  it.each(['null', '{"errors":{}}', '{"errors":[null,{"index":"1"},{"index":1,"statusCode":503}]}'])(
    'a partial success of %s',
    async (text) => {
      const post = async () => ({ status: 206, body: text, retryAfter: undefined })
      const exporting = createAzureExporting({ connectionString: KEY, role: 'joiner', instance: 'one', post }, () => 0)
      expect((await exporting.rows([LINE, LINE])).again).toEqual(text.includes('503') ? [1] : [])
    },
  )
})
