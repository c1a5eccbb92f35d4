/** Reservations in the packed plan: each reservation of a pool is a pool option of its own, with a limit on its machines. */
import { LABEL } from '../../../../model/labels.ts'
import { type Limits, limitOfMachines, limitsTogether } from '../../model/catalog/limits.ts'
import { type NarrowedTemplate, withOfferings, withValue, withValues } from '../../model/catalog/narrowedTemplate.ts'
import { type Reservations, reservedIn } from '../../model/cluster/reservations.ts'
import { bitsOf, hasBit } from '../../model/quantities/bits.ts'
import type { NodePoolOption } from '../plan.ts'

/** For each pool the options of its reservations, then one option for all other offerings. */
export function reservedPoolOptions(poolOptions: readonly NodePoolOption[], left: Reservations): readonly NodePoolOption[] {
  if (left.size === 0) return poolOptions
  const limits = new Map<string, Limits>([...left].map(([id, count]) => [id, limitOfMachines(count)]))
  return poolOptions.flatMap((poolOption) => {
    const { narrowedTemplate } = poolOption
    if (narrowedTemplate.template.reserved.length === 0) return [poolOption]
    const paid = [...reservedIn(narrowedTemplate).keys()].flatMap((id) => {
      const held = heldTo(narrowedTemplate, [id])
      const own = limits.get(id)
      if (held === undefined || own === undefined) return []
      return [{ narrowedTemplate: held, limits: limitsTogether(poolOption.limits, own), reservation: { id, limits: own } }]
    })
    return [...paid, { narrowedTemplate: withoutReserved(narrowedTemplate), limits: poolOption.limits }]
  })
}

/** The template held to these reservations. Undefined if no size serves then. */
export function heldTo(narrowedTemplate: NarrowedTemplate, ids: readonly string[]): NarrowedTemplate | undefined {
  const reserved = withValue(narrowedTemplate, LABEL.capacityType, 'reserved')
  return reserved === undefined ? undefined : withValues(reserved, { key: LABEL.reservation, complement: false, values: [...ids].sort() })
}

function withoutReserved(narrowedTemplate: NarrowedTemplate): NarrowedTemplate {
  const { offerings } = narrowedTemplate.template.catalog
  const others = bitsOf(offerings.length, (index) => {
    return hasBit(narrowedTemplate.offerings, index) && offerings[index]?.offering.reservation === undefined
  })
  return withOfferings(narrowedTemplate, others)
}
