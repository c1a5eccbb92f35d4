import { listAt, textAt } from '../json.ts'
import type { Arm } from './arm.ts'
import type { VmRecord } from './armState.ts'

/** Ends a machine. Power goes off at once. The resource is gone after a while, with the disk and interfaces that are deleted with it. */
export function endOfVm(arm: Arm, vm: VmRecord, share: number, end: () => void): void {
  if (vm.state === 'Deleting') {
    vm.cancel.push(arm.timeline.after(arm.settings.durations.vmDelete * share, end))
    return
  }
  for (const cancel of vm.cancel) cancel()
  vm.cancel = []
  vm.state = 'Deleting'
  vm.version += 1
  if (vm.isBooted) arm.stopped(vm)
  vm.isBooted = false
  vm.cancel.push(
    arm.timeline.after(arm.settings.durations.vmDelete * share, () => {
      removeVm(arm, vm)
      end()
    }),
  )
}

/** Marks a machine as failed after its creation was accepted. The machine stays and keeps its interfaces. */
export function failVm(
  vm: VmRecord,
  failure: { readonly code: string; readonly message: string },
  end: (error: { readonly code: string; readonly message: string }) => void,
): void {
  vm.state = 'Failed'
  vm.version += 1
  vm.failure = { code: failure.code, message: failure.message }
  end(vm.failure)
}

/** Removes the resource, with the disk and the interfaces whose delete option is Delete. */
function removeVm(arm: Arm, vm: VmRecord): void {
  arm.state.vms.delete(vm.id.toLowerCase())
  if (textAt(vm.body, 'properties.storageProfile.osDisk.deleteOption') === 'Delete') arm.state.disks.delete(vm.diskId.toLowerCase())
  for (const reference of listAt(vm.body, 'properties.networkProfile.networkInterfaces')) {
    const nicId = (textAt(reference, 'id') ?? '').toLowerCase()
    const nic = arm.state.nics.get(nicId)
    if (nic === undefined || nic.vmId !== vm.id.toLowerCase()) continue
    if (textAt(reference, 'properties.deleteOption') === 'Delete') arm.state.nics.delete(nicId)
    else {
      delete nic.vmId
      if (vm.failure !== undefined)
        nic.reserved = { forVm: vm.id.toLowerCase(), until: Date.now() + arm.timeline.scaled(arm.settings.durations.nicReservation) }
    }
  }
}
