import type { CapacityFault } from '../faults.ts'
import type { VmSize } from '../sizes/vmSize.ts'
import type { Arm } from './arm.ts'
import { quotaMessage, quotaProblem } from './quota.ts'

export type Refusal = { readonly when: 'refuse' | 'fail'; readonly status: number; readonly code: string; readonly message: string }

/** Returns why Azure would not make the machine: a scripted shortage first, then quota. Undefined if it would. */
export function capacityRefusal(arm: Arm, size: VmSize, zone: string | undefined, priority: 'Regular' | 'Spot'): Refusal | undefined {
  const fault = arm.faults.takeCapacity({ size: size.name, zone, capacityType: priority === 'Spot' ? 'spot' : 'on-demand' })
  if (fault !== undefined)
    return {
      when: fault.when ?? 'refuse',
      status: fault.code === 'RequestDisallowedByPolicy' ? 403 : 409,
      code: codeOf(fault),
      message: fault.message ?? messageOf(arm, fault, size, zone),
    }
  const quota = quotaProblem(arm, size, priority)
  return quota === undefined ? undefined : { when: 'refuse', status: 409, code: 'OperationNotAllowed', message: quota }
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
    // Azure/karpenter-provider-azure#794, April 2025: the built-in policy of allowed sizes refuses each other size.
    case 'RequestDisallowedByPolicy':
      return `Resource was disallowed by policy. Policy identifiers: '[{"policyAssignment":{"name":"Allowed virtual machine size SKUs"}}]'.`
    // Azure/AKS#4553, 2024: Azure accepts the machine, and its creation fails about twenty minutes later.
    case 'OSProvisioningTimedOut':
      return `OS Provisioning for VM did not finish in the allotted time. The VM may still finish provisioning successfully.`
    // Azure/azure-service-operator#5547, July 2026: status 409, confirmed on Azure. The text is that of Azure/azure-sdk-for-java#2560.
    case 'ScopeLocked':
      return `The scope cannot perform write operation because following scope(s) are locked: '/subscriptions/${arm.settings.subscriptionId}'. Please remove the lock and try again.`
    // learn.microsoft.com/azure/azure-resource-manager/troubleshooting/common-deployment-errors, read in November 2026. Both are answered with 409.
    case 'ReadOnlyDisabledSubscription':
      return `The subscription '${arm.settings.subscriptionId}' is disabled and therefore marked as read only. You cannot perform any write actions on this subscription until it is re-enabled.`
    case 'MissingSubscriptionRegistration':
      return `The subscription is not registered to use namespace 'Microsoft.Compute'. See https://aka.ms/rps-not-found for how to register subscriptions.`
    // The codes are those of learn.microsoft.com/azure/virtual-machines/error-codes-spot, read in November 2026. The page gives no text of the answer.
    case 'AzureSpotFeatureNotEnabledForSubscription':
      return 'Spot is not enabled for this subscription.'
    case 'AzureSpotIsNotSupportedForThisVMSize':
      return `Spot is not supported for VM size ${size.name}.`
  }
}
