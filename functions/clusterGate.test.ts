import { describe, expect, it } from 'vitest'
import { createMemoryWorld } from '../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../shared/adapters/memory/virtualClock.ts'
import type { ClusterFacts } from '../shared/model/clusterFacts.ts'
import { clusterId } from '../shared/model/ids.ts'
import { problem } from '../shared/model/problem.ts'
import { parseManagedCluster } from '../shared/wire/azure/managedCluster.ts'
import type { ClusterConfig } from '../shared/wire/clusterConfig.ts'
import { parseClusterEntries } from '../shared/wire/clusterEntry.ts'
import { CLUSTER_ID, CLUSTERS, managedCluster } from '../test/builders/managedCluster.ts'
import type { ClusterGate, ClusterRuntime, Right } from './appDeps.ts'
import { createClusterGate, findCluster } from './clusterGate.ts'
import { clusterIdentities } from './clusterIdentities.ts'
import { createTestApp, type HttpCall, NOW } from './testing/testApp.ts'

const SIGNAL = new AbortController().signal
const FORBIDDEN = problem('AZURE.FORBIDDEN', 'cluster shop cannot be read: you may not')
const SUBNET = '/subscriptions/s/resourceGroups/MC_shop_shop_eastus/providers/Microsoft.Network/virtualNetworks/v/subnets/s'

function factsOf(body: unknown): ClusterFacts {
  const read = parseManagedCluster(body, CLUSTER_ID)
  if (!read.ok) throw new Error(read.error.message)
  return { ...read.value, network: { ...read.value.network, subnetId: SUBNET, vnetGuid: 'guid' } }
}

function setUp(over: object = {}) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('shop') })
  const parsed = parseClusterEntries(JSON.stringify([{ resourceId: CLUSTER_ID, caBundle: 'Y2E=', ...over }]))
  const [entry] = parsed.ok ? parsed.value : []
  if (entry === undefined) throw new Error('the entry is wrong')
  const built: ClusterConfig[] = []
  const build = (config: ClusterConfig): ClusterRuntime => {
    built.push(config)
    return { instancePrefix: `/${config.nodeResourceGroup}/` } as ClusterRuntime
  }
  const { facts } = world.ports
  const gate = createClusterGate({ entry, facts, build, identities: clusterIdentities('serviceAccount', entry) })
  return { world, gate, built, truth: world.facts }
}

describe('the gate to a cluster', () => {
  it('opens to what Azure says, and is built once while Azure says the same', async () => {
    const { gate, built, truth } = setUp()
    truth.said = factsOf(CLUSTERS.public)
    const first = await gate.open(SIGNAL)
    expect(await gate.open(SIGNAL)).toBe(first)
    expect(built).toMatchObject([{ id: 'shop', kubernetesVersion: '1.34.2', networkDataplane: 'cilium' }])
  })

  it('is built anew after the cluster was upgraded, without a restart of the app', async () => {
    const { gate, built, truth } = setUp()
    truth.said = factsOf(CLUSTERS.public)
    const first = await gate.open(SIGNAL)
    truth.said = factsOf(managedCluster({ currentKubernetesVersion: '1.35.0' }))
    expect(await gate.open(SIGNAL)).toBe(first)
    await gate.facts.refresh(SIGNAL)
    expect(await gate.open(SIGNAL)).not.toBe(first)
    expect(built.map(({ kubernetesVersion }) => kubernetesVersion)).toEqual(['1.34.2', '1.35.0'])
  })

  it('stays open when the cluster gets a member that is not supported, so that machines can end, and tells the launches', async () => {
    const { gate, built, truth } = setUp()
    truth.said = factsOf(CLUSTERS.public)
    await gate.open(SIGNAL)
    truth.said = factsOf(CLUSTERS['dual stack'])
    await gate.facts.refresh(SIGNAL)
    await gate.open(SIGNAL)
    expect(built.map(({ unsupported }) => unsupported)).toEqual([
      [],
      [expect.stringContaining('networkProfile.ipFamilies is not supported')],
    ])
  })

  it('stays open on what was read before while Azure does not answer', async () => {
    const { gate, truth } = setUp()
    truth.said = factsOf(CLUSTERS.public)
    const first = await gate.open(SIGNAL)
    truth.refusal = FORBIDDEN
    await gate.facts.refresh(SIGNAL)
    expect(await gate.open(SIGNAL)).toBe(first)
  })

  it('goes by its entry before Azure', async () => {
    const { gate, built, truth } = setUp({ kubernetesVersion: '1.33.0' })
    truth.said = factsOf(CLUSTERS.public)
    await gate.open(SIGNAL)
    expect(built).toMatchObject([{ kubernetesVersion: '1.33.0', networkDataplane: 'cilium' }])
  })

  it('is shut while nobody could read the cluster, and says why', async () => {
    const { gate, truth } = setUp()
    truth.said = factsOf(CLUSTERS.public)
    truth.refusal = FORBIDDEN
    await expect(gate.open(SIGNAL)).rejects.toMatchObject({ name: 'Fault', problem: FORBIDDEN })
  })

  it('is shut while a field is missing, and names it', async () => {
    const { gate, truth } = setUp()
    truth.said = factsOf(managedCluster({ linuxProfile: null }))
    await expect(gate.open(SIGNAL)).rejects.toMatchObject({ problem: { code: 'SETTING.INVALID', path: 'sshPublicKey' } })
  })
})

