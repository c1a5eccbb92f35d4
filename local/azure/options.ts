import type { EntraClient } from './entra/authority.ts'
import type { ManagedIdentity } from './entra/managedIdentity.ts'
import type { Outlets } from './eventgrid/outlets.ts'
import type { SizeFiles } from './sizes/sizesFromFiles.ts'
import type { VmSize } from './sizes/vmSize.ts'

export type StartAzureOptions = {
  readonly location?: string
  readonly subscriptionId?: string
  readonly tenantId?: string
  /** The node resource group of each cluster. The first group also holds the subnet. */
  readonly resourceGroups?: readonly string[]
  /** The cluster that is there at first. Default: `local` in the group `local`. */
  readonly cluster?: ClusterPlace
  /** How many times faster than Azure machines start and end. Default 1. */
  readonly speed?: number
  readonly durations?: Partial<Durations>
  readonly quota?: Partial<QuotaLimits>
  /** Added to the built-in sizes. A size replaces the built-in size of the same name. */
  readonly sizes?: readonly VmSize[]
  readonly withoutBuiltInSizes?: boolean
  /** Published size and price lists to add, as files. */
  readonly sizeFiles?: SizeFiles
  /** Addresses the subnet has for network interfaces. Default 65,000. */
  readonly subnetAddresses?: number
  /** Items on a page of a list. Default 50. */
  readonly pageSize?: number
  /** The first is the identity that the function app gets without naming one. */
  readonly managedIdentities?: readonly ManagedIdentity[]
  readonly clients?: readonly EntraClient[]
  /** True: a caller may do only what its assigned roles grant. Default: every caller may do everything. */
  readonly needsRoles?: boolean
  /** For how long Azure has known a role, in milliseconds, when it is made: what tells the time of its making is earlier by that. Default 0. */
  readonly ageOfRoles?: number
  /** Where Event Grid delivers the events of subscriptions that a deployment made. Default: nowhere. */
  readonly outlets?: Outlets
  /** The address of ARM in its own answers. Default: its real address. */
  readonly armName?: string
  /** The issuer in tokens, such as the name of Entra itself. Default: the address of the emulator. */
  readonly issuer?: string
}

export type ClusterPlace = { readonly group: string; readonly name: string }

/** Emulated milliseconds, before the speed divides them. */
export type Durations = {
  /** For a PUT or DELETE of a network interface. */
  readonly nic: number
  /** From the PUT of a machine to `Succeeded`. A late refusal comes after half of it. */
  readonly vmCreate: number
  /** From the PUT of a machine until its guest runs. */
  readonly vmBoot: number
  readonly vmDelete: number
  /** How long an interface stays reserved after the creation of its machine failed. */
  readonly nicReservation: number
  /** From the PATCH of a machine until the next one is accepted. */
  readonly update: number
  /** From the PUT of a new role definition until all of Azure knows it. Default 0: for programs whose clock is not that of the test. */
  readonly definitionSpread: number
  /** From the PUT of a new role assignment until it holds. Default 0. */
  readonly assignmentSpread: number
}

export type QuotaLimits = {
  readonly regionalCores: number
  readonly spotCores: number
  readonly familyCores: number
  /** Limits by family, in place of `familyCores`. */
  readonly families: Readonly<Record<string, number>>
}

export type AzureSettings = {
  readonly location: string
  readonly subscriptionId: string
  readonly tenantId: string
  readonly resourceGroups: readonly string[]
  readonly cluster: ClusterPlace
  readonly subnetId: string
  readonly subnetAddresses: number
  readonly speed: number
  readonly durations: Durations
  readonly quota: QuotaLimits
  readonly pageSize: number
  readonly managedIdentities: readonly ManagedIdentity[]
  readonly clients: readonly EntraClient[]
  readonly needsRoles: boolean
  readonly ageOfRoles: number
}

const DURATIONS: Durations = {
  nic: 600,
  vmCreate: 14_000,
  vmBoot: 18_000,
  vmDelete: 8000,
  nicReservation: 180_000,
  update: 1_000,
  definitionSpread: 0,
  assignmentSpread: 0,
}
const QUOTA: QuotaLimits = { regionalCores: 20_000, spotCores: 20_000, familyCores: 10_000, families: {} }

/** Ids that the emulator made up. They are the same at each start. */
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
    cluster: options.cluster ?? { group: 'local', name: 'local' },
    subnetId: `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroups[0]}/providers/Microsoft.Network/virtualNetworks/aks-vnet-10000001/subnets/aks-subnet`,
    subnetAddresses: options.subnetAddresses ?? 65_000,
    speed: options.speed ?? 1,
    durations: { ...DURATIONS, ...options.durations },
    quota: { ...QUOTA, ...options.quota },
    pageSize: options.pageSize ?? 50,
    managedIdentities: options.managedIdentities ?? [FUNCTION_APP],
    clients: options.clients ?? [],
    needsRoles: options.needsRoles === true,
    ageOfRoles: options.ageOfRoles ?? 0,
  }
}
