import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { QueueServiceClient } from '@azure/storage-queue'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { APP_AUDIENCE, LOCAL_CLUSTER, SHIM_AUDIENCE, SHIM_IDENTITY } from '../../local/stack/identities.ts'
import { startShim } from '../../local/stack/shimProcess.ts'
import { type Environment, startEnvironment } from './environment.ts'
import { startUnreliablePost } from './unreliablePost.ts'
import { PATIENCE_MS, TEST_TIMEOUT_MS, until } from './until.ts'

const LAST_TRY_PATIENCE_MS = 150_000
const ENOUGH_OUT_OF_ORDER = 6
let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment()
}, TEST_TIMEOUT_MS)
afterAll(() => environment?.close(), TEST_TIMEOUT_MS)
beforeEach(() => environment.begin(), TEST_TIMEOUT_MS)

type Post = {
  readonly key?: string
  readonly token?: string
  readonly cluster?: string
  readonly body?: unknown
  /** A body that is sent as it is. */
  readonly raw?: Uint8Array<ArrayBuffer>
}
type Answer = { readonly status: number; readonly body: { readonly [name: string]: unknown } }

async function post({ key, token, cluster = LOCAL_CLUSTER, body, raw }: Post): Promise<Answer> {
  const { url } = await environment.stack.functions.ready()
  const response = await fetch(`${url}/api/clusters/${cluster}/events`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      ...(key === undefined ? {} : { 'x-functions-key': key }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: raw ?? new Uint8Array(gzipSync(JSON.stringify(body))),
  })
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} }
}

async function credentials(): Promise<{ readonly key: string; readonly token: string }> {
  const { keys } = await environment.stack.functions.ready()
  return { key: keys.host, token: readFileSync(environment.stack.endpoints.shimEnv['JOINER_TOKEN_FILE'] ?? '', 'utf8') }
}

/** A token of a service account for these audiences. */
async function tokenOf(account: string, audiences: readonly string[]): Promise<string> {
  const path = `/api/v1/namespaces/joiner/serviceaccounts/${account}/token`
  const made = await environment.send({ method: 'POST', path, body: { spec: { audiences } } })
  return (made as { readonly status: { readonly token: string } }).status.token
}

async function tokenOfStranger(): Promise<string> {
  await environment.make('/api/v1/namespaces/joiner/serviceaccounts', { metadata: { name: 'stranger' } })
  return tokenOf('stranger', [SHIM_AUDIENCE])
}

/** A token of the identity of the spot watchers. The shim has this identity too if it authenticates with a token of the tenant. */
function tokenOfTenant(): Promise<string> {
  return environment.stack.azure.issueToken({ audience: APP_AUDIENCE, oid: SHIM_IDENTITY.objectId, appid: SHIM_IDENTITY.clientId })
}

/** An envelope of a term older than the shim's, so that it changes nothing even if the app accepts it. */
function envelope(changes: readonly unknown[], over: object = {}): object {
  return { v: 1, cluster: LOCAL_CLUSTER, term: 0, sentAt: Date.now(), body: { kind: 'changes', changes }, ...over }
}

async function upAndDown(...counts: readonly number[]): Promise<void> {
  for (const pods of counts) {
    await environment.scale('app', pods)
    await environment.settle(pods)
  }
}

describe('a post that may not', { timeout: TEST_TIMEOUT_MS }, () => {
  it.each<[string, number, () => Promise<Post>]>([
    ['has no token', 401, async () => ({})],
    ['has a function key and no token', 401, async () => ({ key: (await credentials()).key })],
    ['has a token for the API server', 401, async () => ({ ...(await credentials()), token: await tokenOf('joiner-shim', []) })],
    ['has a token for somebody else', 401, async () => ({ ...(await credentials()), token: await tokenOf('joiner-shim', [APP_AUDIENCE]) })],
    ['has a token of another service account', 403, async () => ({ ...(await credentials()), token: await tokenOfStranger() })],
    ['has a token of the tenant', 401, async () => ({ ...(await credentials()), token: await tokenOfTenant() })],
    ['speaks for another cluster', 403, async () => ({ ...(await credentials()), cluster: 'other' })],
    ['carries the envelope of another cluster', 403, async () => ({ ...(await credentials()), body: envelope([], { cluster: 'other' }) })],
  ])('changes nothing: it %s', async (_name, want, make) => {
    // If the app accepted this newest term, it would refuse the shim's own posts.
    const body = envelope([], { term: Number.MAX_SAFE_INTEGER, body: { kind: 'snapshot', seq: 1, part: 0, parts: 1, changes: [] } })
    expect((await post({ body, ...(await make()) })).status).toBe(want)
  })

  it('leaves the app to its work', async () => {
    await upAndDown(1, 0)
  })
})

