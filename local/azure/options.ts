import type { EntraClient } from './entra/authority.ts'
import type { ManagedIdentity } from './entra/managedIdentity.ts'
import type { Outlets } from './eventgrid/outlets.ts'
import type { SizeFiles } from './sizes/sizesFromFiles.ts'
import type { VmSize } from './sizes/vmSize.ts'

export type StartAzureOptions = {
  readonly location?: string
  readonly subscriptionId?: string
  readonly tenantId?: string
  /** The node resource group of each cluster; the first also holds the subnet. */
  readonly resourceGroups?: readonly string[]
  /** How many times faster than Azure machines start and end. Default 1. */
  readonly speed?: number
  readonly durations?: Partial<Durations>
  readonly quota?: Partial<QuotaLimits>
  /** Added to the built-in sizes; one of the same name replaces it. */
  readonly sizes?: readonly VmSize[]
  readonly withoutBuiltInSizes?: boolean
  /** Published size and price lists to add, as files. */
  readonly sizeFiles?: SizeFiles
  /** Addresses the subnet has for network interfaces. Default 65,000. */
  readonly subnetAddresses?: number
  /** Items on a page of a list. Default 50. */
  readonly pageSize?: number
  /** The first is the one the function app gets when it names none. */
  readonly managedIdentities?: readonly ManagedIdentity[]
  readonly clients?: readonly EntraClient[]
  /** Whether a caller may do only what roles that are assigned to it hold. Default: everybody may do everything. */
  readonly needsRoles?: boolean
  /** Where Event Grid brings the events of subscriptions that a deployment made. Default: nowhere, and nobody hears of them. */
  readonly outlets?: Outlets
  /** By which address ARM names itself in what it answers. Default: where it is. */
  readonly armName?: string
  /** Who signs tokens, where that is not the address of the emulator: what Entra itself is called. */
  readonly issuer?: string
}

/** Emulated milliseconds, before the speed divides them. */
export type Durations = {
  /** A network interface's PUT or DELETE. */
  readonly nic: number
  /** From a machine's PUT to `Succeeded` (or to `Failed` for a late refusal). */
  readonly vmCreate: number
  /** From a machine's PUT until its guest runs. */
  readonly vmBoot: number
  readonly vmDelete: number
  /** How long an interface stays reserved after its machine's creation failed. */
  readonly nicReservation: number
}

export type QuotaLimits = {
  readonly regionalCores: number
  readonly spotCores: number
  readonly familyCores: number
  /** By family, instead of `familyCores`. */
  readonly families: Readonly<Record<string, number>>
}

export type AzureSettings = {
  readonly location: string
  readonly subscriptionId: string
  readonly tenantId: string
  readonly resourceGroups: readonly string[]
  readonly subnetId: string
  readonly subnetAddresses: number
  readonly speed: number
  readonly durations: Durations
  readonly quota: QuotaLimits
  readonly pageSize: number
  readonly managedIdentities: readonly ManagedIdentity[]
  readonly clients: readonly EntraClient[]
  readonly needsRoles: boolean
}

const DURATIONS: Durations = { nic: 600, vmCreate: 14_000, vmBoot: 18_000, vmDelete: 8000, nicReservation: 180_000 }
const QUOTA: QuotaLimits = { regionalCores: 20_000, spotCores: 20_000, familyCores: 10_000, families: {} }

/** Ids of the emulator's own making, the same at each start. */
const LOCAL_SUBSCRIPTION = '00000000-0000-4000-8000-00000000a001'
const LOCAL_TENANT = '00000000-0000-4000-8000-00000000a002'
const FUNCTION_APP: ManagedIdentity = { clientId: '00000000-0000-4000-8000-00000000a003', objectId: '00000000-0000-4000-8000-00000000a004' }

export function settingsOf(options: StartAzureOptions): AzureSettings {
  const subscriptionId = options.subscriptionId ?? LOCAL_SUBSCRIPTION
  const resourceGroups = options.resourceGroups ?? ['MC_local_demo_eastus']
  return {
    location: options.location ?? 'eastus',
    subscriptionId,
    tenantId: options.tenantId ?? LOCAL_TENANT,
    resourceGroups,
    subnetId: `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroups[0]}/providers/Microsoft.Network/virtualNetworks/aks-vnet-10000001/subnets/aks-subnet`,
    subnetAddresses: options.subnetAddresses ?? 65_000,
    speed: options.speed ?? 1,
    durations: { ...DURATIONS, ...options.durations },
    quota: { ...QUOTA, ...options.quota },
    pageSize: options.pageSize ?? 50,
    managedIdentities: options.managedIdentities ?? [FUNCTION_APP],
    clients: options.clients ?? [],
    needsRoles: options.needsRoles ?? false,
  }
}