describe('the search for a cluster', () => {
  const gateOf = (open: ClusterGate['open']): ClusterGate => ({ ...setUp().gate, open })
  const runtime = (instancePrefix: string) => ({ instancePrefix }) as ClusterRuntime
  const shut = gateOf(() => Promise.reject(new Error('shut')))
  const open = gateOf(() => Promise.resolve(runtime('/a/')))

  it('finds the one that is meant beside one that is shut', async () => {
    expect(await findCluster([shut, open], ({ instancePrefix }) => instancePrefix === '/a/', SIGNAL)).toMatchObject({
      instancePrefix: '/a/',
    })
  })

  it('finds none only when each was looked at', async () => {
    expect(await findCluster([open], () => false, SIGNAL)).toBeUndefined()
    await expect(findCluster([open, shut], () => false, SIGNAL)).rejects.toThrow('shut')
  })
})

describe('who may post', () => {
  const entries = parseClusterEntries(
    JSON.stringify([
      {
        resourceId: CLUSTER_ID,
        caBundle: 'Y2E=',
        allowedShimIdentities: ['00000000-0000-4000-8000-00000000000A'],
        shimServiceAccount: 'ns/name',
        allowedReaderIdentities: ['00000000-0000-4000-8000-00000000000B'],
      },
    ]),
  )
  const [entry] = entries.ok ? entries.value : []
  if (entry === undefined) throw new Error('the entry is wrong')

  it('is the service account of that very cluster, or identities of Entra, never both', () => {
    expect([...clusterIdentities('serviceAccount', entry).post]).toEqual(['shop:system:serviceaccount:ns:name'])
    expect([...clusterIdentities('entra', entry).post]).toEqual(['00000000-0000-4000-8000-00000000000a'])
  })

  it.each(['serviceAccount', 'entra'] as const)('may not read, whatever SHIM_AUTH is: %s', (shimAuth) => {
    const { post, read } = clusterIdentities(shimAuth, entry)
    expect([...read]).toEqual(['shop:system:serviceaccount:joiner:joiner-reader', '00000000-0000-4000-8000-00000000000b'])
    expect([...post].filter((each) => read.has(each))).toEqual([])
  })
})

