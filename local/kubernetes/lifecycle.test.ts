import { describe, expect, it } from 'vitest'
import { at, objectAt, textAt } from './object/json.ts'
import { deployment, pod } from './testing/samples.ts'
import { type TestServer, withServer } from './testing/withServer.ts'

const PODS = '/api/v1/namespaces/default/pods'
const MAPS = '/api/v1/namespaces/default/configmaps'
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'

const map = (name: string, meta: Record<string, unknown> = {}) => ({ metadata: { name, ...meta } })
const owner = (uid: string, more = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, ...more })
const names = (server: TestServer, resource = 'configmaps') =>
  server.server.store.list(resource, 'default').map((object) => object.metadata.name)

describe('an update', () => {
  it('with an old version is a conflict, without one it wins', async () => {
    await withServer({}, async ({ call }) => {
      await call('POST', MAPS, map('a'))
      const first = await call('PATCH', `${MAPS}/a`, { data: { x: '1' } })
      const version = textAt(first.body, 'metadata', 'resourceVersion')
      await call('PATCH', `${MAPS}/a`, { data: { x: '2' } })
      const late = await call('PUT', `${MAPS}/a`, { ...map('a', { resourceVersion: version }), data: { x: '3' } })
      expect(late.body).toMatchObject({
        code: 409,
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      })
      expect((await call('PUT', `${MAPS}/a`, { ...map('a'), data: { x: '4' } })).code).toBe(200)
    })
  })

  it('that changes nothing makes no new version, and a dry run changes nothing', async () => {
    await withServer({}, async ({ call }) => {
      const made = await call('POST', MAPS, { ...map('a'), data: { x: '1' } })
      expect((await call('PATCH', `${MAPS}/a`, { data: { x: '1' } })).body).toEqual(made.body)
      expect((await call('PATCH', `${MAPS}/a?dryRun=All`, { data: { x: '2' } })).body).toMatchObject({ data: { x: '2' } })
      expect((await call('GET', `${MAPS}/a`)).body).toEqual(made.body)
    })
  })
})

