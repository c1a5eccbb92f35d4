import { defined, setOwnValue } from '../../base/values.ts'
import type { InstanceType, Offering } from '../../model/instanceType.ts'
import type { Requirements } from '../../model/requirements.ts'
import type { Resources } from '../../model/resources.ts'
import { requirementMap } from '../offering/usableOfferings.ts'

type Priced = Pick<Offering, 'price' | 'diskPrice'>

/** One size of one pool while overlays are applied to it, heavier ones first. What is set stays. */
export interface TypeDraft {
  readonly type: InstanceType
  readonly requirements: Requirements
  /** Reports whether an overlay of this weight has named the price of one of these offerings. */
  hasPriceOf(weight: number, offerings: readonly number[]): boolean
  hasCapacityOf(weight: number, resources: readonly string[]): boolean
  setPrice(weight: number, offerings: readonly number[], change: (before: Priced) => Priced): void
  setCapacity(weight: number, capacity: Resources): void
  /** The size with everything that was set. The same object if nothing was. */
  result(): InstanceType
}

export function createDraft(type: InstanceType): TypeDraft {
  /** The weight of the last overlay that named an offering or a resource. Later overlays are lighter. */
  const pricedBy = new Map<number, number>()
  const sizedBy = new Map<string, number>()
  const prices = new Map<number, Priced>()
  const added: { [resource: string]: number } = {}
  const offeringOf = (each: Offering, index: number): Offering => {
    const priced = prices.get(index)
    if (priced === undefined) return each
    const { price: _, diskPrice: __, ...rest } = each
    return defined({ ...rest, price: priced.price, diskPrice: priced.diskPrice })
  }
  return {
    type,
    requirements: requirementMap(type.requirements),
    hasPriceOf: (weight, offerings) => offerings.some((index) => pricedBy.get(index) === weight),
    hasCapacityOf: (weight, resources) => resources.some((name) => sizedBy.get(name) === weight),
    setPrice(weight, offerings, change) {
      for (const index of offerings) {
        if (!prices.has(index)) prices.set(index, change(type.offerings[index] ?? {}))
        pricedBy.set(index, weight)
      }
    },
    setCapacity(weight, capacity) {
      for (const [name, amount] of Object.entries(capacity)) {
        if (!Object.hasOwn(added, name)) setOwnValue(added, name, amount)
        sizedBy.set(name, weight)
      }
    },
    result() {
      const isSized = Object.keys(added).length > 0
      if (prices.size === 0 && !isSized) return type
      return {
        ...type,
        capacity: { ...type.capacity, ...added },
        offerings: type.offerings.map(offeringOf),
        overlaid: { price: prices.size > 0, capacity: isSized },
      }
    },
  }
}