describe('the status of a cluster', () => {
  it('shows what Azure says, since when, what stands above it, and why it could not be read anew', async () => {
    const app = createTestApp()
    app.worlds.alpha.facts.said = factsOf(CLUSTERS.public)
    await app.run('timer', {})
    app.worlds.alpha.facts.refusal = FORBIDDEN
    await app.worlds.alpha.clock.advance(1_200_000)
    await app.run('timer', {})
    const { jsonBody } = await app.request('cluster-status', { cluster: 'alpha', authorization: 'Bearer reader-a' })
    expect(jsonBody).toMatchObject({
      problems: [FORBIDDEN],
      facts: { at: NOW, facts: { kubernetesVersion: '1.34.2' } },
      overrides: ['kubernetesVersion'],
      findings: [],
    })
  })

  it('shows what the preflight says of the cluster by now', async () => {
    const app = createTestApp()
    app.worlds.alpha.facts.said = factsOf(CLUSTERS.locked)
    await app.run('timer', {})
    const { jsonBody } = await app.request('cluster-status', { cluster: 'alpha', authorization: 'Bearer reader-a' })
    expect(jsonBody).toMatchObject({ findings: [{ severity: 'fail', code: 'PREFLIGHT.NODE_GROUP_LOCKED', object: CLUSTER_ID }] })
  })
})

describe('the timer', () => {
  it('reads what Azure says of each cluster, and goes on where Azure does not answer', async () => {
    const app = createTestApp()
    app.worlds.alpha.facts.said = factsOf(CLUSTERS.public)
    app.worlds.beta.facts.refusal = FORBIDDEN
    await app.run('timer', {})
    expect(app.worlds.alpha.facts.stored).toMatchObject({ facts: { kubernetesVersion: '1.34.2' }, at: NOW })
    expect(app.worlds.beta.facts.stored).toBeUndefined()
    expect(app.worlds.beta.catalog.fetchedAt).toBe(NOW)
  })
})

/** The right that each function about one cluster requires. A new function needs a row here. */
const RIGHTS: { readonly [name: string]: Right } = {
  events: 'post',
  'cluster-status': 'read',
  explain: 'read',
}
const CALLER: { readonly [Each in Right]: string } = { post: 'Bearer shim-a', read: 'Bearer reader-a' }
const OTHER: { readonly [Each in Right]: Right } = { post: 'read', read: 'post' }
const PARAMS = { kind: 'pods', first: 'default', second: 'x' }

describe('every function about one cluster', () => {
  it('asks for a token and no key: neither the shim nor who reads is given one', () => {
    const keyed = [...createTestApp().httpRoutes].filter(([, { authLevel }]) => authLevel !== 'anonymous').map(([name]) => name)
    expect(keyed).toEqual(['status'])
  })

  it('has its right in the table', () => {
    expect([...createTestApp().clusterRoutes].sort()).toEqual(Object.keys(RIGHTS).sort())
  })

  it.each(Object.entries(RIGHTS))('%s asks for the right to %s, and the other right is none', async (name, right) => {
    const app = createTestApp()
    const call = { cluster: 'alpha', params: PARAMS, body: name === 'events' ? '{}' : undefined } as HttpCall
    expect((await app.request(name, { ...call, authorization: CALLER[right] })).status).not.toBe(403)
    expect(await app.request(name, { ...call, authorization: CALLER[OTHER[right]] })).toMatchObject({ status: 403 })
    expect(await app.request(name, call)).toMatchObject({ status: 401 })
  })

  it.each(Object.keys(RIGHTS))('%s answers for a cluster that is foreign as for one that is not there', async (name) => {
    const app = createTestApp()
    const answerOf = async (cluster: string, caller: string) => {
      const answer = await app.request(name, { cluster, params: PARAMS, authorization: caller })
      return JSON.stringify(answer).replaceAll(cluster, 'CLUSTER')
    }
    for (const caller of [...Object.values(CALLER), 'Bearer someone', 'Bearer expired']) {
      expect(await answerOf('beta', caller)).toBe(await answerOf('gamma', caller))
    }
    const { entries } = app.worlds.beta.journal
    expect(entries).toEqual([])
  })
})
