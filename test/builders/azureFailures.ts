import type { ArmFailure } from '../../shared/adapters/azure/armFailure.ts'
import { ownValue } from '../../shared/base/values.ts'

type Sample = Pick<ArmFailure, 'code'> & Partial<ArmFailure>

const quota = (what: string, limit = 10): Sample => ({
  code: 'OperationNotAllowed',
  message: `results in exceeding approved ${what}. Current Limit: ${limit}, Current Usage: 8`,
})

/** A failure for each row of the table of refusals, by the name of the row. */
const SAMPLES: { readonly [row: string]: Sample } = {
  'spot quota of the region': quota('LowPriorityCores quota'),
  'spot not allowed for the subscription': { code: 'AzureSpotFeatureNotEnabledForSubscription' },
  'size not sold as spot': { code: 'AzureSpotIsNotSupportedForThisVMSize' },
  'family quota of zero': quota('standardDSv5Family Cores quota', 0),
  'family quota': quota('standardDSv5Family Cores quota'),
  'size not available': { code: 'SkuNotAvailable' },
  'zone out of room': { code: 'ZonalAllocationFailed' },
  'region out of room': { code: 'AllocationFailed' },
  'zone out of room under these constraints': { code: 'OverconstrainedZonalAllocationRequest' },
  'region out of room under these constraints': { code: 'OverconstrainedAllocationRequest' },
  'quota of the region': quota('Total Regional Cores quota'),
  'size not supported for the subscription': { code: 'BadRequest', message: 'size X is not supported for subscription Y' },
  'zone not supported by the size': { code: 'InvalidAvailabilityZone' },
  'requests for this machine used up': { code: '', status: 429, isLocal: true, isOfOneMachine: true },
  throttled: { code: 'TooManyRequests', status: 429 },
  'subnet full': { code: 'SubnetIsFull' },
  'interface reserved': { code: 'NicReservedForAnotherVm' },
  'machine exists': { code: 'PropertyChangeNotAllowed', status: 409 },
  'earlier resource still changing': { code: 'AnotherOperationInProgress' },
  'interface or reference gone': { code: 'InvalidResourceReference', status: 400 },
  'image not found': { code: 'ImageNotFound', status: 404 },
  'denied by policy': { code: 'RequestDisallowedByPolicy', status: 403 },
  locked: { code: 'ScopeLocked', status: 409 },
  'subscription disabled': { code: 'ReadOnlyDisabledSubscription', status: 409 },
  'not registered': { code: 'MissingSubscriptionRegistration', status: 409 },
  'limit of the network': { code: 'NetworkInterfaceCountLimitReached', status: 400 },
  'resource group or parent not found': { code: 'ResourceGroupNotFound', status: 404 },
  'request too large': { code: 'RequestContentTooLarge', status: 413 },
  'not authorised': { code: 'AuthorizationFailed', status: 403 },
  'request refused for another reason': { code: 'InvalidParameter', status: 400 },
}

export function azureFailure(row: string): ArmFailure {
  const sample = ownValue(SAMPLES, row)
  if (sample === undefined) throw new Error(`the row "${row}" of the table of refusals has no sample here`)
  return { message: 'no', isOutage: false, ...sample }
}
