// The client of API servers against an API server, and against what networks and proxies make of one. Both API servers pass it, the embedded one and
// the real one. Faults come from a proxy in front of the API server that answers some requests itself.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { request as secureRequest } from 'node:https'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { settle } from '../../shared/base/concurrency.ts'
import { defined } from '../../shared/base/values.ts'
import { askKube, type KubeConnection, PATCH, requesterOf } from '../../shared/kubeclient/client.ts'
import { type Listed, listAll, listPages, type Named, type WatchEnd, watchKube } from '../../shared/kubeclient/collections.ts'
import { bearer, connectTo } from '../../shared/kubeclient/connection.ts'
import { connectionOf } from '../../shared/kubeclient/kubeconfig.ts'
import { isObjectMissing, messageOf, statusOf } from '../../shared/kubeclient/status.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { listenOnLoopback } from '../../shim/testing/listenOnLoopback.ts'
import { fresh, SIGNAL, valueOf } from './harness.ts'
import { connectProxy, type KubeClientHarness, kubeconfigWithProxy } from './kubeClientHarness.ts'

type ConfigMap = Named & { readonly data?: { readonly [name: string]: string } }
type Saw = readonly [type: string, name: string]
/** Answers a request, or lets the API server answer. */
type Front = (request: IncomingMessage, response: ServerResponse, forward: () => void) => void

const MAPS = '/api/v1/namespaces/default/configmaps'

export function describeKubeClient(name: string, make: () => Promise<KubeClientHarness>): void {
  describe(`the client of ${name}`, () => {
    describeRequests(make)
    describeLists(make)
    describeWatches(make)
    describeBrokenNetworks(make)
    describeRefusals(make)
  })
}

function describeRequests(make: () => Promise<KubeClientHarness>): void {
  it('creates, reads, patches and deletes', async () => {
    const connection = await connected(make)
    expect(await ask(connection, 'POST', MAPS, configMap('one'))).toMatchObject({ status: 201 })
    const read = await askKube(connection, { method: 'GET', path: `${MAPS}/one`, isPacked: true }, SIGNAL)
    expect(read).toMatchObject({ status: 200, json: { metadata: { name: 'one' } } })
    const patches = [
      [PATCH.merge, { data: { a: '1' } }],
      [PATCH.strategic, { data: { b: '2' } }],
      [PATCH.json, [{ op: 'add', path: '/data/c', value: '3' }]],
    ] as const
    for (const [contentType, body] of patches) {
      expect(await askKube(connection, { method: 'PATCH', path: `${MAPS}/one`, body, contentType }, SIGNAL)).toMatchObject({ status: 200 })
    }
    expect((await ask(connection, 'GET', `${MAPS}/one`)).json).toMatchObject({ data: { a: '1', b: '2', c: '3' } })
    expect(await ask(connection, 'DELETE', `${MAPS}/one`, { propagationPolicy: 'Background' })).toMatchObject({ status: 200 })
    expect(isObjectMissing(await ask(connection, 'GET', `${MAPS}/one`))).toBe(true)
  })

  it('gets through a proxy that the kubeconfig names, with the authority and the credential of the file', async () => {
    const { kubeconfig } = await fresh(make)
    const proxy = await connectProxy()
    const connection = valueOf(connectionOf(kubeconfigWithProxy(kubeconfig, proxy.url)))
    onTestFinished(() => connection.close())
    expect(await ask(connection, 'GET', MAPS)).toMatchObject({ status: 200 })
    expect(proxy.asked()).toEqual([connection.server.host])
  })

  it('says that there is no credential: a fault of its source passes, and any other error becomes one', async () => {
    const { server } = await connected(make)
    const entra = new Fault('get a token', problem('AZURE.FORBIDDEN', 'nobody is logged in'))
    for (const [thrown, code] of [
      [entra, 'AZURE.FORBIDDEN'],
      [new TypeError('no token'), 'KUBE.FAILED'],
    ] as const) {
      const connection = connectTo(
        { server },
        bearer(() => Promise.reject(thrown)),
      )
      await expect(ask(connection, 'GET', MAPS)).rejects.toMatchObject({ name: 'Fault', problem: { code } })
    }
  })

  it('ends with the reason of the caller, not with a fault, also while no credential comes', async () => {
    const silent = await behind(make, () => {})
    for (const connection of [silent, withoutAnswer(silent)]) {
      const stopping = new AbortController()
      const asked = askKube(connection, { method: 'GET', path: MAPS }, stopping.signal)
      const watched = watchKube(connection, { path: MAPS, from: '1' }, IGNORED, stopping.signal)
      stopping.abort(new DOMException('enough', 'AbortError'))
      await expect(asked).rejects.toBe(stopping.signal.reason)
      await expect(watched).rejects.toBe(stopping.signal.reason)
    }
  })

  it('gives up on a source of credentials that never answers', async () => {
    const connection = withoutAnswer(await connected(make))
    const asked = askKube(connection, { method: 'GET', path: MAPS, timeoutMs: 30 }, SIGNAL)
    await expect(asked).rejects.toMatchObject({ name: 'Fault', problem: { code: 'KUBE.FAILED' } })
  })
}

