import { describe, expect, it } from 'vitest'
import { pod } from './testing/samples.ts'
import { type TestServer, withServer } from './testing/withServer.ts'

const PODS = '/api/v1/namespaces/default/pods'
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
const READY = { type: 'Ready', status: 'True' }
const UNREADY = { type: 'Ready', status: 'False' }

type Conditions = readonly { readonly type: string; readonly status: string }[]

/** Makes a pod on a node, with the label of app x, in a phase. */
async function place({ call }: TestServer, name: string, conditions: Conditions = [READY], phase = 'Running'): Promise<void> {
  await call('POST', PODS, pod(name, { nodeName: 'n' }, { labels: { app: 'x' } }))
  await call('PATCH', `${PODS}/${name}/status`, { status: { phase, conditions } })
}

async function guard({ call, server }: TestServer, spec: object, status: object): Promise<void> {
  await call('POST', BUDGETS, { metadata: { name: 'budget' }, spec: { selector: { matchLabels: { app: 'x' } }, ...spec } })
  await expect.poll(() => server.store.get('poddisruptionbudgets.policy', 'default', 'budget')?.['status']).toMatchObject(status)
}

async function evict({ call }: TestServer, name: string, body: object = {}): Promise<number> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' }, ...body }
  return (await call('POST', `${PODS}/${name}/eviction`, eviction)).code
}

describe('the eviction of a pod that is not ready', () => {
  it('asks for nothing where enough others are healthy, and a ready one is still held', async () => {
    await withServer({}, async (server) => {
      await place(server, 'a')
      await place(server, 'b', [UNREADY, { type: 'Initialized', status: 'True' }])
      await guard(server, { minAvailable: 1 }, { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 })
      expect(await evict(server, 'a')).toBe(429)
      expect(await evict(server, 'b')).toBe(201)
      expect(await evict(server, 'a')).toBe(429)
    })
  })

  it.each([
    [undefined, 429],
    ['IfHealthyBudget', 429],
    ['AlwaysAllow', 201],
  ])('where others are missing goes by the policy %s', async (unhealthyPodEvictionPolicy, code) => {
    await withServer({}, async (server) => {
      await place(server, 'a')
      await place(server, 'b', [])
      const policy = unhealthyPodEvictionPolicy === undefined ? {} : { unhealthyPodEvictionPolicy }
      await guard(server, { minAvailable: 2, ...policy }, { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2 })
      expect(await evict(server, 'b')).toBe(code)
      // A pod that is ready is protected under each policy.
      expect(await evict(server, 'a')).toBe(429)
    })
  })

  it('is not for a pod that is ready, whatever else it is not', async () => {
    await withServer({}, async (server) => {
      await place(server, 'a', [{ type: 'Other', status: 'False' }, READY])
      await place(server, 'b', [UNREADY])
      await guard(server, { minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, { currentHealthy: 1 })
      expect(await evict(server, 'a')).toBe(429)
      expect(await evict(server, 'b')).toBe(201)
    })
  })
})

describe('the eviction of a pod that disrupts nobody', () => {
  it.each(['Pending', 'Succeeded', 'Failed'])('since it is %s asks no budget', async (phase) => {
    await withServer({}, async (server) => {
      await place(server, 'a', [READY], phase)
      await place(server, 'b')
      await guard(server, { maxUnavailable: 0 }, { disruptionsAllowed: 0 })
      expect(await evict(server, 'a')).toBe(201)
      expect(await evict(server, 'b')).toBe(429)
    })
  })

  it('since it leaves already asks no budget, and spends none', async () => {
    await withServer({}, async (server) => {
      for (const name of ['a', 'b', 'c']) await place(server, name)
      await guard(server, { minAvailable: 1 }, { disruptionsAllowed: 2 })
      for (let time = 0; time < 3; time++) expect(await evict(server, 'a')).toBe(201)
      expect(await evict(server, 'b')).toBe(201)
      expect(await evict(server, 'c')).toBe(429)
    })
  })

  it('since no budget selects it is free', async () => {
    await withServer({ namespaces: ['other'] }, async (server) => {
      await place(server, 'a')
      await guard(server, { maxUnavailable: 0, selector: { matchLabels: { app: 'y' } } }, { disruptionsAllowed: 0 })
      await server.call('POST', BUDGETS, { metadata: { name: 'of-nobody' }, spec: { maxUnavailable: 0 } })
      await server.call('POST', BUDGETS.replace('default', 'other'), {
        metadata: { name: 'budget' },
        spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'x' } } },
      })
      expect(await evict(server, 'a')).toBe(201)
    })
  })
})

describe('an eviction', () => {
  it('gives the grace that it asks for', async () => {
    await withServer({}, async (server) => {
      await place(server, 'a')
      expect(await evict(server, 'a', { deleteOptions: { gracePeriodSeconds: 7 } })).toBe(201)
      expect((await server.call('GET', `${PODS}/a`)).body).toMatchObject({ metadata: { deletionGracePeriodSeconds: 7 } })
    })
  })

  it('obeys its preconditions', async () => {
    await withServer({}, async (server) => {
      await place(server, 'a')
      expect(await evict(server, 'a', { deleteOptions: { preconditions: { uid: 'another' } } })).toBe(409)
      expect(await evict(server, 'none')).toBe(404)
      expect((await server.call('GET', `${PODS}/a`)).body).not.toHaveProperty('metadata.deletionTimestamp')
    })
  })

  it('of a dry run neither ends the pod nor spends the budget', async () => {
    await withServer({}, async (server) => {
      for (const name of ['a', 'b']) await place(server, name)
      await guard(server, { minAvailable: 1 }, { disruptionsAllowed: 1 })
      for (let time = 0; time < 2; time++) expect(await evict(server, 'a', { deleteOptions: { dryRun: ['All'] } })).toBe(201)
      expect(server.server.store.get('poddisruptionbudgets.policy', 'default', 'budget')?.['status']).toMatchObject({
        disruptionsAllowed: 1,
      })
      expect((await server.call('GET', `${PODS}/a`)).body).not.toHaveProperty('metadata.deletionTimestamp')
    })
  })
})
