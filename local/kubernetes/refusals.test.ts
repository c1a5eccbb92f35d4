import { request } from 'node:https'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { deployment, pod } from './testing/samples.ts'
import { type TestServer, withServer } from './testing/withServer.ts'

const PODS = '/api/v1/namespaces/default/pods'
const POD = `${PODS}/a`
const SCALE = '/apis/apps/v1/namespaces/default/deployments/web/scale'

interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: string | Buffer
  readonly headers?: { readonly [name: string]: string }
}

/** Sends raw bytes, so that a test can send what no client library would send. */
function send({ server }: TestServer, sent: Sent): Promise<{ readonly code: number; readonly text: string }> {
  const headers = { authorization: `Bearer ${server.adminToken}`, 'content-type': 'application/json', ...sent.headers }
  const length = sent.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(sent.body)) }
  return new Promise((resolve, reject) => {
    const options = { method: sent.method, ca: server.caCertificate, agent: false, headers: { ...headers, ...length } }
    const call = request(`${server.url}${sent.path}`, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }))
    })
    call.on('error', reject)
    call.end(sent.body)
  })
}

const post = (body: string | Buffer, headers = {}): Sent => ({ method: 'POST', path: PODS, body, headers })
const get = (query: string): Sent => ({ method: 'GET', path: `${PODS}?${query}` })
const patch = (type: string, body: string): Sent => ({
  method: 'PATCH',
  path: POD,
  body,
  headers: { 'content-type': `application/${type}` },
})
const remove = (body: string): Sent => ({ method: 'DELETE', path: POD, body })
const gzip = { 'content-encoding': 'gzip' }
const protobuf = { 'content-type': 'application/vnd.kubernetes.protobuf' }
/** Returns a body as kubectl writes it in protobuf: the magic number, the type, and the bytes of the object. */
function wire(apiVersion: string, kind: string, object: readonly number[]): Buffer {
  const field = (number: number, bytes: Buffer): Buffer => Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
  const type = Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))])
  return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, Buffer.from(object))])
}

/** A request that creates a node with one taint. */
const tainted = (taint: object): Sent => ({
  method: 'POST',
  path: '/api/v1/nodes',
  body: JSON.stringify({ metadata: { name: 'n' }, spec: { taints: [taint] } }),
})
const withSpec = (spec: Record<string, unknown>): Sent => post(JSON.stringify(pod('x', spec)))
const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }
const invalidPull = { ...pod('x', { containers: [{ name: 'a', image: 'b', imagePullPolicy: 'Sometimes' }] }) }

