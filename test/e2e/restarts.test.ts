import { describe, expect, it } from 'vitest'
import { onCluster } from './onEachCluster.ts'
import { STRUCK_PODS, scaleUpStruck } from './scaleUpStruck.ts'
import type { World } from './world.ts'

// On the embedded Kubernetes, which ends with the test's own process, crash.test.ts strikes at more moments.
onCluster('real', 'restarts', scenarios)

function scenarios(world: () => World): void {
  const decided = (): Promise<unknown> => world().whenSaid(/^decision /)

  describe('the API server, killed and started again', () => {
    const restart = (): Promise<void> | undefined => world().plane?.restartApiServer()

    it('leaves a scale-up that completes', async () => {
      await scaleUpStruck(world(), () => world().whenAsked('PUT', 'virtualMachines'), restart)
    })

    it('leaves a scale-down that completes', async () => {
      await world().scale('app', STRUCK_PODS)
      await world().settle(STRUCK_PODS)
      const deleting = world().whenAsked('DELETE', 'virtualMachines')
      await world().scale('app', 0)
      await deleting
      await restart()
      await world().settle(0)
      expect(world().machinesMade()).toHaveLength(STRUCK_PODS)
    })
  })

  describe('the app, killed', () => {
    it('leaves a scale-up that completes', async () => {
      await scaleUpStruck(world(), decided, () => world().stack.functions.child.kill())
    })
  })

  describe('the shim that leads, killed', () => {
    it('leaves a scale-up that completes, with another one that stood by', async () => {
      const second = await world().startShim()
      await scaleUpStruck(world(), decided, () => world().stack.shim.kill())
      await second.stop()
    })
  })
}
