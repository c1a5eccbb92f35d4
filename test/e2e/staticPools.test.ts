import { describe, expect, it } from 'vitest'
import { hasKubectl, kubectlOn } from '../../local/kubernetes/testing/kubectl.ts'
import { DEPLOYMENT_PATH, deployment, POOL_PATH, poolNamed } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { takeInventory } from './inventory.ts'
import { onCluster } from './onCluster.ts'
import { until } from './until.ts'
import { claims } from './waits.ts'

onCluster('static pools', scenarios)

const BLUE = { team: 'blue' }

function scenarios(environment: () => Environment): void {
  /** Scales with `kubectl scale`, or with the same request if kubectl is not installed. */
  async function scaleTo(replicas: number): Promise<void> {
    if (!hasKubectl()) return environment().patch(`${POOL_PATH}/fixed/scale`, { spec: { replicas } })
    const run = kubectlOn(environment().stack.kubeconfigFile, environment().directory)
    const scaled = await run(`scale nodepool fixed --replicas=${replicas}`)
    expect(scaled, scaled.err).toMatchObject({ code: 0 })
  }

  /** Waits until this number of machines is ready, each with all its objects, and there is nothing else. */
  async function whenThere(count: number): Promise<void> {
    await until(async () => {
      const { claims: own, nodes, vms, nics, disks, leases, tokens } = await takeInventory(environment().stack)
      const ready = own.filter(({ isReady }) => isReady).length
      const all = [own, nodes, vms, nics, disks, leases].map(({ length }) => length)
      const isSo = ready === count && all.every((length) => length === count) && tokens.length === 0
      return isSo ? undefined : `${ready} claims are ready; claims, nodes, VMs, NICs, disks, leases: ${all}; tokens: ${tokens.length}`
    })
    await until(async () => {
      const scale = await environment().get<{ status?: { replicas?: number } }>(`${POOL_PATH}/fixed/scale`)
      return (scale?.status?.replicas ?? 0) === count ? undefined : `the pool says ${scale?.status?.replicas}`
    })
  }

  describe('a pool with a fixed number of nodes', () => {
    it('SE-01 goes from none to five, to two and to none as it is scaled', async () => {
      await environment().make(POOL_PATH, poolNamed('fixed', { labels: BLUE, spec: { replicas: 0 } }))
      await whenThere(0)
      await scaleTo(5)
      await whenThere(5)
      await environment().make(DEPLOYMENT_PATH, deployment('app-blue', 1, { nodeSelector: BLUE }))
      await until(async () =>
        (await takeInventory(environment().stack)).pods.some(({ isRunning }) => isRunning) ? undefined : 'the pod does not run',
      )
      const [pod] = (await takeInventory(environment().stack)).pods
      await scaleTo(2)
      await whenThere(2)
      expect((await takeInventory(environment().stack)).nodes).toContain(pod?.node)
      expect((await claims(environment())).every(({ metadata }) => metadata.labels?.['team'] === 'blue')).toBe(true)
      await environment().remove(`${DEPLOYMENT_PATH}/app-blue`)
      await scaleTo(0)
      await whenThere(0)
      expect(environment().machinesMade()).toHaveLength(5)
    })

    it('SE-01 replaces nodes that drifted, each once another one is there, where its limit has room', async () => {
      const spec = { replicas: 2, limits: { nodes: '2' } }
      await environment().make(POOL_PATH, poolNamed('fixed', { labels: BLUE, spec }))
      await whenThere(2)
      await environment().patch(`${POOL_PATH}/fixed`, { spec: { template: { metadata: { labels: { team: 'green' } } } } })
      await until(async () => {
        const drifted = (await claims(environment())).filter(({ status }) => status?.conditions?.some(({ type }) => type === 'Drifted'))
        return drifted.length === 2 ? undefined : `${drifted.length} claims drifted`
      })
      expect(environment().machinesMade()).toHaveLength(2)
      await environment().patch(`${POOL_PATH}/fixed`, { spec: { limits: { nodes: '3' } } })
      await until(async () => {
        const teams = (await claims(environment())).map(({ metadata }) => metadata.labels?.['team'])
        return teams.length === 2 && teams.every((team) => team === 'green') ? undefined : `the claims are of ${teams}`
      })
      await whenThere(2)
      expect(environment().machinesMade()).toHaveLength(4)
      await scaleTo(0)
      await whenThere(0)
    })

    it('SE-01 stays within its limit, and replaces a node that is deleted', async () => {
      await environment().make(POOL_PATH, poolNamed('fixed', { spec: { replicas: 3, limits: { nodes: '2' } } }))
      await whenThere(2)
      const [first] = await claims(environment())
      await environment().remove(`/apis/karpenter.sh/v1/nodeclaims/${first?.metadata.name}`)
      await until(async () =>
        (await claims(environment())).some(({ metadata }) => metadata.name === first?.metadata.name) ? 'it is still there' : undefined,
      )
      await whenThere(2)
      expect(environment().machinesMade()).toHaveLength(3)
      await scaleTo(0)
      await whenThere(0)
    })
  })
}
