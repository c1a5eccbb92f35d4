import type { Arm, ArmRequest } from './arm.ts'
import { type ArmAnswer, armError } from './armAnswer.ts'
import type { DiskRecord } from './armState.ts'
import { page } from './page.ts'

/** Lists the disks of the group. Each disk is made with a machine, which owns it while the machine exists. An ephemeral disk is not a resource. */
export function listDisks(arm: Arm, request: ArmRequest): ArmAnswer {
  const inGroup = `/resourcegroups/${request.group}/`.toLowerCase()
  const disks = [...arm.state.disks.values()].filter(({ id, isEphemeral }) => !isEphemeral && id.toLowerCase().includes(inGroup))
  return page(
    arm,
    request,
    disks.map((disk) => diskBody(arm, disk)),
  )
}

export function deleteDisk(arm: Arm, request: ArmRequest): ArmAnswer {
  const key = request.path.toLowerCase()
  const disk = arm.state.disks.get(key)
  if (disk === undefined) return { status: 204 }
  const holder = holderOf(arm, disk)
  if (holder !== undefined) return armError(409, 'OperationNotAllowed', `Disk ${disk.name} is attached to VM ${holder}.`)
  arm.state.disks.delete(key)
  return { status: 200 }
}

function diskBody(arm: Arm, disk: DiskRecord): object {
  const { id, name, sizeGb } = disk
  const managedBy = holderOf(arm, disk)
  const diskState = managedBy === undefined ? 'Unattached' : 'Attached'
  const own = { id, name, type: 'Microsoft.Compute/disks', location: arm.settings.location }
  return { ...own, ...(managedBy === undefined ? {} : { managedBy }), properties: { diskSizeGB: sizeGb, diskState } }
}

function holderOf(arm: Arm, { id }: DiskRecord): string | undefined {
  return [...arm.state.vms.values()].find((vm) => vm.diskId.toLowerCase() === id.toLowerCase())?.id
}
