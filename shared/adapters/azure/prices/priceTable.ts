import { byText } from '../../../base/order.ts'
import { ownValue, setOwnValue } from '../../../base/ownValue.ts'
import { usdPerHour } from '../../../model/units.ts'
import type { SizePrice } from '../../../wire/azure/catalogBlob.ts'
import type { RetailPrice } from '../../../wire/azure/retailPrice.ts'

/**
 * The price of each size, from the lines of the public price list. The list has several lines for a size (Windows, Cloud Services, earlier dates).
 * The result does not depend on the order of the lines.
 */
export function priceTable(lines: readonly RetailPrice[], location: string): Readonly<Record<string, SizePrice>> {
  const best = new Map<string, RetailPrice>()
  for (const line of lines) {
    const kind = kindOf(line, location)
    if (kind === undefined) continue
    const key = `${kind} ${line.armSkuName}`
    const other = best.get(key)
    if (other === undefined || isBetter(line, other)) best.set(key, line)
  }
  const table: Record<string, { onDemand?: number; spot?: number }> = {}
  for (const [key, line] of best) {
    const size = line.armSkuName ?? ''
    const price = ownValue(table, size) ?? {}
    price[key.startsWith('spot ') ? 'spot' : 'onDemand'] = usdPerHour(line.retailPrice)
    setOwnValue(table, size, price)
  }
  return table
}

/** Conditions under which a line is not the hourly price of a Linux machine in the region. */
const OTHER_THINGS: readonly ((line: RetailPrice, location: string) => boolean)[] = [
  (line) => (line.armSkuName ?? '') === '' || line.retailPrice <= 0,
  (line, location) => (line.armRegionName ?? location) !== location,
  (line) => (line.type ?? 'Consumption') !== 'Consumption',
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