function describeRefusals(make: () => Promise<KubeClientHarness>): void {
  it('tells a wrong token: 401', async () => {
    const admin = await connected(make)
    const { ca } = await admin.options()
    const endpoint = { server: admin.server, ...(ca === undefined ? {} : { ca: String(ca) }) }
    const stranger = connectTo(
      endpoint,
      bearer(() => Promise.resolve('nobody')),
    )
    onTestFinished(() => stranger.close())
    expect(await ask(stranger, 'GET', MAPS)).toMatchObject({ status: 401, json: { kind: 'Status', reason: 'Unauthorized' } })
  })

  it('tells a missing right with the words of the server: 403', async () => {
    const answer = await ask(as(await connected(make), 'nobody'), 'GET', MAPS)
    expect(answer.status).toBe(403)
    expect(messageOf(answer)).toContain('configmaps is forbidden: User "nobody" cannot list resource')
  })

  it('tells a missing object from a missing kind: 404', async () => {
    const connection = await connected(make)
    const missing = [await ask(connection, 'GET', `${MAPS}/none`), await ask(connection, 'GET', '/apis/example.com/v1/things/none')]
    expect(missing.map((answer) => [answer.status, isObjectMissing(answer)])).toEqual([
      [404, true],
      [404, false],
    ])
  })

  it('tells a second object of a name, and a write to an old version: 409', async () => {
    const connection = await connected(make)
    const made = await ask(connection, 'POST', MAPS, configMap('one'))
    expect(await ask(connection, 'POST', MAPS, configMap('one'))).toMatchObject({ status: 409, json: { reason: 'AlreadyExists' } })
    await askKube(connection, { method: 'PATCH', path: `${MAPS}/one`, body: { data: { a: '1' } }, contentType: PATCH.merge }, SIGNAL)
    expect(await ask(connection, 'PUT', `${MAPS}/one`, made.json)).toMatchObject({ status: 409, json: { reason: 'Conflict' } })
  })

  it('tells how long a busy server wants to be left alone: 429', async () => {
    const headers = { date: 'Sun, 01 Nov 2026 10:00:00 GMT', 'retry-after': 'Sun, 01 Nov 2026 10:00:07 GMT' }
    for (const [sent, wanted] of [
      [{ 'retry-after': '2' }, 2_000],
      [headers, 7_000],
    ] as const) {
      const connection = await behind(make, (_, response) => void response.writeHead(429, sent).end('{"message":"busy"}'))
      expect(await ask(connection, 'GET', MAPS)).toEqual({ status: 429, json: { message: 'busy' }, retryAfterMs: wanted })
    }
  })

  it('tells what a proxy says that knows no JSON: 500', async () => {
    const connection = await behind(make, (_, response) => void response.writeHead(500).end(`<h1>down</h1>${'x'.repeat(1_000)}`))
    const answer = await ask(connection, 'GET', MAPS)
    expect([answer.status, messageOf(answer).length, messageOf(answer).slice(0, 13)]).toEqual([500, 300, '<h1>down</h1>'])
  })
}

