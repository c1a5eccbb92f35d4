import { recordAt } from '../json.ts'
import type { Arm } from './arm.ts'
import { etagOf, type VmRecord } from './armState.ts'

/** Returns the machine as ARM shows it: the body of the client without secrets, with what ARM adds. */
export function vmBody(arm: Arm, vm: VmRecord, withInstanceView: boolean): object {
  const properties = recordAt(vm.body, 'properties')
  const osProfile = { ...recordAt(properties, 'osProfile') }
  delete osProfile['customData']
  delete osProfile['adminPassword']
  return {
    ...vm.body,
    id: vm.id,
    name: vm.name,
    type: 'Microsoft.Compute/virtualMachines',
    location: arm.settings.location,
    tags: vm.tags,
    etag: etagOf(vm.version),
    properties: {
      ...properties,
      osProfile: { ...osProfile, allowExtensionOperations: true, requireGuestProvisionSignal: true, secrets: [] },
      storageProfile: storageOf(vm),
      vmId: vm.vmId,
      timeCreated: new Date(vm.createdAt).toISOString(),
      provisioningState: vm.state,
      ...(withInstanceView ? { instanceView: instanceView(vm) } : {}),
    },
  }
}

function storageOf(vm: VmRecord): object {
  const profile = recordAt(vm.body, 'properties.storageProfile')
  const disk = recordAt(profile, 'osDisk')
  return {
    ...profile,
    osDisk: { ...disk, osType: 'Linux', managedDisk: { ...recordAt(disk, 'managedDisk'), id: vm.diskId } },
    dataDisks: [],
  }
}

export function instanceView(vm: VmRecord): object {
  const time = new Date(vm.createdAt).toISOString()
  if (vm.failure !== undefined) {
    return {
      statuses: [
        {
          code: `ProvisioningState/failed/${vm.failure.code}`,
          level: 'Error',
          displayStatus: 'Provisioning failed',
          message: vm.failure.message,
          time,
        },
      ],
    }
  }
  const state = vm.state.toLowerCase()
  const power = vm.isBooted ? [{ code: 'PowerState/running', level: 'Info', displayStatus: 'VM running' }] : []
  return { statuses: [{ code: `ProvisioningState/${state}`, level: 'Info', displayStatus: `Provisioning ${state}`, time }, ...power] }
}
