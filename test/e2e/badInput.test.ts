import { describe, expect, it } from 'vitest'
import type { Pod } from '../../local/cluster/client/objects.ts'
import { CLASS_PATH, DEPLOYMENT_PATH, deployment, nodeClass, POOL_PATH, poolNamed } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { onCluster } from './onCluster.ts'
import { until } from './until.ts'
import { claims, eventsOn, type Listed, someClaim, whenSays, whenTold } from './waits.ts'

onCluster('what admission cannot see', scenarios)

const BLUE = { team: 'blue' }

function scenarios(environment: () => Environment): void {
  /** Checks that the default pool still makes machines. */
  async function othersGoOn(): Promise<void> {
    await environment().scale('app', 1)
    await until(async () => ((await claims(environment())).length === 1 ? undefined : 'the other pool makes nothing'))
    expect((await someClaim(environment())).metadata.labels).toMatchObject({ 'karpenter.sh/nodepool': 'default' })
  }

  async function podsOfApp(): Promise<readonly string[]> {
    const pods = await environment().get<Listed<Pod>>('/api/v1/namespaces/default/pods')
    return (pods?.items ?? []).map(({ metadata }) => metadata.name).filter((name) => name.startsWith('app-blue'))
  }

  /** Makes a pod that only the broken pool could take, and waits for the Event that says why it is pending. */
  async function podSays(pattern: RegExp): Promise<void> {
    await environment().make(DEPLOYMENT_PATH, deployment('app-blue', 1, { nodeSelector: BLUE }))
    await until(async () => ((await podsOfApp()).length === 1 ? undefined : 'there is no pod'))
    const [pod = ''] = await podsOfApp()
    await whenTold(environment(), 'Pod', pod, 'FailedScheduling', pattern)
  }

  describe('a pool that names a class which does not exist', () => {
    it('says so in a condition and an event, becomes ready with the class, and says that', async () => {
      await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE, nodeClass: 'blue' }))
      await whenSays(environment(), `${POOL_PATH}/blue`, { type: 'NodeClassReady', status: 'False', reason: 'NodeClassNotFound' })
      await whenTold(environment(), 'NodePool', 'blue', 'NodeClassNotFound', /aksnodeclass blue does not exist; create it/)
      await podSays(/^Failed to schedule pod, nodepool blue: aksnodeclass blue does not exist; nodepool default: /)
      await othersGoOn()
      await environment().make(CLASS_PATH, nodeClass('blue'))
      await whenTold(environment(), 'NodePool', 'blue', 'Ready', /./)
      await environment().settle(2)
      await whenSays(environment(), `${POOL_PATH}/blue`, { type: 'NodeRegistrationHealthy', status: 'True' })
    })
  })

  describe('a pool that no size will ever do for', () => {
    it('names the requirement to blame, and is ready once it is widened', async () => {
      await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE, cpus: ['7777'] }))
      const wanted = { type: 'ValidationSucceeded', status: 'False', reason: 'NoCompatibleInstanceTypes' }
      await whenSays(environment(), `${POOL_PATH}/blue`, wanted)
      await whenTold(environment(), 'NodePool', 'blue', 'NoCompatibleInstanceTypes', /sku-cpu In \[7777\] \(values that exist: /)
      await podSays(/nodepool blue: it is not ready: .*sku-cpu In \[7777\]/)
      await othersGoOn()
      const requirements = [{ key: 'karpenter.azure.com/sku-cpu', operator: 'In', values: ['2'] }]
      await environment().patch(`${POOL_PATH}/blue`, { spec: { template: { spec: { requirements } } } })
      await whenSays(environment(), `${POOL_PATH}/blue`, { type: 'Ready', status: 'True' })
      await environment().settle(2)
    })
  })

  describe('a class that names a subnet where AKS keeps no nodes', () => {
    it('says so, keeps its pools from making anything, and is ready once it names another', async () => {
      const { subnetId } = environment().stack.azure
      const vnetSubnetID = subnetId.replace(/[^/]*$/, 'none')
      await environment().make(CLASS_PATH, nodeClass('blue', { vnetSubnetID }))
      await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE, nodeClass: 'blue' }))
      await whenSays(environment(), `${CLASS_PATH}/blue`, { type: 'SubnetsReady', status: 'False', reason: 'SubnetIDInvalid' })
      await whenSays(environment(), `${POOL_PATH}/blue`, { type: 'NodeClassReady', status: 'False' })
      await whenTold(
        environment(),
        'AKSNodeClass',
        'blue',
        'SubnetIDInvalid',
        /spec.vnetSubnetID .*subnets\/none is in the virtual network that AKS made, where nodes may be in .*subnets\/aks-subnet only/,
      )
      await whenTold(environment(), 'NodePool', 'blue', 'NodeClassNotReady', /subnets\/none is in the virtual network that AKS made/)
      await podSays(/nodepool blue: aksnodeclass blue is not ready: SubnetsReady=False/)
      await othersGoOn()
      expect(await claims(environment())).toHaveLength(1)
      await environment().patch(`${CLASS_PATH}/blue`, { spec: { vnetSubnetID: subnetId } })
      await whenSays(environment(), `${CLASS_PATH}/blue`, { type: 'Ready', status: 'True' })
      await environment().settle(2)
    })
  })

  describe('the events of trouble that lasts', () => {
    it('are one on each object, however often it is looked at, and whoever looks', async () => {
      await environment().make(POOL_PATH, poolNamed('green', { labels: BLUE, nodeClass: 'blue' }))
      await podSays(/nodepool green: aksnodeclass blue does not exist/)
      const decisions = () => environment().said().length
      const before = decisions()
      const second = environment().startHost()
      await second.ready()
      // Each scaling needs a look at the cluster, by one of the two processes.
      for (let look = 0; look < 2; look++) {
        await environment().scale('app', 1)
        await until(async () => ((await claims(environment())).length === 1 ? undefined : 'there is no machine'))
        await environment().scale('app', 0)
        await until(async () => ((await claims(environment())).length === 0 ? undefined : 'the machine stays'))
      }
      await second.child.stop()
      expect(decisions()).toBeGreaterThan(before)
      const [pod] = await podsOfApp()
      expect(await eventsOn(environment(), 'Pod', pod ?? '')).toEqual([expect.objectContaining({ count: 1 })])
      const told = await eventsOn(environment(), 'NodePool', 'green')
      expect(told.map(({ reason, count }) => [reason, count])).toEqual([['NodeClassNotFound', 1]])
    })
  })
}
