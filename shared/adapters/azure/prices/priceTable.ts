import { byText } from '../../../base/order.ts'
import { usdPerHour } from '../../../model/units.ts'
import type { SizePrice } from '../../../wire/azure/catalogBlob.ts'
import type { RetailPrice } from '../../../wire/azure/retailPrice.ts'

/**
 * The price of each size out of the public list. The list names one size many times (Windows, Cloud Services, superseded
 * dates); which line counts does not depend on their order.
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
    const price = table[size] ?? {}
    price[key.startsWith('spot ') ? 'spot' : 'onDemand'] = usdPerHour(line.retailPrice)
    table[size] = price
  }
  return table
}

/** What makes a line the price of something else than a Linux machine by the hour in the region. */
const OTHER_THINGS: readonly ((line: RetailPrice, location: string) => boolean)[] = [
  (line) => (line.armSkuName ?? '') === '' || line.retailPrice <= 0,
  (line, location) => (line.armRegionName ?? location) !== location,
  (line) => (line.type ?? 'Consumption') !== 'Consumption',
  (line) => (line.unitOfMeasure ?? '1 Hour') !== '1 Hour',
  (line) => line.productName.endsWith(' Windows'),
  (line) => /cloud services|dedicated host/i.test(line.productName),
  // only Batch can have those
  (line) => line.meterName.endsWith(' Low Priority') || line.skuName.endsWith(' Low Priority'),
]

function kindOf(line: RetailPrice, location: string): 'spot' | 'onDemand' | undefined {
  if (OTHER_THINGS.some((isOther) => isOther(line, location))) return undefined
  return line.skuName.endsWith(' Spot') ? 'spot' : 'onDemand'
}

/** Primary meter region first, then the newest, then the first tier, then the dearer: never too good to be true. */
function isBetter(line: RetailPrice, other: RetailPrice): boolean {
  const primary = Number(line.isPrimaryMeterRegion ?? true) - Number(other.isPrimaryMeterRegion ?? true)
  if (primary !== 0) return primary > 0
  const start = byText(line.effectiveStartDate ?? '', other.effectiveStartDate ?? '')
  if (start !== 0) return start > 0
  const tier = (line.tierMinimumUnits ?? 0) - (other.tierMinimumUnits ?? 0)
  return tier === 0 ? line.retailPrice > other.retailPrice : tier < 0
}
