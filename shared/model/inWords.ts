/** Formats values of objects for people. Values that programs compare and store are not formatted. */
import type { BufferShare } from './decision.ts'
import type { LaunchChoice } from './instance.ts'
import { LABEL } from './labels.ts'
import { formatPrice, microUsdPerHour } from './units.ts'

/** Value of the zone label of a machine without a zone. */
export const REGIONAL_ZONE = '0'

/** `zone eastus-1`, or `any zone`: Azure chooses the place of a machine without a zone. */
export function zoneText(zone: string): string {
  return zone === REGIONAL_ZONE ? 'any zone' : `zone ${zone}`
}

/** Returns the value of a label. The zone of a machine without a zone is `regional`. */
export function labelValueText(label: string, value: string): string {
  return isRegional(label, value) ? REGIONAL : value
}

/** The values of a label, or the first `most` of them: `2, 4 and 3 more`. */
export function labelValuesText(label: string, values: readonly string[], most: number): string {
  const more = values.length > most ? ` and ${values.length - most} more` : ''
  return `${values
    .slice(0, most)
    .map((value) => labelValueText(label, value))
    .join(', ')}${more}`
}

/** The values that exist: `zones of this region: eastus-1, eastus-2; machines without a zone are called regional`. */
export function existingValuesText(label: string, values: readonly string[]): string {
  if (label !== LABEL.zone) return `values that exist: ${labelValuesText(label, values, MOST_VALUES)}`
  const zones = values.filter((value) => !isRegional(label, value))
  const regional = zones.length < values.length ? `; machines without a zone are called ${REGIONAL}` : ''
  return zones.length === 0 ? `this region has no zones${regional}` : `zones of this region: ${zones.join(', ')}${regional}`
}

/** `Standard_D8as_v6 spot in zone eastus-1, $0.0617/h`, or `Standard_D8as_v6 spot, any zone, $0.0617/h`. */
export function choiceText(choice: LaunchChoice): string {
  const { size, zone, capacityType } = choice
  const place = zone === REGIONAL_ZONE ? `, ${zoneText(zone)}` : ` in ${zoneText(zone)}`
  return `${size} ${capacityType}${place}, ${priceText(choice)}`
}

/** `$0.0617/h`, or with a managed disk the machine and its disk: `$0.0617 + disk $0.027/h`. */
export function priceText({ price, diskPrice }: Pick<LaunchChoice, 'price' | 'diskPrice'>): string {
  if (price === undefined) return 'price unknown'
  if (diskPrice === undefined) return formatPrice(price)
  const machine = formatPrice(microUsdPerHour(price - diskPrice)).replace('/h', '')
  return `${machine} + disk ${formatPrice(diskPrice)}`
}

/** What a claim is for: `2 pods`, `the buffer default/spare (3 of 3 pods)`, or both. */
export function purposeText(pods: number, buffers: readonly BufferShare[] = []): string {
  const ofBuffers = buffers.map(({ buffer, pods: kept, of }) => `the buffer ${buffer} (${kept} of ${of} pods)`)
  const own = pods === 1 ? 'one pod' : `${pods} pods`
  return [...(pods > 0 || ofBuffers.length === 0 ? [own] : []), ...ofBuffers].join(' and ')
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

function isRegional(label: string, value: string): boolean {
  return label === LABEL.zone && value === REGIONAL_ZONE
}

const REGIONAL = 'regional'
const MOST_VALUES = 12
const MILLI = 1000
const GI = 1024 ** 3

const MOST_SHOWN = 60

/** Says of values in an object that they are of a later version. */
export function unknownText(values: readonly string[], known: readonly string[]): string {
  const shown = values.map((value) => JSON.stringify(value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}...` : value))
  return `${shown.join(', ')} ${values.length === 1 ? 'is' : 'are'} not known to this version of Joiner, which knows ${known.join(', ')}`
}