const REFUSED: { readonly [request: string]: readonly [Sent, number, string] } = {
  'broken JSON': [post('{bad'), 400, 'error decoding the body'],
  'a list instead of an object': [post('[]'), 400, 'unknown format'],
  'no body': [post(''), 415, 'empty'],
  'a very deep body': [post('['.repeat(200_000)), 400, 'error decoding the body'],
  'a body above the limit': [post('x'.repeat(4_000_000)), 413, 'limit is 3145728'],
  'bytes that are no gzip': [post('x', gzip), 400, 'error unzipping the body'],
  'a small body that unzips to a huge one': [post(gzipSync(Buffer.alloc(50_000_000)), gzip), 413, 'limit is 3145728'],
  'plain text': [post(JSON.stringify(pod('x')), { 'content-type': 'text/plain' }), 415, 'unknown format'],
  'a form': [post('a=b', { 'content-type': 'application/x-www-form-urlencoded' }), 415, 'unknown format'],
  'protobuf without its magic': [post('zz', protobuf), 400, 'magic number'],
  'protobuf with a field of negative length': [
    post(Buffer.from('6b3873000affffffffffffffffff01', 'hex'), protobuf),
    400,
    'the protobuf body ends within a field',
  ],
  'protobuf of a kind it does not read': [post(wire('v1', 'Node', []), protobuf), 415, 'does not read v1 Node in protobuf'],
  'protobuf with a field it does not read': [
    post(wire('v1', 'ConfigMap', [0x48, 0x01]), protobuf),
    415,
    'does not read field 9 of ConfigMap in protobuf',
  ],
  'protobuf that ends within a number': [post(Buffer.from('6b387300ff', 'hex'), protobuf), 400, 'ends within a number'],
  'protobuf of a wire type that no field has': [post(Buffer.from('6b38730009', 'hex'), protobuf), 400, 'wire type 1'],
  'a taint without a key': [tainted({ effect: 'NoSchedule' }), 422, 'metadata.taints[0].key: Required value'],
  'a taint with a key that is none': [tainted({ key: 'a b', effect: 'NoSchedule' }), 422, 'metadata.taints[0].key: Invalid value'],
  'a taint with a value that is none': [
    tainted({ key: 'a', value: 'b c', effect: 'NoSchedule' }),
    422,
    'metadata.taints[0].value: Invalid value: \\"b c\\": a valid label must be an empty string or consist of alphanumeric characters',
  ],
  'a taint without an effect': [tainted({ key: 'a' }), 422, 'metadata.taints[0].effect: Required value'],
  'a taint with an effect nobody knows': [tainted({ key: 'a', effect: 'Never' }), 422, 'metadata.taints[0].effect: Unsupported value'],
  'a selector with a value that is too long': [
    withSpec({ nodeSelector: { a: 'x'.repeat(64) } }),
    422,
    'must be no more than 63 characters',
  ],
  'a selector with a key of two prefixes': [withSpec({ nodeSelector: { 'a/b/c': 'x' } }), 422, 'a qualified name must consist of'],
  'a selector with an empty prefix': [withSpec({ nodeSelector: { '/a': 'x' } }), 422, 'prefix part must be non-empty'],
  'a selector with an empty name': [withSpec({ nodeSelector: { 'a.b/': 'x' } }), 422, 'name part must be non-empty'],
  'a toleration of everything that names a value': [
    withSpec({ tolerations: [{ operator: 'Exists', value: 'x' }] }),
    422,
    "value must be empty when `operator` is 'Exists'",
  ],
  'a toleration without a key': [withSpec({ tolerations: [{ value: 'x' }] }), 422, 'operator must be Exists when `key` is empty'],
  'a toleration by an operator nobody knows': [
    withSpec({ tolerations: [{ key: 'a', operator: 'In' }] }),
    422,
    'spec.tolerations[0].operator: Unsupported value',
  ],
  'a spread of no skew': [withSpec({ topologySpreadConstraints: [{ ...spread, maxSkew: 0 }] }), 422, 'must be greater than zero'],
  'a spread over nothing': [
    withSpec({ topologySpreadConstraints: [{ ...spread, topologyKey: '' }] }),
    422,
    'spec.topologySpreadConstraints[0].topologyKey: Required value',
  ],
  'a spread that says nothing of what cannot be': [
    withSpec({ topologySpreadConstraints: [{ ...spread, whenUnsatisfiable: 'x' }] }),
    422,
    'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value',
  ],
  'a gate twice': [withSpec({ schedulingGates: [{ name: 'a' }, { name: 'a' }] }), 422, 'spec.schedulingGates[1].name: Duplicate value'],
  'a quantity that is none': [
    withSpec({ containers: [{ name: 'a', image: 'b', resources: { limits: { cpu: 'much' } } }] }),
    422,
    'spec.containers[0].resources.limits[cpu]: Invalid value',
  ],
  'a quantity below zero': [
    withSpec({ containers: [{ name: 'a', image: 'b', resources: { requests: { cpu: '-1' } } }] }),
    422,
    'spec.containers[0].resources.requests[cpu]: Invalid value: \\"-1\\": must be greater than or equal to 0',
  ],
  'containers that are a text': [post('{"metadata":{"name":"x"},"spec":{"containers":"x"}}'), 400, 'Pod.spec.containers'],
  'labels that are no texts': [post('{"metadata":{"name":"x","labels":{"a":1}}}'), 400, 'metadata.labels'],
  'a pull policy nobody knows': [post(JSON.stringify(invalidPull)), 422, 'spec.containers[0].imagePullPolicy: Unsupported value'],
  'a negative limit': [get('limit=-1'), 400, 'limit must be a non-negative integer'],
  'a malformed continue': [get('limit=1&continue=zzz'), 400, 'invalid continue token'],
  'a version that is no number': [get('resourceVersion=abc'), 400, 'invalid syntax'],
  'a version of the future': [get('resourceVersion=99999999'), 504, 'Too large resource version'],
  'a label selector that does not parse': [get('labelSelector=a+in+('), 400, 'unable to parse requirement'],
  'a field nobody selects by': [get('fieldSelector=spec.foo%3Dbar'), 400, 'field label not supported: spec.foo'],
  'a token nobody gave': [{ method: 'GET', path: PODS, headers: { authorization: 'Bearer x' } }, 401, 'Unauthorized'],
  'a shape nobody writes': [{ method: 'GET', path: PODS, headers: { accept: 'text/html' } }, 406, 'NotAcceptable'],
  'a path that looks like a host': [{ method: 'GET', path: '//api' }, 404, 'NotFound'],
  'a method nobody serves': [{ method: 'PUT', path: PODS, body: '{}' }, 405, 'MethodNotAllowed'],
  'a patch without its type': [patch('json', '{}'), 415, 'application/merge-patch+json'],
  'a JSON patch of nonsense': [patch('json-patch+json', '[null,1]'), 400, 'list of operations'],
  'a JSON patch whose test fails': [patch('json-patch+json', '[{"op":"test","path":"/kind","value":"x"}]'), 422, 'Test failed'],
  'a strategic patch without its key': [
    patch('strategic-merge-patch+json', '{"spec":{"containers":[{"image":"x"}]}}'),
    400,
    'does not contain declared merge key: name',
  ],
  'a patch made for an older version': [patch('merge-patch+json', '{"metadata":{"resourceVersion":"1"}}'), 409, 'has been modified'],
  'a grace that is no number': [remove('{"gracePeriodSeconds":"x"}'), 400, 'gracePeriodSeconds must be'],
  'a propagation nobody knows': [remove('{"propagationPolicy":"Never"}'), 400, 'must be Foreground, Background or Orphan'],
  'a scale that is a text': [{ method: 'PUT', path: SCALE, body: '{"spec":{"replicas":"x"}}' }, 400, 'ScaleSpec.spec.replicas'],
  'a scale below zero': [{ method: 'PUT', path: SCALE, body: '{"spec":{"replicas":-1}}' }, 422, 'greater than or equal to 0'],
  'the end of the default namespace': [
    { method: 'DELETE', path: '/api/v1/namespaces/default' },
    403,
    'namespaces \\"default\\" is forbidden: this namespace may not be deleted',
  ],
}