function describeLists(make: () => Promise<KubeClientHarness>): void {
  it('reads all pages of a list, and watches from its version', async () => {
    const connection = await withMaps(await connected(make), 5)
    const names: string[] = []
    const request = { path: MAPS, limit: 2, isPacked: true, query: { labelSelector: 'test=kubeclient' } }
    const listed = valueOf(await listPages(requesterOf(connection), request, (item) => names.push(nameOf(item)), SIGNAL))
    expect([names, listed.pages]).toEqual([['m0', 'm1', 'm2', 'm3', 'm4'], 3])
    await ask(connection, 'POST', MAPS, configMap('after'))
    expect(await sawUntil(connection, listed, ([, name]) => name === 'after')).toEqual([['ADDED', 'after']])
  })

  it('says that the pages have expired, and reads the list once more', async () => {
    const harness = await fresh(make)
    let left = 1
    const front: Front = (request, response, forward) => {
      const isLater = request.url?.includes('continue=') === true
      if (!isLater || left === 0) return forward()
      left--
      if (harness.expirePages === undefined) return void response.writeHead(410).end(JSON.stringify(EXPIRED))
      harness.expirePages()
      forward()
    }
    const connection = await inFrontOf(harness, front)
    const request = { path: MAPS, limit: 2, query: { labelSelector: 'test=kubeclient' } }
    await withMaps(connection, 3)
    expect(await listPages(requesterOf(connection), request, () => {}, SIGNAL)).toMatchObject({ ok: false, error: { status: 410 } })
    left = 1
    expect(valueOf(await listAll(requesterOf(connection), request, SIGNAL)).map(nameOf)).toEqual(['m0', 'm1', 'm2'])
    left = Number.POSITIVE_INFINITY
    expect(await listAll(requesterOf(connection), request, SIGNAL)).toMatchObject({ ok: false, error: { status: 410 } })
  })

  it('takes no answer for an empty list that is none', async () => {
    for (const body of ['{}', '[]', 'null', '{"items":{}}']) {
      const connection = await behind(make, (_, response) => void response.end(body))
      expect(await listAll(requesterOf(connection), { path: MAPS }, SIGNAL)).toMatchObject({
        ok: false,
        error: { status: 200, json: { message: 'the answer is no list' } },
      })
    }
  })
}

