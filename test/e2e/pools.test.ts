import { describe, expect, it } from 'vitest'
import { takeCensus } from './census.ts'
import { CLASS_PATH, DEPLOYMENT_PATH, deployment, nodeClass, POOL_PATH, poolNamed } from './clusterObjects.ts'
import { onEachCluster } from './onEachCluster.ts'
import { until } from './until.ts'
import { claims, nodes, someClaim, whenSays, whenWarned } from './waits.ts'
import type { World } from './world.ts'

onEachCluster('pools', scenarios)

const BLUE = { team: 'blue' }
const RED = { team: 'red' }
const NODE_POOL = 'karpenter.sh/nodepool'

function scenarios(world: () => World): void {
  describe('a pool with taints, startup taints and labels', () => {
    it('gets its own pods only, once the startup taint is gone', async () => {
      const taints = [{ key: 'dedicated', value: 'blue', effect: 'NoSchedule' }]
      const startupTaints = [{ key: 'example.com/starting', effect: 'NoSchedule' }]
      await world().make(POOL_PATH, poolNamed('blue', { labels: BLUE, template: { taints, startupTaints } }))
      await world().make(DEPLOYMENT_PATH, deployment('stranger', 1, { nodeSelector: BLUE }))
      await whenWarned(world(), /dedicated/)
      const tolerations = [{ key: 'dedicated', operator: 'Equal', value: 'blue', effect: 'NoSchedule' }]
      await world().make(DEPLOYMENT_PATH, deployment('app-blue', 1, { nodeSelector: BLUE, tolerations }))
      const claim = await someClaim(world())
      await whenSays(world(), `/apis/karpenter.sh/v1/nodeclaims/${claim.metadata.name}`, {
        type: 'Initialized',
        status: 'Unknown',
        reason: 'StartupTaintsExist',
      })
      const [node] = await nodes(world())
      expect(node?.metadata.labels).toMatchObject({ ...BLUE, [NODE_POOL]: 'blue' })
      await world().remove(`${DEPLOYMENT_PATH}/stranger`)
      await world().patch(`/api/v1/nodes/${node?.metadata.name}`, { spec: { taints: taints } })
      await world().settle(1)
      expect(world().machinesMade()).toHaveLength(1)
    })
  })

  describe('two pools', () => {
    it('share the pods out by weight', async () => {
      await world().make(POOL_PATH, poolNamed('heavy', { spec: { weight: 50 } }))
      await whenSays(world(), `${POOL_PATH}/heavy`, { type: 'Ready', status: 'True' })
      await world().scale('app', 2)
      await world().settle(2)
      expect((await claims(world())).map(({ metadata }) => metadata.labels?.[NODE_POOL])).toEqual(['heavy', 'heavy'])
    })

    it('each take the pods that ask for their labels', async () => {
      await world().make(POOL_PATH, poolNamed('blue', { labels: BLUE }))
      await world().make(POOL_PATH, poolNamed('red', { labels: RED }))
      await world().make(DEPLOYMENT_PATH, deployment('app-blue', 1, { nodeSelector: BLUE }))
      await world().make(DEPLOYMENT_PATH, deployment('app-red', 2, { nodeSelector: RED }))
      await world().settle(3)
      expect((await claims(world())).map(({ metadata }) => metadata.labels?.[NODE_POOL]).sort()).toEqual(['blue', 'red', 'red'])
    })
  })

  describe('a pool with limits', () => {
    it('stops at them, says so, and goes on when they are raised', async () => {
      await world().make(POOL_PATH, poolNamed('blue', { labels: BLUE, spec: { limits: { cpu: '4' } } }))
      await world().make(DEPLOYMENT_PATH, deployment('app-blue', 3, { nodeSelector: BLUE }))
      await whenWarned(world(), /nodepool blue: .*limit of cpu/)
      await until(async () => {
        const running = (await takeCensus(world().stack)).pods.filter(({ isRunning }) => isRunning).length
        return running === 2 ? undefined : `${running} pods run`
      })
      expect(world().machinesMade()).toHaveLength(2)
      await world().patch(`${POOL_PATH}/blue`, { spec: { limits: { cpu: '6' } } })
      await world().settle(3)
      expect(world().machinesMade()).toHaveLength(3)
    })
  })

  describe('a pool whose node class is not ready', () => {
    it('says why and makes nothing, until the class is there; other pools go on', async () => {
      await world().make(POOL_PATH, poolNamed('blue', { labels: BLUE, nodeClass: 'blue' }))
      await whenSays(world(), `${POOL_PATH}/blue`, { type: 'NodeClassReady', status: 'False', reason: 'NodeClassNotFound' })
      await whenSays(world(), `${POOL_PATH}/blue`, { type: 'Ready', status: 'False' })
      await world().make(DEPLOYMENT_PATH, deployment('app-blue', 1, { nodeSelector: BLUE }))
      await whenWarned(world(), /nodepool blue: .*aksnodeclass blue does not exist/)
      await world().scale('app', 1)
      await until(async () => ((await claims(world())).length === 1 ? undefined : 'the other pool makes nothing'))
      await world().make(CLASS_PATH, nodeClass('blue'))
      await whenSays(world(), `${POOL_PATH}/blue`, { type: 'Ready', status: 'True' })
      await world().settle(2)
      expect(world().machinesMade()).toHaveLength(2)
    })
  })

  describe('a pool that is deleted', () => {
    it('takes its nodes along, and its pods wait for another one', async () => {
      await world().make(POOL_PATH, poolNamed('blue', { labels: BLUE }))
      await world().make(DEPLOYMENT_PATH, deployment('app-blue', 2, { nodeSelector: BLUE }))
      await world().settle(2)
      await world().remove(`${POOL_PATH}/blue`)
      await until(async () => {
        const left = await takeCensus(world().stack)
        const there = [...left.claims.map(({ name }) => name), ...left.nodes, ...left.vms, ...left.nics, ...left.disks, ...left.leases]
        const isRunning = left.pods.some((pod) => pod.isRunning)
        return there.length > 0 || isRunning || left.pods.length !== 2 ? `there is still ${there}, ${left.pods.length} pods` : undefined
      })
      await world().make(POOL_PATH, poolNamed('blue', { labels: BLUE }))
      await world().settle(2)
      expect(world().machinesMade()).toHaveLength(4)
    })
  })
}
