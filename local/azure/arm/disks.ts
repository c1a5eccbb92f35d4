import { isRecord, textsAt } from '../json.ts'
import type { Arm, ArmRequest } from './arm.ts'
import { type ArmAnswer, armError, notFound } from './armAnswer.ts'
import type { DiskRecord } from './armState.ts'
import { page } from './page.ts'

const TYPE = 'Microsoft.Compute/disks'

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

export function getDisk(arm: Arm, request: ArmRequest): ArmAnswer {
  const disk = resourceOf(arm, request)
  return disk === undefined ? notFound(TYPE, request.name, request.group) : { status: 200, body: diskBody(arm, disk) }
}

/** Replaces the tags of a disk as a whole. */
export function patchDisk(arm: Arm, request: ArmRequest): ArmAnswer {
  const disk = resourceOf(arm, request)
  if (disk === undefined) return notFound(TYPE, request.name, request.group)
  const unserved = Object.keys(request.body).find((key) => key !== 'tags')
  if (unserved !== undefined) return armError(501, 'NotImplemented', `this emulator changes only tags of a disk, not '${unserved}'`)
  if (isRecord(request.body['tags'])) disk.tags = textsAt(request.body, 'tags')
  return { status: 200, body: diskBody(arm, disk) }
}

function resourceOf(arm: Arm, request: ArmRequest): DiskRecord | undefined {
  const disk = arm.state.disks.get(request.path.toLowerCase())
  return disk?.isEphemeral === true ? undefined : disk
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
  const { id, name, sizeGb, tags } = disk
  const managedBy = holderOf(arm, disk)
  const diskState = managedBy === undefined ? 'Unattached' : 'Attached'
  const own = { id, name, type: TYPE, location: arm.settings.location, tags }
  return { ...own, ...(managedBy === undefined ? {} : { managedBy }), properties: { diskSizeGB: sizeGb, diskState } }
}

function holderOf(arm: Arm, { id }: DiskRecord): string | undefined {
  return [...arm.state.vms.values()].find((vm) => vm.diskId.toLowerCase() === id.toLowerCase())?.id
}
