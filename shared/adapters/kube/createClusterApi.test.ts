import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { pod } from '../../../test/builders/pod.ts'
import { silentTelemetry } from '../../../test/kube/kubeHarness.ts'
import { clusterId, DEFAULT_MACHINE_NAMES, nodeClaimName, nodeName, nodePoolName } from '../../model/ids.ts'
import { epochMs } from '../../model/units.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { createClusterApi } from './createClusterApi.ts'

type Reply =
  | {
      readonly status: number
      readonly body?: object
      readonly headers?: { readonly [name: string]: string }
      /** The reply is sent once this many calls wait for it. */
      readonly once?: number
    }
  | 'reset'
type Asked = { readonly method: string; readonly url: string; readonly type: string | undefined; readonly body: unknown }

const SIGNAL = new AbortController().signal
const OK_CLAIM = {
  metadata: { name: 'default-aaaaa', uid: 'u', resourceVersion: '2' },
  spec: { nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' }, requirements: [] },
}

/** An API server that sends the given replies in order, and repeats the last one. */
async function serverThatSays(
  ...replies: readonly Reply[]
): Promise<{ api: ClusterApi; asked: Asked[]; slept: number[]; most: () => number }> {
  const asked: Asked[] = []
  const slept: number[] = []
  const left = [...replies]
  const held: (() => void)[] = []
  const sayAll = (): void => {
    for (const say of held.splice(0)) say()
  }
  let open = 0
  let most = 0
  const server = createServer((request, response) => {
    most = Math.max(most, ++open)
    response.on('close', () => open--)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      asked.push({
        method: request.method ?? '',
        url: request.url ?? '',
        type: request.headers['content-type'],
        body: text === '' ? undefined : JSON.parse(text),
      })
      const reply = (left.length > 1 ? left.shift() : left[0]) ?? 'reset'
      if (reply === 'reset') return void request.socket.destroy()
      held.push(() =>
        response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(JSON.stringify(reply.body ?? {})),
      )
      if (reply.once === undefined) sayAll()
      else if (held.length === reply.once) void afterTurns(100).then(sayAll)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const api = createClusterApi({
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: undefined,
    token: () => Promise.resolve('t'),
    cluster: clusterId('demo'),
    machineNames: DEFAULT_MACHINE_NAMES,
    clock: { now: () => epochMs(0), sleep: async (ms) => void slept.push(ms) },
    telemetry: silentTelemetry,
    retry: { retries: 2, firstMs: 1 },
  })
  return { api, asked, slept, most: () => most }
}

/** Waits for turns of the event loop, in which calls under way arrive. */
async function afterTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const claim = nodeClaim({ name: 'default-aaaaa' })

describe('the annotations of a NodePool', () => {
  const annotations = { 'karpenter.sh/nodepool-hash': '1', 'karpenter.sh/nodepool-hash-version': 'v3' }

  it('are written by one merge patch of the annotations alone', async () => {
    const { api, asked } = await serverThatSays({ status: 200, body: {} })
    expect(await api.annotateNodePool(nodePoolName('default'), annotations, SIGNAL)).toMatchObject({ ok: true })
    expect(asked).toEqual([
      {
        method: 'PATCH',
        url: '/apis/karpenter.sh/v1/nodepools/default',
        type: 'application/merge-patch+json',
        body: { metadata: { annotations } },
      },
    ])
  })

  it('that the app may not write are a refusal, not a fault', async () => {
    const { api } = await serverThatSays({ status: 403, body: { message: 'no such right' } })
    expect(await api.annotateNodePool(nodePoolName('default'), annotations, SIGNAL)).toMatchObject({
      ok: false,
      error: { code: 'KUBE.FORBIDDEN', message: 'patch nodepool/default: no such right' },
    })
  })
})

describe('what the API server says', () => {
  const refusals = {
    'a missing object': { status: 404, code: 'KUBE.NOT_FOUND' },
    'another version': { status: 409, code: 'KUBE.CONFLICT' },
    'a field that breaks a rule': { status: 422, code: 'KUBE.INVALID' },
  }
  for (const [sentence, { status, code }] of Object.entries(refusals)) {
    it(`is a problem for ${sentence}`, async () => {
      const body = { kind: 'Status', message: 'no', details: { causes: [{ field: 'spec.taints[0].key', message: 'must be set' }] } }
      const { api } = await serverThatSays({ status, body })
      const refused = await api.patchClaim(claim, { labels: { a: 'b' } }, SIGNAL)
      expect(refused).toMatchObject({
        ok: false,
        error: { code, object: 'nodeclaim/default-aaaaa', path: 'spec.taints[0].key', fields: { 'spec.taints[0].key': 'must be set' } },
      })
    })
  }

  it('is nothing when it has no object of the name, and a fault when it does not know the kind', async () => {
    const missing = { kind: 'Status', reason: 'NotFound', message: 'no such', details: { name: 'default-aaaaa', kind: 'nodeclaims' } }
    const { api } = await serverThatSays({ status: 404, body: missing })
    expect(await api.getClaim(claim.name, SIGNAL)).toBeUndefined()
    const unserved = [
      { kind: 'Status', reason: 'NotFound', message: 'the server could not find the requested resource', details: {} },
      { message: '404 page not found' },
    ]
    for (const body of unserved) {
      const starting = await serverThatSays({ status: 404, body })
      await expect(starting.api.getClaim(claim.name, SIGNAL)).rejects.toMatchObject({
        problem: { code: 'KUBE.FAILED', message: expect.stringContaining('404') },
      })
      await expect(starting.api.getNodeClass(claim.spec.nodeClassRef.name, SIGNAL)).rejects.toThrow('404')
      await expect(starting.api.listClaims(SIGNAL)).rejects.toThrow('404')
    }
  })

  it('is a fault for everything else', async () => {
    const { api } = await serverThatSays({ status: 403, body: { message: 'nodeclaims is forbidden' } })
    await expect(api.patchClaim(claim, {}, SIGNAL)).rejects.toMatchObject({
      name: 'Fault',
      problem: { code: 'KUBE.FAILED', fields: { status: 403 }, message: 'the API server answered 403: nodeclaims is forbidden' },
    })
  })
})

describe('a busy API server', () => {
  it('is asked again after 429, 503 and a broken connection', async () => {
    for (const reply of [{ status: 429 }, { status: 503 }, 'reset'] as const) {
      const { api, asked } = await serverThatSays(reply, { status: 200, body: OK_CLAIM })
      expect((await api.getClaim(claim.name, SIGNAL))?.name).toBe('default-aaaaa')
      expect(asked).toHaveLength(2)
    }
  })

  it('is given the time it asks for', async () => {
    const { api, slept } = await serverThatSays({ status: 429, headers: { 'retry-after': '2' } }, { status: 200, body: OK_CLAIM })
    await api.getClaim(claim.name, SIGNAL)
    expect(slept).toHaveLength(1)
    expect(slept[0]).toBeGreaterThan(1_900)
  })

  it('is left alone by every call when it asked one of them to wait', async () => {
    const { api, slept } = await serverThatSays({ status: 503, headers: { 'retry-after': '3' } }, { status: 200, body: OK_CLAIM })
    await api.getClaim(claim.name, SIGNAL)
    await api.getClaim(nodeClaimName('default-other'), SIGNAL)
    // The clock of this test stands still, so both calls come within the time that the server asked to wait.
    expect(slept).toEqual([3_000, 3_000])
  })

  it('is not asked to wait for longer than a call may take', async () => {
    const { api, slept } = await serverThatSays({ status: 429, headers: { 'retry-after': '600' } }, { status: 200, body: OK_CLAIM })
    await api.getClaim(claim.name, SIGNAL)
    expect(slept).toEqual([5_000])
  })

  it('meets so many calls of one process at once, and no more', async () => {
    const { api, most } = await serverThatSays({ status: 200, body: OK_CLAIM, once: 64 })
    await Promise.all(Array.from({ length: 128 }, () => api.getClaim(claim.name, SIGNAL)))
    expect(most()).toBe(64)
  })

  it('is a fault in the end', async () => {
    const { api, asked } = await serverThatSays({ status: 503 })
    await expect(api.getClaim(claim.name, SIGNAL)).rejects.toMatchObject({ problem: { code: 'KUBE.FAILED' } })
    expect(asked).toHaveLength(3)
  })
})

describe('an eviction', () => {
  const evicted = pod({ name: 'app' })

  it('waits for the budget as long as the server says, and is not tried again here', async () => {
    const body = { message: "Cannot evict pod as it would violate the pod's disruption budget." }
    const { api, asked } = await serverThatSays({ status: 429, body, headers: { 'retry-after': '10' } })
    expect(await api.evict(evicted, SIGNAL)).toMatchObject({ ok: false, error: { code: 'KUBE.EVICTION_BLOCKED', retryAfterMs: 10_000 } })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ method: 'POST', body: { kind: 'Eviction', deleteOptions: { preconditions: { uid: evicted.uid } } } })
  })

  it('is blocked too while two budgets cover the pod', async () => {
    const body = { message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.' }
    const { api } = await serverThatSays({ status: 500, body })
    expect(await api.evict(evicted, SIGNAL)).toMatchObject({ ok: false, error: { code: 'KUBE.EVICTION_BLOCKED' } })
  })

  it('finds the pod gone', async () => {
    for (const status of [404, 409]) {
      const { api } = await serverThatSays({ status })
      expect(await api.evict(evicted, SIGNAL)).toEqual({ ok: true, value: 'gone' })
    }
  })
})

describe('writes', () => {
  it('are guarded by uid and version', async () => {
    const { api, asked } = await serverThatSays({ status: 200, body: OK_CLAIM })
    await api.patchClaim(claim, { labels: { a: 'b' } }, SIGNAL)
    const { uid, resourceVersion } = claim.meta
    expect(asked[0]).toMatchObject({
      type: 'application/merge-patch+json',
      body: { metadata: { uid, resourceVersion, labels: { a: 'b' } } },
    })
    await api.deleteClaim(claim.name, uid, SIGNAL)
    expect(asked[1]).toMatchObject({ method: 'DELETE', body: { preconditions: { uid } } })
  })

  it('replace a bootstrap token without reading it', async () => {
    const { api, asked } = await serverThatSays({ status: 409 }, { status: 200 })
    await api.putBootstrapToken(nodeClaimName('default-aaaaa'), epochMs(600_000), SIGNAL)
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'PUT'])
  })

  it('read lists page by page, and begin again when the pages have grown too old', async () => {
    const page = { metadata: { continue: 'more' }, items: [] }
    const { api, asked } = await serverThatSays({ status: 200, body: page }, { status: 410 }, { status: 200, body: { items: [OK_CLAIM] } })
    expect(await api.listClaims(SIGNAL)).toHaveLength(1)
    expect(asked.map(({ url }) => new URL(url, 'http://x').searchParams.get('continue'))).toEqual([null, 'more', null])
  })

  it('read a list of any age from the memory of the server: no page of it comes from the database', async () => {
    const { api, asked } = await serverThatSays({ status: 200, body: { items: [] } })
    await api.listPodsOn(nodeName('n'), SIGNAL, 'recent')
    await api.listPodsOn(nodeName('n'), SIGNAL, 'now')
    await api.listClaims(SIGNAL, 'recent')
    const queries = asked.map(({ url }) => Object.fromEntries(new URL(url, 'http://x').searchParams))
    expect(queries).toEqual([
      { resourceVersion: '0', fieldSelector: 'spec.nodeName=n' },
      { limit: '500', fieldSelector: 'spec.nodeName=n' },
      { resourceVersion: '0' },
    ])
  })

  it('leave out of a list what cannot be understood', async () => {
    const { api } = await serverThatSays({ status: 200, body: { items: [{ metadata: { name: 'odd' } }] } })
    expect(await api.listClaims(SIGNAL)).toEqual([])
  })

  it('know a pod that cannot be understood well enough to end it by the deadline of its node', async () => {
    const metadata = { namespace: 'default', name: 'odd', uid: 'u1', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }
    const spec = { nodeName: 'n', terminationGracePeriodSeconds: 60, priorityClassName: 'system-node-critical', containers: 'none' }
    const { api } = await serverThatSays({ status: 200, body: { items: [{ metadata, spec, status: { phase: 'Running' } }] } })
    expect(await api.listPodsOn(nodeName('n'), SIGNAL)).toMatchObject([
      { key: 'default/odd', uid: 'u1', nodeName: 'n', terminationGracePeriodSeconds: 60, priorityClassName: 'system-node-critical' },
    ])
  })

  it('leave no pod out of those on a node: one without a name ends the look', async () => {
    const { api, asked } = await serverThatSays({ status: 200, body: { items: [{ metadata: { name: 'odd' } }] } })
    await expect(api.listPodsOn(nodeName('n'), SIGNAL)).rejects.toThrow('list /api/v1/pods')
    expect(asked[0]?.url).toContain('fieldSelector=spec.nodeName%3Dn')
  })
})