describe('a delete', () => {
  it('waits for finalizers, and adding one to a leaving object is forbidden', async () => {
    await withServer({}, async ({ call }) => {
      await call('POST', MAPS, map('a', { finalizers: ['example.com/keep'] }))
      const marked = await call('DELETE', `${MAPS}/a`)
      expect(marked.body).toMatchObject({ metadata: { name: 'a', deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0 } })
      const added = await call('PATCH', `${MAPS}/a`, { metadata: { finalizers: ['example.com/keep', 'example.com/more'] } })
      expect(added.body).toHaveProperty(
        'message',
        'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}',
      )
      await call('PATCH', `${MAPS}/a`, { metadata: { finalizers: null } })
      expect((await call('GET', `${MAPS}/a`)).code).toBe(404)
    })
  })

  it('obeys its preconditions', async () => {
    await withServer({}, async ({ call }) => {
      await call('POST', MAPS, map('a'))
      expect((await call('DELETE', `${MAPS}/a`, { preconditions: { uid: 'other' } })).code).toBe(409)
      expect((await call('DELETE', `${MAPS}/a`, { preconditions: { resourceVersion: '1' } })).code).toBe(409)
      expect((await call('DELETE', `${MAPS}/a`)).code).toBe(200)
    })
  })

  it('of a pod on a node gives it its grace, of a waiting pod none', async () => {
    await withServer({}, async ({ call }) => {
      await call('POST', PODS, pod('waiting'))
      await call('DELETE', `${PODS}/waiting`)
      expect((await call('GET', `${PODS}/waiting`)).code).toBe(404)
      await call('POST', PODS, pod('running', { nodeName: 'n' }))
      const marked = await call('DELETE', `${PODS}/running`)
      expect(marked.body).toMatchObject({ metadata: { deletionGracePeriodSeconds: 30 } })
      await call('DELETE', `${PODS}/running`, { gracePeriodSeconds: 0 })
      expect((await call('GET', `${PODS}/running`)).code).toBe(404)
    })
  })

  it('takes the dependents along in the background, and leaves them when told to orphan', async () => {
    await withServer({}, async (server) => {
      const { call } = server
      for (const policy of ['Background', 'Orphan']) {
        const made = await call('POST', MAPS, map('owner'))
        await call('POST', MAPS, map('dependent', { ownerReferences: [owner(textAt(made.body, 'metadata', 'uid'))] }))
        await call('DELETE', `${MAPS}/owner`, { propagationPolicy: policy })
        await expect.poll(() => names(server)).toEqual(policy === 'Orphan' ? ['dependent'] : [])
      }
      expect((await call('GET', `${MAPS}/dependent`)).body).not.toHaveProperty('metadata.ownerReferences')
    })
  })

  it('in the foreground keeps the owner until what blocks it is gone', async () => {
    await withServer({}, async (server) => {
      const { call } = server
      const made = await call('POST', MAPS, map('owner'))
      const reference = owner(textAt(made.body, 'metadata', 'uid'), { blockOwnerDeletion: true })
      await call('POST', MAPS, map('dependent', { ownerReferences: [reference], finalizers: ['example.com/keep'] }))
      await call('DELETE', `${MAPS}/owner`, { propagationPolicy: 'Foreground' })
      await expect.poll(async () => textAt((await call('GET', `${MAPS}/dependent`)).body, 'metadata', 'deletionTimestamp')).not.toBe('')
      expect(names(server)).toEqual(['dependent', 'owner'])
      await call('PATCH', `${MAPS}/dependent`, { metadata: { finalizers: null } })
      await expect.poll(() => names(server)).toEqual([])
    })
  })

  it('of a namespace empties it first, and nothing new may come', async () => {
    await withServer({ namespaces: ['team'] }, async ({ call, server }) => {
      await call('POST', '/api/v1/namespaces/team/configmaps', map('a', { finalizers: ['example.com/keep'] }))
      await call('DELETE', '/api/v1/namespaces/team')
      expect((await call('GET', '/api/v1/namespaces/team')).body).toMatchObject({ status: { phase: 'Terminating' } })
      const late = await call('POST', '/api/v1/namespaces/team/configmaps', map('b'))
      expect(late.body).toMatchObject({ code: 403, details: { causes: [{ reason: 'NamespaceTerminating' }] } })
      await call('PATCH', '/api/v1/namespaces/team/configmaps/a', { metadata: { finalizers: null } })
      await expect.poll(() => server.store.get('namespaces', '', 'team')).toBeUndefined()
    })
  })
})

describe('an eviction', () => {
  const running = async (server: TestServer, name: string) => {
    await server.call('POST', PODS, pod(name, { nodeName: 'n' }, { labels: { app: 'x' } }))
    await server.call('PATCH', `${PODS}/${name}/status`, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } })
  }
  const evict = (server: TestServer, name: string, query = '') =>
    server.call('POST', `${PODS}/${name}/eviction${query}`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace: 'default' },
    })
  const allowed = async (server: TestServer) => server.server.store.get('poddisruptionbudgets.policy', 'default', 'budget')?.['status']

  it('spends the budget that guards the pod, and is told to wait when it is spent', async () => {
    await withServer({}, async (server) => {
      for (const name of ['a', 'b']) await running(server, name)
      await server.call('POST', BUDGETS, {
        metadata: { name: 'budget' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
      })
      await expect
        .poll(() => allowed(server))
        .toMatchObject({ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 })
      expect((await evict(server, 'a', '?dryRun=All')).code).toBe(201)
      expect((await evict(server, 'a')).code).toBe(201)
      const refused = await evict(server, 'b')
      expect(refused).toMatchObject({
        code: 429,
        body: {
          reason: 'TooManyRequests',
          message: "Cannot evict pod as it would violate the pod's disruption budget.",
          details: {
            causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget budget needs 1 healthy pods and has 1 currently' }],
          },
        },
      })
    })
  })

  it('is refused where two budgets guard the pod, and asks none where the pod has ended', async () => {
    await withServer({}, async (server) => {
      for (const name of ['a', 'b']) await running(server, name)
      for (const name of ['one', 'other'])
        await server.call('POST', BUDGETS, { metadata: { name }, spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'x' } } } })
      const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
      expect(await evict(server, 'a')).toMatchObject({ code: 500, body: { reason: 'InternalError', message } })
      expect(server.server.store.count('pods')).toBe(2)
      await server.call('PATCH', `${PODS}/b/status`, { status: { phase: 'Succeeded' } })
      expect((await evict(server, 'b')).code).toBe(201)
    })
  })

  it('is spent by the eviction itself: nobody sees the same allowance again until the controller looks', async () => {
    await withServer({}, async (server) => {
      for (const name of ['a', 'b']) await running(server, name)
      await server.call('POST', BUDGETS, {
        metadata: { name: 'budget' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
      })
      await expect.poll(() => allowed(server)).toMatchObject({ disruptionsAllowed: 1 })
      const seen: unknown[] = []
      server.server.store.listen('poddisruptionbudgets.policy', ({ object }) => seen.push(at(object, 'status', 'disruptionsAllowed')))
      expect((await evict(server, 'a')).code).toBe(201)
      expect(seen).not.toEqual([])
      expect(seen.filter((each) => each !== 0)).toEqual([])
    })
  })
})