function describeWatches(make: () => Promise<KubeClientHarness>): void {
  it('sees what comes, changes and goes', async () => {
    const connection = await connected(make)
    const listed = await versionOf(connection)
    await ask(connection, 'POST', MAPS, configMap('one'))
    await askKube(connection, { method: 'PATCH', path: `${MAPS}/one`, body: { data: { a: '1' } }, contentType: PATCH.merge }, SIGNAL)
    await ask(connection, 'DELETE', `${MAPS}/one`)
    expect(await sawUntil(connection, listed, ([type]) => type === 'DELETED')).toEqual([
      ['ADDED', 'one'],
      ['MODIFIED', 'one'],
      ['DELETED', 'one'],
    ])
  })

  it('falls too far behind: 410', async () => {
    const harness = await fresh(make)
    await withMaps(connectedTo(harness), 2)
    await harness.forgetVersions()
    const connection = connectedTo(harness)
    await expect(watchKube(connection, { path: MAPS, from: '1' }, IGNORED, SIGNAL)).rejects.toSatisfy((error) => statusOf(error) === 410)
  })

  it('is refused by a status, with the words of the server', async () => {
    const nobody = as(await connected(make), 'nobody')
    const refused = watchKube(nobody, { path: MAPS, from: '1' }, IGNORED, SIGNAL)
    await expect(refused).rejects.toMatchObject({ problem: { code: 'KUBE.FAILED', fields: { status: 403 } } })
    await expect(refused).rejects.toThrow(/^watch .*configmaps is forbidden/)
  })

  it('is given up when it is silent, and goes on from its last version', async () => {
    const say = (response: ServerResponse) => response.write(`${JSON.stringify(eventOf('kept', '7'))}\n`)
    // A loaded machine may not bring the event within the first silence.
    let end = await settle(() => watchBehind(make, say, 50))
    for (let silenceMs = 200; silenceMs < 10_000 && !(end.ok && end.value.saw.length > 0); silenceMs *= 4) {
      const longer = silenceMs
      end = await settle(() => watchBehind(make, say, longer))
    }
    expect(valueOf(end)).toEqual({ saw: [['ADDED', 'kept']], end: { version: '7', broke: expect.stringContaining('no answer in time') } })
  })

  it('is cut in the middle of a line: the half line does not count', async () => {
    const end = await watchBehind(make, (response) => {
      response.write(`${JSON.stringify(eventOf('kept', '7'))}\n${JSON.stringify(eventOf('lost', '8')).slice(0, -5)}`)
      setImmediate(() => response.destroy())
    })
    expect(end).toEqual({ saw: [['ADDED', 'kept']], end: { version: '7', broke: expect.any(String) } })
  })

  it('moves by bookmarks, and is ended in order by the server', async () => {
    const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } }
    const end = await watchBehind(make, (response) =>
      response.end(`${JSON.stringify(eventOf('kept', '7'))}\n${JSON.stringify(bookmark)}\n`),
    )
    expect(end).toEqual({ saw: [['ADDED', 'kept']], end: { version: '9' } })
  })
}

function describeBrokenNetworks(make: () => Promise<KubeClientHarness>): void {
  const broken: { readonly [sentence: string]: Front } = {
    'resets the connection': (request) => request.socket.destroy(),
    'never answers': () => {},
    'falls silent in the middle of an answer': (_, response) => void response.writeHead(200).write('{"items":'),
    'cuts the answer in the middle': (_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{"items":[]}')
      setImmediate(() => response.destroy())
    },
    'cuts a packed answer in the middle': (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('{"items":[]}').subarray(0, 12))
      setImmediate(() => response.destroy())
    },
    'ends a packed answer too early': (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"items":[]}').subarray(0, 12))
    },
  }
  for (const [sentence, front] of Object.entries(broken)) {
    it(`gives up on a network that ${sentence}`, async () => {
      const connection = await behind(make, front)
      const asked = askKube(connection, { method: 'GET', path: MAPS, silenceMs: 50 }, SIGNAL)
      await expect(asked).rejects.toMatchObject({ name: 'Fault', operation: `GET ${MAPS}`, problem: { code: 'KUBE.FAILED' } })
      await expect(asked).rejects.toThrow('the API server cannot be reached')
    })
  }

  it('gives up on an answer that never ends, though it is never silent', async () => {
    const connection = await behind(make, (_, response) => {
      const timer = setInterval(() => response.write(' '), 10)
      response.on('close', () => clearInterval(timer))
    })
    const asked = askKube(connection, { method: 'GET', path: MAPS, silenceMs: 5_000, timeoutMs: 100 }, SIGNAL)
    await expect(asked).rejects.toMatchObject({ problem: { code: 'KUBE.FAILED' } })
  })

  it('takes no sign-in page for a success', async () => {
    const connection = await behind(make, (_, response) => void response.end('<html>sign in</html>'))
    await expect(ask(connection, 'DELETE', `${MAPS}/one`)).rejects.toThrow(
      'the API server answered 200 with a body that is not JSON; check proxies in front of it: <html>sign in</html>',
    )
  })
}

const EXPIRED = { kind: 'Status', code: 410, reason: 'Expired', message: 'the provided continue parameter is too old' }
const IGNORED = { saw: () => {} }

function ask(connection: KubeConnection, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) {
  return askKube(connection, { method, path, body }, SIGNAL)
}

