import { at, isRecord, recordAt, textAt, textsAt } from '../json.ts'
import { type Arm, type ArmRequest, beginOperation } from './arm.ts'
import { type ArmAnswer, armError, notFound } from './armAnswer.ts'
import { etagOf, type VmRecord } from './armState.ts'
import { capacityRefusal } from './capacityRefusal.ts'
import { instanceView, vmBody } from './vmBody.ts'
import { endOfVm, failVm } from './vmEnd.ts'
import { changedProperty, checkNewVm, type NewVmRequest, preconditionProblem } from './vmRules.ts'

const TYPE = 'Microsoft.Compute/virtualMachines'

export function vmIdOf(arm: Arm, group: string, name: string): string {
  return `/subscriptions/${arm.settings.subscriptionId}/resourceGroups/${group}/providers/${TYPE}/${name}`
}

export function putVm(arm: Arm, request: ArmRequest): ArmAnswer {
  const id = vmIdOf(arm, request.group, request.name)
  const existing = arm.state.vms.get(id.toLowerCase())
  const precondition = preconditionProblem(request.headers, existing?.version)
  if (precondition !== undefined) return precondition
  if (existing !== undefined) return putAgain(arm, existing, request)
  const wish = checkNewVm(arm, request, id)
  if ('status' in wish) return wish
  const refusal = capacityRefusal(arm, wish.size, wish.zone, wish.priority)
  if (refusal?.when === 'refuse') return armError(refusal.status, refusal.code, refusal.message)
  const vm = recordOf(id, request, wish)
  arm.state.vms.set(id.toLowerCase(), vm)
  for (const nicId of wish.nicIds) {
    const nic = arm.state.nics.get(nicId)
    if (nic !== undefined) nic.vmId = id.toLowerCase()
  }
  const operation = beginOperation(arm, 'Microsoft.Compute', request.query.get('api-version') ?? '')
  if (refusal === undefined) create(arm, vm, operation.end)
  else vm.cancel.push(arm.timeline.after(arm.settings.durations.vmCreate / 2, () => failVm(vm, refusal, operation.end)))
  return { status: 201, headers: { ...operation.asyncHeader, etag: etagOf(vm.version) }, body: vmBody(arm, vm, false) }
}

function create(arm: Arm, vm: VmRecord, end: () => void): void {
  const { durations } = arm.settings
  const finish = () => {
    vm.state = 'Succeeded'
    vm.version += 1
    end()
  }
  const boot = () => {
    vm.isBooted = true
    arm.booted(vm)
  }
  arm.state.disks.set(vm.diskId.toLowerCase(), {
    id: vm.diskId,
    name: vm.diskId.split('/').at(-1) ?? '',
    vmName: vm.name,
    sizeGb: Number(at(vm.body, 'properties.storageProfile.osDisk.diskSizeGB') ?? 30),
    isEphemeral: at(vm.body, 'properties.storageProfile.osDisk.diffDiskSettings') !== undefined,
    // The disk gets the tags of its machine when both are made, and none later (hashicorp/terraform-provider-azurerm issue 8162, 2022-12).
    tags: { ...vm.tags },
  })
  vm.cancel.push(arm.timeline.after(durations.vmCreate, finish), arm.timeline.after(durations.vmBoot, boot))
}

function putAgain(arm: Arm, vm: VmRecord, request: ArmRequest): ArmAnswer {
  if (vm.state === 'Deleting')
    return armError(409, 'OperationNotAllowed', `Operation 'PUT' is not allowed on VM '${vm.name}' since the VM is marked for deletion.`)
  const changed = changedProperty(vm, request.body)
  if (changed !== undefined) return changed
  vm.tags = textsAt(request.body, 'tags')
  vm.version += 1
  return { status: 200, headers: { etag: etagOf(vm.version) }, body: vmBody(arm, vm, false) }
}

export function getVm(arm: Arm, request: ArmRequest): ArmAnswer {
  const vm = arm.state.vms.get(vmIdOf(arm, request.group, request.name).toLowerCase())
  if (vm === undefined) return notFound(TYPE, request.name, request.group)
  const expand = request.query.get('$expand')
  if (expand !== null && expand.toLowerCase() !== 'instanceview')
    return armError(400, 'InvalidParameter', `The value '${expand}' of $expand is not served here; instanceView is.`)
  return { status: 200, headers: { etag: etagOf(vm.version) }, body: vmBody(arm, vm, expand !== null) }
}

export function getInstanceView(arm: Arm, request: ArmRequest): ArmAnswer {
  const vm = arm.state.vms.get(vmIdOf(arm, request.group, request.name).toLowerCase())
  return vm === undefined ? notFound(TYPE, request.name, request.group) : { status: 200, body: instanceView(vm) }
}

/**
 * Evicts a spot machine within half an hour, as a test of what depends on it (Virtual Machines - Simulate Eviction, 2026-03-01: 204 without a body).
 * Here it comes with the usual notice. A machine that is not spot, or does not run, is refused: what Azure answers then is not published.
 */
export function simulateEviction(arm: Arm, request: ArmRequest): ArmAnswer {
  const vm = arm.state.vms.get(vmIdOf(arm, request.group, request.name).toLowerCase())
  if (vm === undefined) return notFound(TYPE, request.name, request.group)
  if (vm.priority !== 'Spot' || !vm.isBooted)
    return armError(409, 'OperationNotAllowed', `The eviction of VM '${vm.name}' cannot be simulated: it is no spot machine that runs.`)
  arm.evict(vm)
  return { status: 204 }
}

