import { byText } from '../../../base/lists.ts'
import { ownValue, setOwnValue } from '../../../base/values.ts'
import { usdPerHour } from '../../../model/units.ts'
import type { SizePrice } from '../../../wire/azure/catalogBlob.ts'
import type { RetailPrice } from '../../../wire/azure/retailPrice.ts'
import { HOURS_PER_MONTH, isDiskTier } from '../sizes/osDisk.ts'

/**
 * The price of each size, from the lines of the public price list. The list has several lines for a size (Windows, Cloud Services, earlier dates).
 * The result does not depend on the order of the lines.
 */
export function priceTable(lines: readonly RetailPrice[], location: string): Readonly<Record<string, SizePrice>> {
  const best = bestLines(lines, (line) => {
    const kind = kindOf(line, location)
    return kind === undefined ? undefined : `${kind} ${line.armSkuName}`
  })
  const table: Record<string, { onDemand?: number; spot?: number }> = {}
  for (const [key, line] of best) {
    const size = line.armSkuName ?? ''
    const price = ownValue(table, size) ?? {}
    price[key.startsWith('spot ') ? 'spot' : 'onDemand'] = usdPerHour(line.retailPrice)
    setOwnValue(table, size, price)
  }
  return table
}

/** The kinds of managed disks that an OS disk can have, as the price list names them. */
export const DISK_PRODUCTS = ['Premium SSD Managed Disks', 'Standard SSD Managed Disks'] as const

/**
 * The hourly price of each tier of managed disks that an OS disk can have, from the lines of the public price list. The list has prices of a month,
 * and other lines for the same tier: zone-redundant disks, mounts of shared disks, operations.
 */
export function diskPriceTable(lines: readonly RetailPrice[], location: string): Readonly<Record<string, number>> {
  const best = bestLines(lines, (line) => diskTierOf(line, location))
  return Object.fromEntries([...best].map(([tier, { retailPrice }]) => [tier, usdPerHour(retailPrice / HOURS_PER_MONTH)]))
}

function diskTierOf(line: RetailPrice, location: string): string | undefined {
  const tier = line.skuName.endsWith(' LRS') ? line.skuName.slice(0, -' LRS'.length) : ''
  const isDisk = line.meterName === `${tier} LRS Disk` && line.unitOfMeasure === '1/Month'
  const isOurs = DISK_PRODUCTS.some((product) => product === line.productName) && !isElsewhere(line, location)
  return isDiskTier(tier) && isDisk && isOurs ? tier : undefined
}

/** The best line for each key. A line without a key is left out. */
function bestLines(lines: readonly RetailPrice[], keyOf: (line: RetailPrice) => string | undefined): ReadonlyMap<string, RetailPrice> {
  const best = new Map<string, RetailPrice>()
  for (const line of lines) {
    const key = keyOf(line)
    const other = key === undefined ? undefined : best.get(key)
    if (key !== undefined && (other === undefined || isBetter(line, other))) best.set(key, line)
  }
  return best
}

/** Reports whether the line is for another region, for a reservation, or for nothing. */
function isElsewhere({ retailPrice, armRegionName = '', type = 'Consumption' }: RetailPrice, location: string): boolean {
  return retailPrice <= 0 || (armRegionName !== '' && armRegionName !== location) || type !== 'Consumption'
}

/** Conditions under which a line is not the hourly price of a Linux machine in the region. */
const OTHER_THINGS: readonly ((line: RetailPrice, location: string) => boolean)[] = [
  isElsewhere,
  (line) => (line.armSkuName ?? '') === '',
  (line) => (line.unitOfMeasure ?? '1 Hour') !== '1 Hour',
  (line) => line.productName.endsWith(' Windows'),
  (line) => /cloud services|dedicated host/i.test(line.productName),
  // Only Batch can use low-priority machines.
  (line) => line.meterName.endsWith(' Low Priority') || line.skuName.endsWith(' Low Priority'),
]

function kindOf(line: RetailPrice, location: string): 'spot' | 'onDemand' | undefined {
  if (OTHER_THINGS.some((isOther) => isOther(line, location))) return undefined
  return line.skuName.endsWith(' Spot') ? 'spot' : 'onDemand'
}

/** Prefers the line of the primary meter region, then the newest line, then the first tier, then the higher price, so that no price is too low. */
function isBetter(line: RetailPrice, other: RetailPrice): boolean {
  const primary = Number(line.isPrimaryMeterRegion ?? true) - Number(other.isPrimaryMeterRegion ?? true)
  if (primary !== 0) return primary > 0
  const start = byText(line.effectiveStartDate ?? '', other.effectiveStartDate ?? '')
  if (start !== 0) return start > 0
  const tier = (line.tierMinimumUnits ?? 0) - (other.tierMinimumUnits ?? 0)
  return tier === 0 ? line.retailPrice > other.retailPrice : tier < 0
}