describe('the embedded API server refuses with a Status, and goes on,', () => {
  for (const [name, [sent, code, message]] of Object.entries(REFUSED)) {
    it(name, async () => {
      await withServer({}, async (server) => {
        await server.call('POST', PODS, pod('a'))
        await server.call('POST', '/apis/apps/v1/namespaces/default/deployments', deployment('web', 2))
        const answer = await send(server, sent)
        expect(answer).toMatchObject({ code, text: expect.stringContaining(message) })
        expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Status', status: 'Failure', code })
        expect(server.server.store.count('pods')).toBe(1)
        expect(server.server.store.get('deployments.apps', 'default', 'web')).toMatchObject({ spec: { replicas: 2 } })
      })
    })
  }

  it('a page of a list it has forgotten', async () => {
    await withServer({}, async ({ server, call }) => {
      for (const name of ['a', 'b']) await call('POST', PODS, pod(name))
      const first = await call('GET', `${PODS}?limit=1`)
      const { continue: token } = (first.body as { metadata: { continue: string } }).metadata
      server.compact()
      expect(await call('GET', `${PODS}?limit=1&continue=${token}`)).toMatchObject({ code: 410, body: { reason: 'Expired' } })
    })
  })

  it('all but the first of many who change the same version', async () => {
    await withServer({}, async ({ call }) => {
      const made = await call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'c' } })
      const body = { ...(made.body as object), data: { a: 'b' } }
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => call('PUT', '/api/v1/namespaces/default/configmaps/c', { ...body, data: { n: String(n) } })),
      )
      expect(answers.map((answer) => answer.code).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
    })
  })
})
