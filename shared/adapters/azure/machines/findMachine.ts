import type { VirtualMachine, VirtualMachineInstanceView } from '@azure/arm-compute'
import { instanceNamesOf, type NodeClaimName, vmSizeName } from '../../../model/ids.ts'
import type { Instance, InstanceState, LaunchRefusal } from '../../../model/instance.ts'
import { Fault, problem } from '../../../model/problem.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import { type ArmFailure, isNotFound } from '../armFailure.ts'
import { launchRefusal } from '../errors/launchRefusal.ts'
import { zoneLabel } from '../sizes/zones.ts'
import { azureFault } from './azureFault.ts'
import { instanceOf, liveState } from './instanceOf.ts'
import type { MachineDeps } from './machineDeps.ts'
import { machineNamesOf } from './machineNames.ts'

/** The machine with that name, or undefined. The state of a failed machine has the refusal, found in the same table as that of a launch. */
export async function findMachine(deps: MachineDeps, name: string, signal: AbortSignalLike): Promise<Instance | undefined> {
  const vm = await getMachine(deps, name, signal)
  if (vm === undefined) return undefined
  return instanceOf(vm, deps.config, await stateOf(deps, vm, signal))
}

/** The machine of the claim, under any name that it may have. */
export async function machineOfClaim(deps: MachineDeps, claim: NodeClaimName, signal: AbortSignalLike): Promise<Instance | undefined> {
  const vm = await getMachineOfClaim(deps, claim, signal)
  return vm === undefined ? undefined : instanceOf(vm, deps.config, await stateOf(deps, vm, signal))
}

/** The virtual machine of the claim. Earlier names are tried only if there is none with the current name, so that the usual case costs one call. */
export async function getMachineOfClaim(
  deps: MachineDeps,
  claim: NodeClaimName,
  signal: AbortSignalLike,
): Promise<VirtualMachine | undefined> {
  for (const name of instanceNamesOf(claim, machineNamesOf(deps.config))) {
    const vm = await getMachine(deps, name, signal)
    if (vm !== undefined) return vm
  }
  return undefined
}

async function getMachine(deps: MachineDeps, name: string, signal: AbortSignalLike): Promise<VirtualMachine | undefined> {
  try {
    const { virtualMachines } = await deps.clients.compute()
    const vm = await virtualMachines.get(deps.config.nodeResourceGroup, name, { abortSignal: signal })
    // An answer that does not come from ARM must not count as a missing machine.
    if (vm.name?.toLowerCase() === name.toLowerCase()) return vm
    throw new Fault(`get virtual machine ${name}`, problem('AZURE.FAILED', 'the answer is no virtual machine of that name'))
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (error instanceof Fault) throw error
    throw azureFault(`get virtual machine ${name}`, error, signal)
  }
}

/** The state of a machine. The instance view costs another call, so it is read only to explain a failure. */
export async function stateOf(deps: MachineDeps, vm: VirtualMachine, signal: AbortSignalLike): Promise<InstanceState> {
  if (vm.provisioningState !== 'Failed') return liveState(vm.provisioningState)
  const name = vm.name ?? ''
  try {
    const { virtualMachines } = await deps.clients.compute()
    const view = await virtualMachines.instanceView(deps.config.nodeResourceGroup, name, { abortSignal: signal })
    return { kind: 'failed', refusal: await refusalOf(deps, vm, view, signal) }
  } catch (error) {
    if (isNotFound(error)) return { kind: 'deleting' }
    throw azureFault(`get instance view of ${name}`, error, signal)
  }
}

async function refusalOf(
  deps: MachineDeps,
  vm: VirtualMachine,
  view: VirtualMachineInstanceView,
  signal: AbortSignalLike,
): Promise<LaunchRefusal> {
  const size = vmSizeName(vm.hardwareProfile?.vmSize ?? '')
  const facts = await deps.sizes.sizeFacts(size, signal)
  const zone = zoneLabel(deps.config.location, vm.zones?.[0])
  const attempt = {
    size,
    zone,
    capacityType: vm.priority === 'Spot' ? ('spot' as const) : ('on-demand' as const),
    family: facts?.family ?? '',
    cpus: facts?.cpus ?? 0,
    zones: (facts?.zones ?? []).map((entry) => zoneLabel(deps.config.location, entry)),
  }
  const failure = failureOf(view)
  const object = `virtualmachine/${vm.name}`
  const unknown = problem('AZURE.FAILED', `${object}: provisioning failed: ${failure.message}`, { object })
  return launchRefusal(failure, attempt, deps.clock.now(), object) ?? { problem: unknown, unavailable: [], then: 'next' }
}

/** The failure in an instance view. A status code such as `ProvisioningState/failed/AllocationFailed` ends with the error code. */
function failureOf(view: VirtualMachineInstanceView): ArmFailure {
  const status = view.statuses?.find((entry) => entry.code?.toLowerCase().startsWith('provisioningstate/failed') === true)
  const code = status?.code?.split('/')[2] ?? ''
  return { code, isOutage: false, message: status?.message ?? 'azure gave no reason' }
}
