import { describe, expect, it } from 'vitest'
import { NODES } from '../cluster/client/resource.ts'
import type { StartKubeletsOptions } from './startKubelets.ts'
import { testCustomData, testMachine } from './testing/machines.ts'
import { TEST_TOKEN, type TestCluster, type TestClusterOptions, withCluster } from './testing/withCluster.ts'

const BEGIN = Date.parse('2026-01-01T00:00:00Z')
const at = (seconds: number) => new Date(BEGIN + seconds * 1_000).toISOString().replace('.000Z', 'Z')

/** A clock that the test moves. The kubelets renew their leases all the time. */
function clock() {
  let now = BEGIN
  return {
    pass: (seconds: number) => {
      now += seconds * 1_000
    },
    options: (over: Partial<StartKubeletsOptions> = {}): TestClusterOptions => ({
      speed: 50,
      controllers: { which: ['cloudnode'] },
      kubelets: () => ({ now: () => now, leasePeriodMs: 40, ...over }),
    }),
  }
}

const nodeOf = async ({ api }: TestCluster) => {
  const seen = await api.get(NODES, { name: 'joiner-one' })
  return seen.ok ? seen.value : undefined
}
const readyOf = async (cluster: TestCluster) => (await nodeOf(cluster))?.status?.conditions?.find(({ type }) => type === 'Ready')
const renewedAt = ({ kubernetes }: TestCluster): unknown => {
  const lease = kubernetes.store.get('leases.coordination.k8s.io', 'kube-node-lease', 'joiner-one')
  return (lease?.['spec'] as { readonly renewTime?: string } | undefined)?.renewTime
}

describe('a node that is ready', () => {
  it('says so again when five minutes are over, and keeps since when it is', async () => {
    const { pass, options } = clock()
    await withCluster(options(), async (cluster) => {
      cluster.boot('joiner-one')
      await cluster.until('the node ready', async () => (await readyOf(cluster))?.status === 'True')
      const first = (await nodeOf(cluster))?.metadata.resourceVersion
      expect(await readyOf(cluster)).toMatchObject({ lastHeartbeatTime: at(0), lastTransitionTime: at(0) })
      // The kubelet renews its lease but does not write its status yet.
      pass(300)
      await cluster.until('a heartbeat', async () => renewedAt(cluster) === '2026-01-01T00:05:00.000000Z')
      pass(0.001)
      await cluster.until('a heartbeat', async () => renewedAt(cluster) === '2026-01-01T00:05:00.001000Z')
      await cluster.until('its status', async () => (await readyOf(cluster))?.lastHeartbeatTime === at(300))
      const node = await nodeOf(cluster)
      expect(Number(node?.metadata.resourceVersion)).toBeGreaterThan(Number(first))
      expect(node?.status?.conditions?.map(({ type, status, lastTransitionTime }) => [type, status, lastTransitionTime])).toEqual([
        ['MemoryPressure', 'False', at(0)],
        ['DiskPressure', 'False', at(0)],
        ['PIDPressure', 'False', at(0)],
        ['Ready', 'True', at(0)],
      ])
      // The status is written once, not with each heartbeat.
      pass(200)
      await cluster.until('a heartbeat', async () => renewedAt(cluster) === '2026-01-01T00:08:20.001000Z')
      expect((await readyOf(cluster))?.lastHeartbeatTime).toBe(at(300))
    })
  })

  it('is not made again where somebody deletes it', async () => {
    const { options } = clock()
    await withCluster(options(), async (cluster) => {
      cluster.boot('joiner-one')
      await cluster.until('the node ready', async () => (await readyOf(cluster))?.status === 'True')
      await cluster.api.remove(NODES, { name: 'joiner-one' })
      await cluster.until('a lease that cannot be renewed', async () =>
        cluster.kubelets.logs.some(({ message }) => message.startsWith('cannot renew the lease')),
      )
      expect(await nodeOf(cluster)).toBeUndefined()
    })
  })
})

describe('a node without a network', () => {
  it.each([
    ['since there is none', { hasNetwork: () => false }],
    ['since its agent runs elsewhere', { networkLabels: ['team=red'] }],
  ])('joins, lives and never gets ready %s, however long', async (_why, over) => {
    const { pass, options } = clock()
    await withCluster(options(over), async (cluster) => {
      cluster.boot('joiner-one', { labels: 'team=blue' })
      await cluster.until('the reason', async () =>
        cluster.kubelets.logs.find(({ message }) => message === 'container runtime network not ready: cni config uninitialized'),
      )
      pass(600)
      await cluster.until('a heartbeat', async () => renewedAt(cluster) === '2026-01-01T00:10:00.000000Z')
      expect(await readyOf(cluster)).toMatchObject({ status: 'False', reason: 'KubeletNotReady', lastHeartbeatTime: at(0) })
    })
  })

  it('gets ready where it has the label of the agent', async () => {
    const { options } = clock()
    await withCluster(options({ networkLabels: ['team=red'] }), async (cluster) => {
      cluster.boot('joiner-one', { labels: 'team=red' })
      await cluster.until('the node ready', async () => (await readyOf(cluster))?.status === 'True')
    })
  })
})

describe('GPUs of a node', () => {
  const gpuData = (cluster: TestCluster, line: string): string => {
    const facts = { apiServer: new URL(cluster.kubernetes.url).host, ca: cluster.kubernetes.caCertificate, token: TEST_TOKEN }
    const script = Buffer.from(testCustomData(facts), 'base64').toString()
    return Buffer.from(script.replace('set -o allexport', `set -o allexport\n${line}`)).toString('base64')
  }

  it('are there once their driver reports, after the node is ready', async () => {
    const { options } = clock()
    await withCluster(options(), async (cluster) => {
      const machine = testMachine('joiner-one', gpuData(cluster, 'GPU_NODE=true'), { size: 'Standard_NC24ads_A100_v4', gpus: 1 })
      cluster.machines.start(machine)
      await cluster.until('the GPU', async () => (await nodeOf(cluster))?.status?.allocatable?.['nvidia.com/gpu'] === '1')
      expect((await readyOf(cluster))?.status).toBe('True')
    })
  })

  it('are never there without their driver', async () => {
    const { pass, options } = clock()
    await withCluster(options(), async (cluster) => {
      cluster.machines.start(testMachine('joiner-one', gpuData(cluster, 'GPU_NODE=false'), { size: 'Standard_NC24ads_A100_v4', gpus: 1 }))
      await cluster.until('the node ready', async () => (await readyOf(cluster))?.status === 'True')
      pass(301)
      await cluster.until('its status again', async () => (await readyOf(cluster))?.lastHeartbeatTime === at(301))
      expect((await nodeOf(cluster))?.status?.allocatable).not.toHaveProperty(['nvidia.com/gpu'])
    })
  })
})
