/** Formats values of objects for people. Values that programs compare and store are not formatted. */
import { LABEL } from './labels.ts'
import type { LaunchChoice } from './launchPlan.ts'
import { formatPrice } from './units.ts'

/** Value of the zone label of a machine that is in no zone. */
export const REGIONAL_ZONE = '0'

/** `zone eastus-1`, or `no zone`. */
export function zoneText(zone: string): string {
  return zone === REGIONAL_ZONE ? NO_ZONE : `zone ${zone}`
}

/** Returns the value of a label. The zone of a machine without a zone is `no zone`. */
export function labelValueText(label: string, value: string): string {
  return label === LABEL.zone && value === REGIONAL_ZONE ? NO_ZONE : value
}

/** `Standard_D8as_v6 spot in zone eastus-1, $0.0617/h`. */
export function choiceText({ size, zone, capacityType, price }: LaunchChoice): string {
  return `${size} ${capacityType} in ${zoneText(zone)}, ${priceText(price)}`
}

export function priceText(price: LaunchChoice['price']): string {
  return price === undefined ? 'price unknown' : formatPrice(price)
}

/** Requests and shortages are rounded up, free amounts are rounded down, so that rounding never hides a difference. */
export type Rounding = 'up' | 'down'

/** Formats an amount in one unit for each resource, as a manifest may write it: CPUs, Gi of bytes, counts. At most three decimals. */
export function amountText(resource: string, amount: number, rounding: Rounding): string {
  if (resource === 'cpu') return String(amount / MILLI)
  if (!isBytes(resource)) return String(amount)
  const thousandths = (amount / GI) * MILLI
  return `${(rounding === 'up' ? Math.ceil(thousandths) : Math.floor(thousandths)) / MILLI}Gi`
}

function isBytes(resource: string): boolean {
  return resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('hugepages-')
}

const NO_ZONE = 'no zone'
const MILLI = 1000
const GI = 1024 ** 3
