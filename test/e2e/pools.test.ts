import { describe, expect, it } from 'vitest'
import { CLASS_PATH, DEPLOYMENT_PATH, deployment, nodeClass, POOL_PATH, poolNamed } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { takeInventory } from './inventory.ts'
import { onCluster } from './onCluster.ts'
import { until } from './until.ts'
import { claims, nodes, someClaim, whenSays, whenWarned } from './waits.ts'

onCluster('pools', scenarios)

const BLUE = { team: 'blue' }
const RED = { team: 'red' }
const NODE_POOL = 'karpenter.sh/nodepool'

function scenarios(environment: () => Environment): void {
  describe('a pool with taints, startup taints and labels', () => {
    it('gets its own pods only, once the startup taint is gone', async () => {
      const taints = [{ key: 'dedicated', value: 'blue', effect: 'NoSchedule' }]
      const startupTaints = [{ key: 'example.com/starting', effect: 'NoSchedule' }]
      await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE, template: { taints, startupTaints } }))
      await environment().make(DEPLOYMENT_PATH, deployment('stranger', 1, { nodeSelector: BLUE }))
      await whenWarned(environment(), /dedicated/)
      const tolerations = [{ key: 'dedicated', operator: 'Equal', value: 'blue', effect: 'NoSchedule' }]
      await environment().make(DEPLOYMENT_PATH, deployment('app-blue', 1, { nodeSelector: BLUE, tolerations }))
      const claim = await someClaim(environment())
      await whenSays(environment(), `/apis/karpenter.sh/v1/nodeclaims/${claim.metadata.name}`, {
        type: 'Initialized',
        status: 'Unknown',
        reason: 'StartupTaintsExist',
      })
      const [node] = await nodes(environment())
      expect(node?.metadata.labels).toMatchObject({ ...BLUE, [NODE_POOL]: 'blue' })
      await environment().remove(`${DEPLOYMENT_PATH}/stranger`)
      await environment().patch(`/api/v1/nodes/${node?.metadata.name}`, { spec: { taints: taints } })
      await environment().settle(1)
      expect(environment().machinesMade()).toHaveLength(1)
    })
  })

  describe('two pools', () => {
    it('share the pods out by weight', async () => {
      await environment().make(POOL_PATH, poolNamed('heavy', { spec: { weight: 50 } }))
      await whenSays(environment(), `${POOL_PATH}/heavy`, { type: 'Ready', status: 'True' })
      await environment().scale('app', 2)
      await environment().settle(2)
      expect((await claims(environment())).map(({ metadata }) => metadata.labels?.[NODE_POOL])).toEqual(['heavy', 'heavy'])
    })

    it('each take the pods that ask for their labels', async () => {
      await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE }))
      await environment().make(POOL_PATH, poolNamed('red', { labels: RED }))
      await environment().make(DEPLOYMENT_PATH, deployment('app-blue', 1, { nodeSelector: BLUE }))
      await environment().make(DEPLOYMENT_PATH, deployment('app-red', 2, { nodeSelector: RED }))
      await environment().settle(3)
      expect((await claims(environment())).map(({ metadata }) => metadata.labels?.[NODE_POOL]).sort()).toEqual(['blue', 'red', 'red'])
    })
  })

  describe('a pool with limits', () => {
    it('stops at them, says so, and goes on when they are raised', async () => {
      await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE, spec: { limits: { cpu: '4' } } }))
      await environment().make(DEPLOYMENT_PATH, deployment('app-blue', 3, { nodeSelector: BLUE }))
      await whenWarned(environment(), /nodepool blue: .*limit of cpu/)
      await until(async () => {
        const running = (await takeInventory(environment().stack)).pods.filter(({ isRunning }) => isRunning).length
        return running === 2 ? undefined : `${running} pods run`
      })
      expect(environment().machinesMade()).toHaveLength(2)
      await environment().patch(`${POOL_PATH}/blue`, { spec: { limits: { cpu: '6' } } })
      await environment().settle(3)
      expect(environment().machinesMade()).toHaveLength(3)
    })
  })

  describe('a pool whose node class is not ready', () => {
    it('says why and makes nothing, until the class is there; other pools go on', async () => {
      await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE, nodeClass: 'blue' }))
      await whenSays(environment(), `${POOL_PATH}/blue`, { type: 'NodeClassReady', status: 'False', reason: 'NodeClassNotFound' })
      await whenSays(environment(), `${POOL_PATH}/blue`, { type: 'Ready', status: 'False' })
      await environment().make(DEPLOYMENT_PATH, deployment('app-blue', 1, { nodeSelector: BLUE }))
      await whenWarned(environment(), /nodepool blue: .*aksnodeclass blue does not exist/)
      await environment().scale('app', 1)
      await until(async () => ((await claims(environment())).length === 1 ? undefined : 'the other pool makes nothing'))
      await environment().make(CLASS_PATH, nodeClass('blue'))
      await whenSays(environment(), `${POOL_PATH}/blue`, { type: 'Ready', status: 'True' })
      await environment().settle(2)
      expect(environment().machinesMade()).toHaveLength(2)
    })
  })

  describe('a pool that is deleted', () => {
    it('takes its nodes along, and its pods wait for another one', async () => {
      await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE }))
      await environment().make(DEPLOYMENT_PATH, deployment('app-blue', 2, { nodeSelector: BLUE }))
      await environment().settle(2)
      await environment().remove(`${POOL_PATH}/blue`)
      await until(async () => {
        const left = await takeInventory(environment().stack)
        const there = [...left.claims.map(({ name }) => name), ...left.nodes, ...left.vms, ...left.nics, ...left.disks, ...left.leases]
        const isRunning = left.pods.some((pod) => pod.isRunning)
        return there.length > 0 || isRunning || left.pods.length !== 2 ? `there is still ${there}, ${left.pods.length} pods` : undefined
      })
      await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE }))
      await environment().settle(2)
      expect(environment().machinesMade()).toHaveLength(4)
    })

    it('in the foreground stays until its last node is gone, and makes no other one', async () => {
      const path = `${POOL_PATH}/blue`
      await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE }))
      await environment().make(DEPLOYMENT_PATH, deployment('app-blue', 2, { nodeSelector: BLUE }))
      await environment().settle(2)
      await environment().send({ method: 'DELETE', path, query: { propagationPolicy: 'Foreground' } })
      await until(async () => {
        const pool = await environment().get(path)
        const left = (await claims(environment())).length
        if (pool === undefined && left > 0) throw new Error(`the pool is gone before ${left} of its claims`)
        return pool === undefined ? undefined : `the pool is there, with ${left} claims`
      })
      expect(environment().machinesMade()).toHaveLength(2)
    })
  })
}
