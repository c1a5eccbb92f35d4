import { describe, expect, it } from 'vitest'
import type { Environment } from './environment.ts'
import { onRealCluster } from './onCluster.ts'
import { STRUCK_PODS, scaleUpStruck } from './scaleUpStruck.ts'

// The embedded Kubernetes ends with the test's own process. There, crash.test.ts strikes at more moments.
onRealCluster('restarts', scenarios)

function scenarios(environment: () => Environment): void {
  const decided = (): Promise<unknown> => environment().whenSaid(/^decision /)

  describe('the API server, killed and started again', () => {
    const restart = (): Promise<void> | undefined => environment().plane?.restartApiServer()

    it('leaves a scale-up that completes', async () => {
      await scaleUpStruck(environment(), () => environment().whenAsked('PUT', 'virtualMachines'), restart)
    })

    it('leaves a scale-down that completes', async () => {
      await environment().scale('app', STRUCK_PODS)
      await environment().settle(STRUCK_PODS)
      const deleting = environment().whenAsked('DELETE', 'virtualMachines')
      await environment().scale('app', 0)
      await deleting
      await restart()
      await environment().settle(0)
      expect(environment().machinesMade()).toHaveLength(STRUCK_PODS)
    })
  })

  describe('the app, killed', () => {
    it('leaves a scale-up that completes', async () => {
      await scaleUpStruck(environment(), decided, () => environment().stack.functions.child.kill())
    })
  })

  describe('the shim that leads, killed', () => {
    it('leaves a scale-up that completes, with another one that stood by', async () => {
      const second = await environment().startShim()
      await scaleUpStruck(environment(), decided, () => environment().stack.shim.kill())
      await second.stop()
    })
  })
}