describe('a budget', () => {
  const SPECS: readonly (readonly [string, object, object])[] = [
    ['so many that are left', { minAvailable: 1 }, { desiredHealthy: 1, disruptionsAllowed: 2, expectedPods: 3 }],
    ['a share that is left', { minAvailable: '50%' }, { desiredHealthy: 2, disruptionsAllowed: 1, expectedPods: 4 }],
    ['so many that are missing', { maxUnavailable: 1 }, { desiredHealthy: 3, disruptionsAllowed: 0, expectedPods: 4 }],
    ['a share that is missing', { maxUnavailable: '50%' }, { desiredHealthy: 2, disruptionsAllowed: 1, expectedPods: 4 }],
    ['more that are missing than there are', { maxUnavailable: 9 }, { desiredHealthy: 0, disruptionsAllowed: 3, expectedPods: 4 }],
  ]
  it.each(SPECS)('of %s: %j', async (_what, spec, want) => {
    await withServer({}, async ({ call, server }) => {
      const made = await call('POST', '/apis/apps/v1/namespaces/default/replicasets', {
        metadata: { name: 'set' },
        spec: { replicas: 4, selector: { matchLabels: { app: 'x' } }, template: { metadata: { labels: { app: 'x' } }, ...deploymentPod } },
      })
      const { uid } = (made.body as { metadata: { uid: string } }).metadata
      const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid, controller: true }]
      // Three of the four pods that the ReplicaSet asks for exist and are ready.
      for (const name of ['a', 'b', 'c']) {
        await call('POST', PODS, pod(name, { nodeName: 'n' }, { labels: { app: 'x' }, ownerReferences }))
        await call('PATCH', `${PODS}/${name}/status`, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } })
      }
      await call('POST', BUDGETS, { metadata: { name: 'budget' }, spec: { ...spec, selector: { matchLabels: { app: 'x' } } } })
      const status = () => server.store.get('poddisruptionbudgets.policy', 'default', 'budget')?.['status']
      await expect.poll(status).toMatchObject({ currentHealthy: 3, ...want })
    })
  })

  const deploymentPod = { spec: { containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.9' }] } }
})

