import { canonicalJson } from '../../base/canonicalJson.ts'
import type { InstanceType, Offering } from '../../model/instanceType.ts'

/**
 * Splits a size whose offerings bring amounts of their own into one size for each set of amounts. The size with its own amounts comes first. Most
 * sizes are not split.
 */
export function byAmounts(type: InstanceType): readonly InstanceType[] {
  if (type.offerings.every(isPlain)) return [type]
  const groups = Map.groupBy(type.offerings, ({ capacity, overhead }) => canonicalJson([capacity ?? {}, overhead ?? {}]))
  return [...groups.values()]
    .sort((first, second) => Number(second.every(isPlain)) - Number(first.every(isPlain)))
    .map((offerings) => ({
      ...type,
      capacity: { ...type.capacity, ...offerings[0]?.capacity },
      overhead: { ...type.overhead, ...offerings[0]?.overhead },
      offerings,
    }))
}

/** The size as a machine of this zone and capacity type has it. Undefined if it is not sold so. */
export function soldAs(type: InstanceType, zone: string | undefined, capacityType: string | undefined): InstanceType | undefined {
  return byAmounts(type).find(({ offerings }) => offerings.some((each) => each.zone === zone && each.capacityType === capacityType))
}

function isPlain({ capacity, overhead }: Offering): boolean {
  return capacity === undefined && overhead === undefined
}
