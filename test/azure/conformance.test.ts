import { expect } from 'vitest'
import { DEFAULT_MACHINE_NAMES, instanceNameOf } from '../../shared/model/ids.ts'
import { eventually } from '../builders/eventually.ts'
import { describeCloudProvider, EARLIER_NAMES } from '../conformance/cloudProvider.ts'
import { armCall, nicBody, nicPath } from './armCall.ts'
import { SIGNAL, startHarness } from './harness.ts'

describeCloudProvider('Azure over its local emulator', async () => {
  const { azure, catalog, config, provider, cloudOf } = await startHarness({ speed: 500 })
  await catalog.refresh(SIGNAL)
  const isSettled = () => {
    const { vms, nics } = azure.state()
    return (
      vms.every((vm) => vm.state === 'Failed' || (vm.state === 'Succeeded' && vm.isBooted)) &&
      nics.every((nic) => nic.state === 'Succeeded')
    )
  }
  return {
    cloud: provider,
    earlier: cloudOf({ ...config, machinePrefix: EARLIER_NAMES.prefix, formerMachinePrefixes: [] }),
    zone: 'eastus-1',
    refuse: () => azure.script.capacity({ code: 'SkuNotAvailable' }),
    settle: () => eventually(() => expect(isSettled()).toBe(true)),
    async makeOrphanInterface(claim) {
      const name = instanceNameOf(claim, DEFAULT_MACHINE_NAMES)
      await armCall(azure, 'PUT', nicPath(azure, name), { body: { ...nicBody(azure), tags: { 'joiner.dev_cluster': config.id } } })
    },
    close: () => azure.close(),
  }
})
