/** The refusals of Azure when it has no room for a machine, or may not or cannot make it. */
export type CapacityCode =
  | 'SkuNotAvailable'
  | 'ZonalAllocationFailed'
  | 'AllocationFailed'
  | 'OverconstrainedZonalAllocationRequest'
  | 'OverconstrainedAllocationRequest'
  | 'AzureSpotFeatureNotEnabledForSubscription'
  | 'AzureSpotIsNotSupportedForThisVMSize'
  | 'FamilyQuota'
  | 'LowPriorityQuota'
  | 'RegionalQuota'
  | 'RequestDisallowedByPolicy'
  | 'OSProvisioningTimedOut'
  | 'ScopeLocked'
  | 'ReadOnlyDisabledSubscription'
  | 'MissingSubscriptionRegistration'

/** Refuses machines. An undefined member matches everything. */
export type CapacityFault = {
  readonly size?: string
  /** `"1"`, or `regional` for machines without a zone. */
  readonly zone?: string
  readonly capacityType?: 'on-demand' | 'spot'
  readonly code: CapacityCode
  readonly message?: string
  /** `refuse`: the PUT fails. `fail`: the PUT is accepted and the operation fails later. Default `refuse`. */
  readonly when?: 'refuse' | 'fail'
  /** How often the fault applies. Default: always. */
  readonly times?: number
}

/** Fails or delays a request. An undefined member matches everything. */
export type HttpFault = {
  readonly method?: string
  /** A text anywhere in the path, case ignored: `virtualMachines`, `networkInterfaces/joiner-1`, `skus`. */
  readonly path?: string
  /** How many requests that match pass first. Default: none. */
  readonly skip?: number
  readonly times?: number
  readonly delayMs?: number
  /** Cuts the connection, before or after the request takes effect. */
  readonly drop?: 'before' | 'after'
  readonly status?: number
  readonly code?: string
  readonly message?: string
  readonly retryAfterSeconds?: number
  /** Called when the connection is cut, before the client knows. */
  readonly struck?: () => void
}

export interface FaultScript {
  capacity(fault: CapacityFault): void
  http(fault: HttpFault): void
  clear(): void
}

export type Attempt = { readonly size: string; readonly zone: string | undefined; readonly capacityType: 'on-demand' | 'spot' }

/** The script as the emulator uses it: takes the first fault that matches, and counts it down. */
export interface FaultBook extends FaultScript {
  takeCapacity(attempt: Attempt): CapacityFault | undefined
  takeHttp(method: string, path: string): HttpFault | undefined
}

export function createFaultBook(): FaultBook {
  let capacities: { fault: CapacityFault; left: number }[] = []
  let https: { fault: HttpFault; left: number; skip: number }[] = []
  return {
    capacity: (fault) => void capacities.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY }),
    http: (fault) => void https.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY, skip: fault.skip ?? 0 }),
    clear() {
      capacities = []
      https = []
    },
    takeCapacity: (attempt) => take(capacities, (fault) => strikes(fault, attempt)),
    takeHttp(method, path) {
      const matches = (fault: HttpFault): boolean =>
        (fault.method ?? method) === method && path.toLowerCase().includes((fault.path ?? '').toLowerCase())
      const passing = https.filter(({ fault, skip }) => skip > 0 && matches(fault))
      const taken = take(
        https.filter(({ skip }) => skip === 0),
        matches,
      )
      for (const each of passing) each.skip -= 1
      return taken
    },
  }
}

function strikes(fault: CapacityFault, attempt: Attempt): boolean {
  return (
    (fault.size ?? attempt.size) === attempt.size &&
    (fault.zone === undefined || fault.zone === (attempt.zone ?? 'regional')) &&
    (fault.capacityType ?? attempt.capacityType) === attempt.capacityType
  )
}

function take<Fault>(book: { fault: Fault; left: number }[], matches: (fault: Fault) => boolean): Fault | undefined {
  const found = book.find((entry) => entry.left > 0 && matches(entry.fault))
  if (found === undefined) return undefined
  found.left -= 1
  return found.fault
}
