/** The OS disk of a machine. Its price and the request for the machine are made from the same value, so that they cannot differ. */
import { ownValue } from '../../../base/values.ts'
import type { NodeClassSpec } from '../../../model/nodeClass.ts'
import { type MicroUsdPerHour, microUsdPerHour, usdPerHour } from '../../../model/units.ts'
import { type DiskPlacement, type EphemeralDisk, ephemeralDisk, ephemeralPlacement } from './ephemeralDisk.ts'
import { isTrue, type Size } from './size.ts'

export type StorageAccountType = 'Premium_LRS' | 'StandardSSD_LRS'

/** An ephemeral disk is on the host, and is part of the price of the machine. A managed disk is billed by its tier, such as `P10`. */
export type OsDisk =
  | { readonly kind: 'ephemeral'; readonly placement: DiskPlacement }
  | { readonly kind: 'managed'; readonly storageAccountType: StorageAccountType; readonly tier: DiskTier }

/** What a size can have as OS disk. */
export type DiskFacts = { readonly ephemeral: EphemeralDisk | undefined; readonly takesPremium: boolean }

export function diskFacts({ record }: Pick<Size, 'record'>): DiskFacts {
  return { ephemeral: ephemeralDisk(record), takesPremium: isTrue(record, 'PremiumIO') }
}

/** The OS disk of a machine of a size and a NodeClass: ephemeral in the first place that it fits in, unless the class has only managed disks. */
export function osDiskOf(
  { ephemeral, takesPremium }: DiskFacts,
  { osDiskSizeGb, osDiskType }: Pick<NodeClassSpec, 'osDiskSizeGb' | 'osDiskType'>,
): OsDisk {
  const placement = osDiskType === 'Managed' ? undefined : ephemeralPlacement(ephemeral, osDiskSizeGb)
  if (placement !== undefined) return { kind: 'ephemeral', placement }
  const { premium, standard } = TIERS.find(({ gib }) => osDiskSizeGb <= gib) ?? LARGEST
  return takesPremium
    ? { kind: 'managed', storageAccountType: 'Premium_LRS', tier: premium }
    : { kind: 'managed', storageAccountType: 'StandardSSD_LRS', tier: standard }
}

/** The hourly price of the disk, from the price list, or else from the constants. Undefined if the disk is part of the machine's price. */
export function diskPriceOf(disk: OsDisk, published: Readonly<Record<string, number>> = {}): MicroUsdPerHour | undefined {
  if (disk.kind === 'ephemeral') return undefined
  const listed = ownValue(published, disk.tier)
  return listed === undefined ? usdPerHour(USD_PER_MONTH[disk.tier] / HOURS_PER_MONTH) : microUsdPerHour(listed)
}

export function isDiskTier(name: string): name is DiskTier {
  return Object.hasOwn(USD_PER_MONTH, name)
}

/** Azure bills disks by the hour, and lists prices of a month of 730 hours. */
export const HOURS_PER_MONTH = 730

/**
 * Prices of locally redundant disks in eastus, for as long as no price list was read. Source: the retail price list as public repositories quote it,
 * read on 2026-11-30.
 */
const USD_PER_MONTH = {
  P4: 5.28,
  P6: 10.21,
  P10: 19.71,
  P15: 38.02,
  P20: 73.22,
  P30: 135.17,
  P40: 259.05,
  E4: 2.4,
  E6: 4.8,
  E10: 9.6,
  E15: 19.2,
  E20: 38.4,
  E30: 76.8,
  E40: 153.6,
} as const

export type DiskTier = keyof typeof USD_PER_MONTH

type Tier = { readonly gib: number; readonly premium: DiskTier; readonly standard: DiskTier }

/** The tier of the largest OS disk that an AKSNodeClass may ask for. */
const LARGEST: Tier = { gib: 2048, premium: 'P40', standard: 'E40' }

/**
 * Tiers by size. A disk is billed as the next larger tier. Tiers below 32 GiB are left out, since an OS disk has at least 30. Source: Understand
 * Azure Disk Storage billing (learn.microsoft.com), 2024-01-30.
 */
const TIERS: readonly Tier[] = [
  { gib: 32, premium: 'P4', standard: 'E4' },
  { gib: 64, premium: 'P6', standard: 'E6' },
  { gib: 128, premium: 'P10', standard: 'E10' },
  { gib: 256, premium: 'P15', standard: 'E15' },
  { gib: 512, premium: 'P20', standard: 'E20' },
  { gib: 1024, premium: 'P30', standard: 'E30' },
  LARGEST,
]