/** A change without effect: the shim has sent its sequence number long ago. */
const OLD_CHANGE = { seq: 1, at: 1, op: 'delete', kind: 'namespace', key: 'nobody' }

/** The term of the leading shim, as the app names it in its answer to an old post. */
async function leadingTerm(): Promise<number> {
  const { status, body } = await post({ ...(await credentials()), body: envelope([OLD_CHANGE]) })
  expect({ status, body }).toMatchObject({
    status: 409,
    body: { code: 'INPUT.OLD_TERM', fields: { term: 0, newestTerm: expect.any(Number) } },
  })
  const { newestTerm } = body['fields'] as { readonly newestTerm: number }
  return newestTerm
}

describe('a malformed post', { timeout: TEST_TIMEOUT_MS }, () => {
  it.each<[string, Post, string, string | undefined]>([
    ['that is no gzip', { raw: new TextEncoder().encode('{}') }, 'INPUT.INVALID', undefined],
    ['without a body', { body: { v: 1, cluster: LOCAL_CLUSTER, term: 0, sentAt: 1 } }, 'INPUT.INVALID', 'body'],
    ['with a term of words', { body: envelope([], { term: 'first' }) }, 'INPUT.INVALID', 'term'],
    ['of a later version', { body: envelope([], { v: 99 }) }, 'INPUT.UNSUPPORTED_VERSION', 'v'],
  ])('gets 400 with the field: %s', async (_name, request, code, path) => {
    const answer = await post({ ...(await credentials()), ...request })
    expect(answer).toMatchObject({ status: 400, body: { code, message: expect.any(String), ...(path === undefined ? {} : { path }) } })
  })

  it('loses only the change that cannot be read', async () => {
    const bad = { seq: 2, at: 1, op: 'put', kind: 'pod', key: 'default/x', object: { name: 5 } }
    const answer = await post({ ...(await credentials()), body: envelope([OLD_CHANGE, bad], { term: await leadingTerm() }) })
    expect(answer).toMatchObject({ status: 202, body: { accepted: 1, rejected: [{ seq: 2, problem: { code: 'INPUT.INVALID' } }] } })
  })

  it('names field and rule of a broken NodePool, and keeps the one that was', async () => {
    const path = '/apis/karpenter.sh/v1/nodepools/default'
    const body = { spec: { weight: 1000 } }
    const patch = environment.send({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' })
    await expect(patch).rejects.toThrow(/spec\.weight.*(100|less than)/)
    expect(await environment.send({ method: 'GET', path })).not.toMatchObject(body)
  })
})

describe('posts that come twice and out of order', { timeout: 4 * PATIENCE_MS }, () => {
  it('end in the same state', async () => {
    const { stack, directory } = environment
    const { url } = await stack.functions.ready()
    await stack.shim.stop()
    const between = await startUnreliablePost(url)
    const shim = startShim({
      azure: stack.azure,
      functionsUrl: between.url,
      kubernetes: stack.endpoints,
      caFile: `${directory}/ca.pem`,
      directory,
      onLine: () => undefined,
      onNotice: () => undefined,
    })
    try {
      await upAndDown(2, 4, 0)
      expect(environment.machinesMade()).toHaveLength(4)
      // A slow machine posts less often, so fewer posts gather. The loop goes on until enough posts came out of order.
      while (between.counts().outOfOrder < ENOUGH_OUT_OF_ORDER) await upAndDown(1, 0)
    } finally {
      await shim.stop()
      await between.close()
    }
  })
})

describe('what is malformed in a queue or an event', { timeout: TEST_TIMEOUT_MS }, () => {
  it('is said, while the work goes on', async () => {
    const queues = QueueServiceClient.fromConnectionString(environment.stack.storage.connectionString)
    const wake = queues.getQueueClient('wake')
    await wake.sendMessage('no JSON at all')
    await wake.sendMessage(JSON.stringify({ v: 1, cluster: 'NOT A NAME' }))
    const now = new Date().toISOString()
    const event = { id: 'x', topic: 'test', subject: 's', eventType: 'Joiner.NodeScheduledEvent', eventTime: now, dataVersion: '1' }
    environment.stack.azure.eventGrid.publish('custom', { ...event, data: { node: 5 } })
    const told = () => environment.said().filter(({ message }) => message.includes('read a message of queue wake'))
    await until(() => (told().length >= 2 ? undefined : 'no word of the messages'), LAST_TRY_PATIENCE_MS)
    await until(() =>
      environment.said().some(({ message }) => /^an event was not understood: ./.test(message)) ? undefined : 'no word of the event',
    )
  })
})