describe('a pod', () => {
  it('gets the defaults and admissions users see', async () => {
    await withServer({}, async ({ call }) => {
      await call('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'high' }, value: 7 })
      const limits = { cpu: '1' }
      const made = await call(
        'POST',
        PODS,
        pod('a', { priorityClassName: 'high', containers: [{ name: 'c', image: 'nginx', resources: { limits } }] }),
      )
      expect(made.body).toMatchObject({
        spec: {
          restartPolicy: 'Always',
          terminationGracePeriodSeconds: 30,
          schedulerName: 'default-scheduler',
          serviceAccountName: 'default',
          priority: 7,
          tolerations: [
            { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute', tolerationSeconds: 300 },
            { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', tolerationSeconds: 300 },
          ],
          containers: [{ imagePullPolicy: 'Always', resources: { limits, requests: limits } }],
        },
        status: { phase: 'Pending', qosClass: 'Burstable' },
      })
    })
  })

  it('is bound once', async () => {
    await withServer({}, async ({ call }) => {
      await call('POST', PODS, pod('a'))
      const bind = (node: string) => call('POST', `${PODS}/a/binding`, { metadata: { name: 'a' }, target: { kind: 'Node', name: node } })
      expect((await bind('n1')).code).toBe(201)
      expect((await call('GET', `${PODS}?fieldSelector=spec.nodeName%3Dn1`)).body).toMatchObject({ items: [{ spec: { nodeName: 'n1' } }] })
      expect((await bind('n2')).body).toHaveProperty('message', expect.stringContaining('is already assigned to node "n1"'))
    })
  })

  it('with a broken spec is refused with every field named', async () => {
    await withServer({}, async ({ call }) => {
      const broken = await call(
        'POST',
        PODS,
        pod('A', { restartPolicy: 'Sometimes', containers: [{ name: 'c', resources: { requests: { cpu: 'lots' } } }] }),
      )
      const fields = JSON.stringify(objectAt(broken.body, 'details'))
      for (const field of ['metadata.name', 'spec.restartPolicy', 'spec.containers[0].image', 'spec.containers[0].resources.requests[cpu]'])
        expect(fields).toContain(`"${field}"`)
    })
  })
})

describe('what the server does not do', () => {
  const REFUSED = {
    'container logs': ['GET', `${PODS}/a/log`, 501, 'container logs'],
    exec: ['POST', `${PODS}/a/exec`, 501, 'exec'],
    'an unknown resource': ['GET', '/apis/example.com/v1/things', 404, 'the server could not find the requested resource'],
  } as const
  for (const [name, [method, path, code, words]] of Object.entries(REFUSED)) {
    it(`is refused by name: ${name}`, async () => {
      await withServer({}, async ({ call }) => {
        const answer = await call(method, path)
        expect(answer).toMatchObject({ code, body: { kind: 'Status', message: expect.stringContaining(words) } })
      })
    })
  }

  it('scales a deployment through its subresource', async () => {
    await withServer({}, async ({ call }) => {
      await call('POST', '/apis/apps/v1/namespaces/default/deployments', deployment('web', 2))
      const path = '/apis/apps/v1/namespaces/default/deployments/web/scale'
      const read = await call('GET', path)
      expect(read.body).toMatchObject({ apiVersion: 'autoscaling/v1', spec: { replicas: 2 }, status: { selector: 'app=web' } })
      expect((await call('PATCH', path, { spec: { replicas: -1 } })).code).toBe(422)
      expect((await call('PUT', path, { ...Object(read.body), spec: { replicas: 5 } })).body).toMatchObject({ spec: { replicas: 5 } })
    })
  })

  it('selects by the labels of its template where a replication controller names none', async () => {
    await withServer({}, async ({ call }) => {
      const { spec } = deployment('web', 2) as { spec: { template: object } }
      const controller = { apiVersion: 'v1', kind: 'ReplicationController', metadata: { name: 'web' }, spec: { template: spec.template } }
      const path = '/api/v1/namespaces/default/replicationcontrollers'
      expect((await call('POST', path, controller)).body).toMatchObject({ spec: { replicas: 1, selector: { app: 'web' } } })
      expect((await call('GET', `${path}/web/scale`)).body).toMatchObject({ status: { selector: 'app=web' } })
      const others = { ...controller, metadata: { name: 'others' }, spec: { ...controller.spec, selector: { app: 'api' } } }
      expect(await call('POST', path, others)).toMatchObject({
        code: 422,
        body: { message: expect.stringContaining('does not match template') },
      })
    })
  })
})
