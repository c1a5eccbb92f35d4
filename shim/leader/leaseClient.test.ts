import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { textOf } from '../testing/fakeKube.ts'
import { listenOnLoopback } from '../testing/listenOnLoopback.ts'
import { createLeaseClient, type Lease } from './leaseClient.ts'

type Answer = { readonly status: number; readonly body?: object }

const SIGNAL = new AbortController().signal
const DRAFT = { holder: 'shim-a', durationSeconds: 15, acquiredAt: Date.UTC(2026, 10, 1), renewedAt: Date.UTC(2026, 10, 2), transitions: 3 }
const JSON_OF_DRAFT = {
  holderIdentity: 'shim-a',
  leaseDurationSeconds: 15,
  acquireTime: '2026-11-01T00:00:00.000000Z',
  renewTime: '2026-11-02T00:00:00.000000Z',
  leaseTransitions: 3,
}

/** An API server that gives one answer, and the requests that it received. */
async function setUp({ status, body = {} }: Answer) {
  const asked: { readonly line: string; readonly body: unknown }[] = []
  const server = await listenOnLoopback(
    createServer((request, response) => {
      void textOf(request).then((text) => {
        asked.push({ line: `${request.method} ${request.url}`, body: text === '' ? undefined : JSON.parse(text) })
        response.writeHead(status).end(JSON.stringify(body))
      })
    }),
  )
  onTestFinished(server.close)
  const connection = { server: new URL(`http://127.0.0.1:${server.port}`), options: () => Promise.resolve({}) }
  return { client: createLeaseClient(connection, 'joiner', 'shim'), asked }
}

const PATH = '/apis/coordination.k8s.io/v1/namespaces/joiner/leases'

describe('the Lease', () => {
  it('is created where there is none, in the form of the API', async () => {
    const { client, asked } = await setUp({ status: 201, body: { metadata: { resourceVersion: '1' }, spec: JSON_OF_DRAFT } })
    expect(await client.put(DRAFT, undefined, SIGNAL)).toEqual({ ...DRAFT, resourceVersion: '1' })
    const body = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'joiner', name: 'shim' },
      spec: JSON_OF_DRAFT,
    }
    expect(asked).toEqual([{ line: `POST ${PATH}`, body }])
  })

  it('is replaced only in the version that was read', async () => {
    const { client, asked } = await setUp({ status: 200, body: { metadata: { resourceVersion: '8' }, spec: JSON_OF_DRAFT } })
    expect(await client.put(DRAFT, { ...DRAFT, resourceVersion: '7' }, SIGNAL)).toEqual({ ...DRAFT, resourceVersion: '8' })
    expect(asked).toMatchObject([{ line: `PUT ${PATH}/shim`, body: { metadata: { resourceVersion: '7' } } }])
  })

  it('is not got when somebody else was faster', async () => {
    const { client } = await setUp({ status: 409 })
    expect(await client.put(DRAFT, undefined, SIGNAL)).toBeUndefined()
  })

  it('is read as the API server holds it', async () => {
    const { client, asked } = await setUp({ status: 200, body: { metadata: { resourceVersion: '7' }, spec: JSON_OF_DRAFT } })
    expect(await client.get(SIGNAL)).toEqual({ ...DRAFT, resourceVersion: '7' })
    expect(asked).toEqual([{ line: `GET ${PATH}/shim`, body: undefined }])
  })

  const blank: Lease = { resourceVersion: '', holder: '', durationSeconds: 0, acquiredAt: 0, renewedAt: 0, transitions: 0 }
  it.each([{}, { metadata: {}, spec: {} }, { spec: { holderIdentity: null, acquireTime: null, renewTime: 'yesterday' } }])(
    'of nobody is free: %j',
    async (body) => {
      const { client } = await setUp({ status: 200, body })
      expect(await client.get(SIGNAL)).toEqual(blank)
    },
  )

  it('may not be there', async () => {
    const { client } = await setUp({ status: 404 })
    expect(await client.get(SIGNAL)).toBeUndefined()
  })

  it.each([403, 500])('that cannot be read or written is a fault with the answer: %i', async (status) => {
    const { client } = await setUp({ status, body: { message: 'leases are forbidden' } })
    const fault = { problem: { code: 'KUBE.FAILED', message: expect.stringMatching(new RegExp(`${status}.*leases are forbidden`)) } }
    await expect(client.get(SIGNAL)).rejects.toMatchObject(fault)
    await expect(client.put(DRAFT, undefined, SIGNAL)).rejects.toMatchObject(fault)
  })
})
