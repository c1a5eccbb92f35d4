import { describe, expect, it } from 'vitest'
import { hasKubectl, withKubectl } from '../testing/kubectl.ts'
import { pod } from '../testing/samples.ts'
import { type TestServer, withServer } from '../testing/withServer.ts'

const BASE = '/apis/metrics.k8s.io/v1beta1'
const NODES = `${BASE}/nodes`
const PODS = `${BASE}/namespaces/default/pods`
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }

const container = (name: string, requests: object) => ({ name, image: 'a', resources: { requests } })

/** A node with one running pod of two containers, one without requests, and a pod that waits. */
async function fill({ call }: Pick<TestServer, 'call'>): Promise<void> {
  await call('POST', '/api/v1/nodes', { metadata: { name: 'n1', labels: { pool: 'a' } } })
  await call('POST', '/api/v1/nodes', { metadata: { name: 'n2' } })
  const amounts = { capacity: { cpu: '2', memory: '8Gi' }, allocatable: { cpu: '1900m', memory: '6Gi' } }
  for (const name of ['n1', 'n2']) await call('PATCH', `/api/v1/nodes/${name}/status`, { status: amounts })
  const containers = [container('main', { cpu: '500m', memory: '1Gi' }), container('side', {})]
  await call('POST', '/api/v1/namespaces/default/pods', pod('runs', { nodeName: 'n1', containers }))
  await call('PATCH', '/api/v1/namespaces/default/pods/runs', { metadata: { labels: { app: 'runs' } } })
  await call('PATCH', '/api/v1/namespaces/default/pods/runs/status', { status: { phase: 'Running' } })
  await call('POST', '/api/v1/namespaces/default/pods', pod('waits'))
}

describe('metrics.k8s.io', () => {
  it('is found by clients', async () => {
    await withServer({}, async ({ call }) => {
      expect((await call('GET', '/apis/metrics.k8s.io')).body).toMatchObject({ preferredVersion: { version: 'v1beta1' } })
      expect((await call('GET', BASE)).body).toMatchObject({
        resources: [
          { name: 'nodes', kind: 'NodeMetrics', namespaced: false, verbs: ['get', 'list'] },
          { name: 'pods', kind: 'PodMetrics', namespaced: true, verbs: ['get', 'list'] },
        ],
      })
    })
  })

  it('gives usage as a share of requests, the same at each reading', async () => {
    await withServer({ now: () => 0 }, async ({ call }) => {
      await fill({ call })
      const usages = [
        { name: 'main', usage: { cpu: '250m', memory: '786432Ki' } },
        { name: 'side', usage: { cpu: '1m', memory: '4096Ki' } },
      ]
      const pods = (await call('GET', PODS)).body
      expect(pods).toMatchObject({ kind: 'PodMetricsList', items: [{ metadata: { name: 'runs' }, window: '30s', containers: usages }] })
      expect((await call('GET', `${PODS}/runs`)).body).toMatchObject({ kind: 'PodMetrics', containers: usages })
      expect((await call('GET', PODS)).body).toEqual(pods)
      // 251m and 772 MiB of the pod, and a share of 100m and 2 GiB that the node keeps.
      expect((await call('GET', `${NODES}/n1`)).body).toMatchObject({
        kind: 'NodeMetrics',
        usage: { cpu: '301m', memory: `${786_432 + 4096 + 1_572_864}Ki` },
      })
      expect((await call('GET', `${NODES}/n2`)).body).toMatchObject({ usage: { cpu: '50m', memory: '1572864Ki' } })
    })
  })

  it('selects by label, prints tables, and knows nothing of pods that do not run', async () => {
    await withServer({}, async ({ call }) => {
      await fill({ call })
      const named = (body: unknown) =>
        (body as { readonly items: readonly { readonly metadata: { readonly name: string } }[] }).items.map(({ metadata }) => metadata.name)
      expect(named((await call('GET', NODES)).body)).toEqual(['n1', 'n2'])
      expect(named((await call('GET', `${NODES}?labelSelector=pool%3Da`)).body)).toEqual(['n1'])
      expect(named((await call('GET', `${PODS}?labelSelector=app%3Drun`)).body)).toEqual([])
      expect(named((await call('GET', `${BASE}/pods`)).body)).toEqual(['runs'])
      expect(await call('GET', NODES, undefined, TABLE)).toMatchObject({
        body: {
          columnDefinitions: [{ name: 'Name' }, { name: 'cpu' }, { name: 'memory' }, { name: 'Window' }],
          rows: [{ cells: ['n1', '301m', '2363392Ki', '30s'] }, {}],
        },
      })
      for (const path of [`${PODS}/waits`, `${PODS}/nope`, `${NODES}/nope`]) expect(await call('GET', path)).toMatchObject({ code: 404 })
      expect(await call('DELETE', `${NODES}/n1`)).toMatchObject({ code: 405 })
      expect(await call('GET', `${NODES}?watch=true`)).toMatchObject({ code: 405 })
    })
  })

  it.skipIf(!hasKubectl())('is what kubectl top prints (skipped where kubectl is not installed)', async () => {
    await withKubectl(async ({ run, call }) => {
      await fill({ call })
      expect((await run('top nodes')).out).toMatch(
        /^NAME +CPU\(cores\) +CPU.+MEMORY\(bytes\) +MEMORY.+\nn1 +301m +15% +2308Mi +37% *\nn2 +50m +2% +1536Mi +25% *\n$/,
      )
      expect((await run('top pods')).out).toMatch(/^NAME +CPU\(cores\) +MEMORY\(bytes\) *\nruns +251m +772Mi *\n$/)
      expect((await run('top pods --containers -l app=runs')).out).toMatch(/\nruns +main +250m +768Mi *\nruns +side +1m +4Mi *\n$/)
      expect((await run('top pod waits')).err).toContain('NotFound')
      expect((await run('get nodes.metrics.k8s.io')).out).toMatch(/^NAME +CPU +MEMORY +WINDOW\nn1 +301m /)
    })
  })
})
