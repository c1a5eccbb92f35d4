/** Describes machines to the person that removes Joiner. */
import { ownValue } from '../../shared/base/values.ts'
import { addPrices, formatPrice, type MicroUsdPerHour, microUsdPerHour, usdPerHour } from '../../shared/model/units.ts'
import type { SizePrice } from '../../shared/wire/azure/catalogBlob.ts'
import type { Machine } from './inventory.ts'

/** Prices by size. Empty if the price list could not be read. */
export type Prices = { readonly [size: string]: SizePrice }

/** Zone label of a machine without a zone. */
const REGIONAL = '0'

/** Returns a line for the cluster and a line for each machine, with the price an hour. */
export function machineLines(cluster: string, machines: readonly Machine[], prices: Prices): readonly string[] {
  if (machines.length === 0) return [`${cluster}: no machines`]
  const costs = machines.map((machine) => costOf(machine, prices))
  const known = costs.filter((cost) => cost !== undefined)
  const unknown = costs.length - known.length
  const total = formatPrice(known.reduce(addPrices, microUsdPerHour(0)))
  const sum = known.length === 0 ? 'price unknown' : `${total}${unknown > 0 ? ` and ${unknown} without a known price` : ''}`
  const width = Math.max(...machines.map(({ name }) => name.length))
  return [
    `${cluster}: ${machines.length === 1 ? '1 machine' : `${machines.length} machines`}, ${sum}`,
    ...machines.map((machine, index) => {
      const cost = costs[index]
      const { size, zone, capacityType } = machine
      const facts = [
        machine.name.padEnd(width),
        size ?? 'no size yet',
        zone === REGIONAL ? undefined : zone,
        capacityType,
        cost === undefined ? undefined : formatPrice(cost),
      ]
      return `  ${facts.filter((fact) => fact !== undefined).join('  ')}`
    }),
  ]
}

/** The price list has no disks. So it counts only where the claim does not say what the machine cost with its disk. */
function costOf({ size, capacityType, launchPrice }: Machine, prices: Prices): MicroUsdPerHour | undefined {
  const paid = Number(launchPrice)
  if (paid > 0) return usdPerHour(paid)
  const price = size === undefined ? undefined : ownValue(prices, size)
  const cost = capacityType === 'spot' ? price?.spot : price?.onDemand
  return cost === undefined ? undefined : microUsdPerHour(cost)
}