/**
 * Restarts a machine on its host: it keeps its disk, and a spot machine its place. The answer is 202 with a `Location`, and the operation may end while
 * the guest still starts (Azure/azure-sdk-for-net issue 19977, 2021-03). A machine that is stopped or deallocated is refused with 409 in these words
 * (PierreBeucher/cloudypad issue 69, 2024-11). A machine that restarts already is set to run, so it is restarted again.
 */
export function restartVm(arm: Arm, request: ArmRequest): ArmAnswer {
  const vm = arm.state.vms.get(vmIdOf(arm, request.group, request.name).toLowerCase())
  if (vm === undefined) return notFound(TYPE, request.name, request.group)
  if (vm.state === 'Deleting')
    return armError(
      409,
      'OperationNotAllowed',
      `Operation 'restart' is not allowed on VM '${vm.name}' since the VM is marked for deletion.`,
    )
  if (vm.state === 'Creating' || vm.state === 'Updating')
    return armError(409, 'ConflictingConcurrentWriteNotAllowed', `Another write of VM '${vm.name}' is under way.`)
  if (!vm.isBooted && vm.restarting === undefined)
    return armError(409, 'OperationNotAllowed', 'The operation requires the VM to be running (or set to run).')
  const operation = beginOperation(arm, 'Microsoft.Compute', request.query.get('api-version') ?? '')
  const { durations } = arm.settings
  vm.restarting?.()
  if (vm.isBooted) arm.goesDown(vm)
  vm.isBooted = false
  vm.restarting = arm.timeline.after(durations.vmBoot, () => {
    delete vm.restarting
    vm.isBooted = true
    arm.booted(vm)
  })
  vm.cancel.push(() => vm.restarting?.(), arm.timeline.after(durations.update, operation.end))
  return { status: 202, headers: { ...operation.asyncHeader, ...operation.locationHeader } }
}

/**
 * Updates tags and identities: tags are replaced as a whole, identities are added. An update takes time, and another one in this time is refused
 * (cloudfoundry/bosh-azure-cpi-release pull request 761, 2026-08).
 */
export function patchVm(arm: Arm, request: ArmRequest): ArmAnswer {
  const vm = arm.state.vms.get(vmIdOf(arm, request.group, request.name).toLowerCase())
  if (vm === undefined) return notFound(TYPE, request.name, request.group)
  const unserved = Object.keys(request.body).find((key) => key !== 'tags' && key !== 'identity')
  if (unserved !== undefined)
    return armError(501, 'NotImplemented', `this emulator changes only tags and identity of a virtual machine, not '${unserved}'`)
  const precondition = preconditionProblem(request.headers, vm.version)
  if (precondition !== undefined) return precondition
  if (vm.state === 'Deleting')
    return armError(409, 'OperationNotAllowed', `Operation 'PATCH' is not allowed on VM '${vm.name}' since the VM is marked for deletion.`)
  if (vm.state === 'Creating' || vm.state === 'Updating')
    return armError(409, 'ConflictingConcurrentWriteNotAllowed', `Another write of VM '${vm.name}' is under way.`)
  if (isRecord(request.body['tags'])) vm.tags = textsAt(request.body, 'tags')
  if (isRecord(request.body['identity'])) {
    const identities = {
      ...recordAt(vm.body, 'identity.userAssignedIdentities'),
      ...recordAt(request.body, 'identity.userAssignedIdentities'),
    }
    vm.body = { ...vm.body, identity: { type: 'UserAssigned', userAssignedIdentities: identities } }
  }
  vm.version += 1
  const operation = beginOperation(arm, 'Microsoft.Compute', request.query.get('api-version') ?? '')
  const before = vm.state
  vm.state = 'Updating'
  vm.cancel.push(
    arm.timeline.after(arm.settings.durations.update, () => {
      vm.state = before
      operation.end()
    }),
  )
  return { status: 200, headers: { ...operation.asyncHeader, etag: etagOf(vm.version) }, body: vmBody(arm, vm, false) }
}

export function deleteVm(arm: Arm, request: ArmRequest): ArmAnswer {
  const vm = arm.state.vms.get(vmIdOf(arm, request.group, request.name).toLowerCase())
  if (vm === undefined) return { status: 204 }
  const precondition = preconditionProblem(request.headers, vm.version)
  if (precondition !== undefined) return precondition
  const operation = beginOperation(arm, 'Microsoft.Compute', request.query.get('api-version') ?? '')
  const isForced = request.query.get('forceDeletion') === 'true'
  endOfVm(arm, vm, isForced ? 0.5 : 1, operation.end)
  return { status: 202, headers: { ...operation.asyncHeader, ...operation.locationHeader } }
}

export function vmsOf(arm: Arm, group: string): readonly VmRecord[] {
  return [...arm.state.vms.values()].filter((vm) => vm.group.toLowerCase() === group.toLowerCase())
}

function recordOf(id: string, request: ArmRequest, wish: NewVmRequest): VmRecord {
  const diskName = textAt(request.body, 'properties.storageProfile.osDisk.name') ?? `${request.name}_OsDisk_1`
  return {
    id,
    name: request.name,
    group: request.group,
    vmId: crypto.randomUUID(),
    createdAt: Date.now(),
    size: wish.size.name,
    zone: wish.zone,
    priority: wish.priority,
    customData: textAt(request.body, 'properties.osProfile.customData') ?? '',
    nicIds: wish.nicIds,
    diskId: id.replace(/\/virtualMachines\/[^/]+$/, `/disks/${diskName}`),
    body: request.body,
    tags: textsAt(request.body, 'tags'),
    state: 'Creating',
    version: 1,
    isBooted: false,
    cancel: [],
  }
}