function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { test: 'kubeclient' } }, data: {} }
}

function eventOf(name: string, resourceVersion: string): object {
  return { type: 'ADDED', object: { metadata: { name, resourceVersion } } }
}

function nameOf(item: unknown): string {
  return (item as ConfigMap).metadata.name
}

async function connected(make: () => Promise<KubeClientHarness>): Promise<KubeConnection> {
  return connectedTo(await fresh(make))
}

function connectedTo({ kubeconfig }: KubeClientHarness): KubeConnection {
  const connection = valueOf(connectionOf(kubeconfig))
  onTestFinished(() => connection.close())
  return connection
}

/** The same API server, with a source of credentials that never answers. */
const withoutAnswer = ({ server }: KubeConnection): KubeConnection => ({ server, options: () => new Promise(() => {}) })

/** The same administrator, in the place of a user. */
function as(connection: KubeConnection, user: string): KubeConnection {
  const options: KubeConnection['options'] = async () => {
    const own = await connection.options()
    return { ...own, headers: { ...own.headers, 'impersonate-user': user } }
  }
  return { server: connection.server, options }
}

/** The connection to a cluster in which `count` objects were made. */
async function withMaps(connection: KubeConnection, count: number): Promise<KubeConnection> {
  for (let index = 0; index < count; index++) await ask(connection, 'POST', MAPS, configMap(`m${index}`))
  return connection
}

async function versionOf(connection: KubeConnection): Promise<Listed> {
  return valueOf(await listPages(requesterOf(connection), { path: MAPS }, () => {}, SIGNAL))
}

/** What a watch sees until an event is the last one wanted. */
async function sawUntil(connection: KubeConnection, { resourceVersion: from }: Listed, isLast: (saw: Saw) => boolean): Promise<Saw[]> {
  const saw: Saw[] = []
  const stopping = new AbortController()
  const listener = {
    saw(type: string, { metadata: { name } }: ConfigMap) {
      saw.push([type, name])
      if (isLast([type, name])) stopping.abort('seen')
    },
  }
  const query = { labelSelector: 'test=kubeclient' }
  await expect(watchKube(connection, { path: MAPS, from, query }, listener, stopping.signal)).rejects.toBe('seen')
  return saw
}

/** Runs a watch that the proxy answers. */
async function watchBehind(
  make: () => Promise<KubeClientHarness>,
  answer: (response: ServerResponse) => void,
  silenceMs?: number,
): Promise<{ readonly saw: readonly Saw[]; readonly end: WatchEnd }> {
  const connection = await behind(make, (_, response) => answer(response.writeHead(200)))
  const saw: Saw[] = []
  const listener = { saw: (type: string, { metadata: { name } }: ConfigMap) => void saw.push([type, name]) }
  return { end: await watchKube(connection, { path: MAPS, from: '1', ...defined({ silenceMs }) }, listener, SIGNAL), saw }
}

/** A connection to a proxy that answers itself, or forwards as the administrator. */
async function behind(make: () => Promise<KubeClientHarness>, front: Front): Promise<KubeConnection> {
  return inFrontOf(await fresh(make), front)
}

async function inFrontOf(harness: KubeClientHarness, front: Front): Promise<KubeConnection> {
  const admin = connectedTo(harness)
  const server = createServer((request, response) => front(request, response, () => void forwardTo(admin, request, response)))
  const { port, close } = await listenOnLoopback(server)
  onTestFinished(close)
  return connectTo({ server: `http://127.0.0.1:${port}` })
}

async function forwardTo(admin: KubeConnection, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { headers, ...options } = await admin.options()
  const { 'content-type': type, 'content-length': length } = request.headers
  const described = Object.fromEntries(Object.entries({ 'content-type': type, 'content-length': length }).filter(([, value]) => value))
  const url = new URL(request.url ?? '/', admin.server)
  const sent = secureRequest(url, { ...options, method: request.method, headers: { ...headers, ...described } }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  request.pipe(sent)
}
