import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { ClientRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { SIGNING_REQUESTS } from '../cluster/client/resource.ts'
import { obtainCredential } from './obtainCredential.ts'
import { TEST_TOKEN, type TestCluster, withCluster } from './testing/withCluster.ts'

const ask = ({ kubernetes }: TestCluster, patienceMs: number) =>
  obtainCredential({
    flow: 'signingRequest',
    bootstrap: { url: kubernetes.url, ca: kubernetes.caCertificate, credential: { kind: 'token', token: TEST_TOKEN } },
    nodeName: 'joiner-one',
    patienceMs,
    signal: new AbortController().signal,
  })

/** Answers the one signing request, as the signer of a control plane does. */
async function answer({ api, until }: TestCluster, status: object): Promise<void> {
  const request = await until('a signing request', async () => {
    const list = await api.list(SIGNING_REQUESTS)
    return list.ok ? list.value.items[0] : undefined
  })
  expect(request.spec).toMatchObject({
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    usages: ['digital signature', 'client auth'],
    username: 'system:bootstrap:abcdef',
  })
  const written = await api.patch(SIGNING_REQUESTS, request.metadata, { status }, 'merge', 'status')
  expect(written.ok).toBe(true)
}

/** The diagnostics channel of each HTTP request that this process starts. */
const REQUESTS = 'http.client.request.start'
const requestOf = (message: unknown): ClientRequest | undefined =>
  message instanceof Object && 'request' in message && message.request instanceof ClientRequest ? message.request : undefined
const watchOf = ({ path }: ClientRequest): string => new URL(path, 'https://any').searchParams.get('watch') ?? '-'

const NONE = { controllers: { which: [] } }

describe('a signing request', () => {
  it('brings the certificate that the control plane signs', async () => {
    await withCluster(NONE, async (cluster) => {
      const asked = ask(cluster, 5000)
      await answer(cluster, { certificate: Buffer.from('a certificate').toString('base64') })
      expect(await asked).toMatchObject({ ok: true, value: { kind: 'certificate', certificate: 'a certificate' } })
    })
  })

  it.each([
    [{ type: 'Denied', message: 'not you' }, 'certificate signing request denied: not you'],
    [{ type: 'Failed', message: 'no key' }, 'certificate signing request failed: no key'],
    [{ type: 'Denied' }, 'certificate signing request denied: '],
  ])('says that it came to nothing: %j', async (condition, message) => {
    await withCluster(NONE, async (cluster) => {
      const asked = ask(cluster, 5000)
      await answer(cluster, { conditions: [{ status: 'True', reason: 'No', ...condition }] })
      expect(await asked).toEqual({ ok: false, error: { code: 403, reason: condition.type, message } })
    })
  })

  it('asks the API server no more often the longer it takes', async () => {
    await withCluster(NONE, async (cluster) => {
      const requests: string[] = []
      const note = (message: unknown): void => {
        const request = requestOf(message)
        if (request?.getHeader('authorization') === `Bearer ${TEST_TOKEN}`) requests.push(`${request.method} ${watchOf(request)}`)
      }
      subscribe(REQUESTS, note)
      const asked = ask(cluster, 5000)
      await sleep(500)
      await answer(cluster, { certificate: Buffer.from('a certificate').toString('base64') })
      expect(await asked).toMatchObject({ ok: true })
      unsubscribe(REQUESTS, note)
      expect(requests).toEqual(['POST -', 'GET -', 'GET true'])
    })
  })

  it('says that nobody signs, and takes nothing else instead', async () => {
    await withCluster(NONE, async (cluster) => {
      expect(await ask(cluster, 200)).toMatchObject({ ok: false, error: { reason: 'Timeout' } })
    })
  })
})
