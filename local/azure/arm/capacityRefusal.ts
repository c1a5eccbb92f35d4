import type { CapacityFault } from '../faults.ts'
import type { VmSize } from '../sizes/vmSize.ts'
import type { Arm } from './arm.ts'
import { quotaMessage, quotaProblem } from './quota.ts'

export type Refusal = { readonly when: 'refuse' | 'fail'; readonly code: string; readonly message: string }

/** Returns why Azure would not make the machine: a scripted shortage first, then quota. Undefined if it would. */
export function capacityRefusal(arm: Arm, size: VmSize, zone: string | undefined, priority: 'Regular' | 'Spot'): Refusal | undefined {
  const fault = arm.faults.takeCapacity({ size: size.name, zone, capacityType: priority === 'Spot' ? 'spot' : 'on-demand' })
  if (fault !== undefined)
    return { when: fault.when ?? 'refuse', code: codeOf(fault), message: fault.message ?? messageOf(arm, fault, size, zone) }
  const quota = quotaProblem(arm, size, priority)
  return quota === undefined ? undefined : { when: 'refuse', code: 'OperationNotAllowed', message: quota }
}

function codeOf(fault: CapacityFault): string {
  return fault.code.endsWith('Quota') ? 'OperationNotAllowed' : fault.code
}

function messageOf(arm: Arm, fault: CapacityFault, size: VmSize, zone: string | undefined): string {
  const { location } = arm.settings
  switch (fault.code) {
    case 'FamilyQuota':
      return quotaMessage(arm, `${size.family} Cores quota`, size.cpus, size.cpus, size.cpus)
    case 'LowPriorityQuota':
      return quotaMessage(arm, 'LowPriorityCores quota', 0, 0, size.cpus)
    case 'RegionalQuota':
      return quotaMessage(arm, 'Total Regional Cores quota', size.cpus, size.cpus, size.cpus)
    case 'SkuNotAvailable':
      return `The requested VM size ${size.name} is currently not available in location '${location}'${zone === undefined ? '' : ` zone '${zone}'`} because of capacity restrictions.`
    case 'ZonalAllocationFailed':
      return `Allocation failed. There is not enough capacity for the requested VM size ${size.name} in zone '${zone}'.`
    case 'AllocationFailed':
      return `Allocation failed. There is not enough capacity for the requested VM size ${size.name} in this region.`
    case 'OverconstrainedZonalAllocationRequest':
      return `Allocation failed. The VM size ${size.name} with these constraints cannot be allocated in zone '${zone}'.`
    case 'OverconstrainedAllocationRequest':
      return `Allocation failed. The VM size ${size.name} with these constraints cannot be allocated.`
    // The codes are those of learn.microsoft.com/azure/virtual-machines/error-codes-spot, read in November 2026. The page gives no text of the answer.
    case 'AzureSpotFeatureNotEnabledForSubscription':
      return 'Spot is not enabled for this subscription.'
    case 'AzureSpotIsNotSupportedForThisVMSize':
      return `Spot is not supported for VM size ${size.name}.`
  }
}
