import { describe, expect, it, onTestFinished } from 'vitest'
import { connectionFrom } from '../cluster/client/connection.ts'
import { createKubeClient } from '../cluster/client/kubeClient.ts'
import { pod } from '../kubernetes/testing/samples.ts'
import { type TestServer, withServer } from '../kubernetes/testing/withServer.ts'
import type { Demo } from './demo.ts'
import { createStageTimes, type StageTimes } from './stageTimes.ts'
import { type ClusterView, watchCluster } from './watchCluster.ts'

const PODS = '/api/v1/namespaces/default/pods'
const CLAIMS = '/apis/karpenter.sh/v1/nodeclaims'

const claimDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'nodeclaims.karpenter.sh' },
  spec: {
    group: 'karpenter.sh',
    scope: 'Cluster',
    names: { plural: 'nodeclaims', kind: 'NodeClaim' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

type Seen = { readonly view: ClusterView; readonly times: StageTimes; readonly told: string[]; readonly server: TestServer }

/** Runs `look` with a watched server. `told` gets the kind and name of each object, and whether it is new, changed or gone. */
async function watched(look: (seen: Seen) => Promise<void>): Promise<void> {
  await withServer({}, async (server) => {
    await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', claimDefinition)
    await expect.poll(async () => (await server.call('GET', CLAIMS)).code).toBe(200)
    const client = createKubeClient(
      connectionFrom({ url: server.server.url, ca: server.server.caCertificate, token: server.server.adminToken }),
    )
    const told: string[] = []
    type Named = { readonly metadata: { readonly name: string } }
    const tell = (kind: string) => (now: Named | undefined, before: Named | undefined) =>
      void told.push(`${kind} ${(now ?? before)?.metadata.name} ${before === undefined ? 'new' : now === undefined ? 'gone' : 'changed'}`)
    const demo: Demo = {
      pod: tell('pod'),
      node: tell('node'),
      claim: tell('claim'),
      event: ({ message }) => void told.push(`event ${message}`),
      app: () => undefined,
      tick: () => undefined,
    }
    const times = createStageTimes()
    const view = watchCluster(client, demo, times)
    onTestFinished(() => {
      view.close()
      client.close()
    })
    await look({ view, times, told, server })
  })
}

const event = (name: string, message: string, over: object = {}) => ({
  metadata: { name },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'web', apiVersion: 'v1' },
  type: 'Warning',
  reportingComponent: 'joiner',
  message,
  ...over,
})

describe('the view of the cluster', () => {
  it('counts the pods of an app: all that are there, and those that run and stay', async () => {
    await watched(async ({ view, server: { call }, told }) => {
      for (const [name, app] of [
        ['a', 'inflate'],
        ['b', 'inflate'],
        ['c', 'inflate'],
        ['d', 'other'],
      ] as const)
        await call('POST', PODS, pod(name, { nodeName: 'n' }, { labels: { app } }))
      await call('POST', PODS, pod('e', { nodeName: 'n' }))
      for (const name of ['a', 'b', 'd', 'e']) await call('PATCH', `${PODS}/${name}/status`, { status: { phase: 'Running' } })
      await expect.poll(() => view.runningPods('inflate')).toBe(2)
      expect([view.pods('inflate'), view.pods('other'), view.pods('none')]).toEqual([3, 1, 0])
      // A terminating pod still exists but no longer counts as running.
      await call('DELETE', `${PODS}/a`, { gracePeriodSeconds: 30 })
      await expect.poll(() => view.runningPods('inflate')).toBe(1)
      expect(view.pods('inflate')).toBe(3)
      await call('DELETE', `${PODS}/a`, { gracePeriodSeconds: 0 })
      await expect.poll(() => view.pods('inflate')).toBe(2)
      expect(told.filter((line) => line.startsWith('pod a'))).toEqual(['pod a new', 'pod a changed', 'pod a changed', 'pod a gone'])
    })
  })

  it('counts nodes and claims, and knows when each reached its stages', async () => {
    await watched(async ({ view, times, told, server: { call } }) => {
      await call('POST', CLAIMS, { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name: 'default-a' } })
      await expect.poll(() => view.claims()).toBe(1)
      expect(times.of('default-a').size).toBe(0)
      await call('POST', '/api/v1/nodes', { metadata: { name: 'joiner-default-a' } })
      await expect.poll(() => view.nodes()).toBe(1)
      expect([...times.of('default-a').keys()]).toEqual(['node joined'])
      const reach = (...conditions: readonly string[]) =>
        call('PATCH', `${CLAIMS}/default-a/status`, { status: { conditions: conditions.map((type) => ({ type, status: 'True' })) } })
      await reach('Registered')
      await expect.poll(() => [...times.of('default-a').keys()]).toEqual(['node joined', 'registered'])
      const joined = times.of('default-a').get('node joined')
      await call('PATCH', '/api/v1/nodes/joiner-default-a', { metadata: { labels: { a: 'b' } } })
      await reach('Registered', 'Initialized')
      await expect.poll(() => [...times.of('default-a').keys()]).toEqual(['node joined', 'registered', 'initialized'])
      expect(times.of('default-a').get('node joined')).toBe(joined)
      await call('DELETE', `${CLAIMS}/default-a`)
      await call('DELETE', '/api/v1/nodes/joiner-default-a')
      await expect.poll(() => [view.claims(), view.nodes()]).toEqual([0, 0])
      await expect.poll(() => told).toEqual(expect.arrayContaining(['claim default-a gone', 'node joiner-default-a gone']))
    })
  })

  it('remembers what Joiner refused last, tells each event once, and minds no other', async () => {
    await watched(async ({ view, told, server: { call } }) => {
      const path = '/api/v1/namespaces/default/events'
      expect(view.refusal()).toBeUndefined()
      await call('POST', path, event('one', 'no quota'))
      await expect.poll(() => view.refusal()).toBe('pod default/web: no quota')
      await call('POST', path, event('two', 'not ours', { reportingComponent: 'kubelet' }))
      await call('PATCH', `${path}/one`, { count: 2 })
      await call('POST', path, event('three', 'no room'))
      await expect.poll(() => view.refusal()).toBe('pod default/web: no room')
      expect(told.filter((line) => line.startsWith('event'))).toEqual(['event no quota', 'event not ours', 'event no room'])
      await call('DELETE', `${path}/three`)
      await call('POST', path, event('four', 'all is well', { type: 'Normal' }))
      await expect.poll(() => told).toContain('event all is well')
      expect(view.refusal()).toBe('pod default/web: no room')
    })
  })
})
