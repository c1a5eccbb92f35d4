/** The cheapest plan settles which claim uses which reservation: each is a pool of its own, with a limit on its machines. */
import { LABEL } from '../../../../model/labels.ts'
import { type Combination, withOfferings, withValue, withValues } from '../../model/catalog/combination.ts'
import { type Limits, limitOfMachines, limitsTogether } from '../../model/catalog/limits.ts'
import { type Reservations, reservedIn } from '../../model/cluster/reservations.ts'
import { bitsOf, hasBit } from '../../model/quantities/bits.ts'
import type { Start } from '../plan.ts'

/** Of each pool first what is paid for, then everything else. */
export function reservedStarts(starts: readonly Start[], left: Reservations): readonly Start[] {
  if (left.size === 0) return starts
  const limits = new Map<string, Limits>([...left].map(([id, count]) => [id, limitOfMachines(count)]))
  return starts.flatMap((start) => {
    const { combination } = start
    if (combination.template.reserved.length === 0) return [start]
    const paid = [...reservedIn(combination).keys()].flatMap((id) => {
      const held = heldTo(combination, [id])
      const own = limits.get(id)
      if (held === undefined || own === undefined) return []
      return [{ combination: held, limits: limitsTogether(start.limits, own), reservation: { id, limits: own } }]
    })
    return [...paid, { combination: withoutReserved(combination), limits: start.limits }]
  })
}

/** The combination when it takes these reservations and nothing else. */
export function heldTo(combination: Combination, ids: readonly string[]): Combination | undefined {
  const reserved = withValue(combination, LABEL.capacityType, 'reserved')
  return reserved === undefined ? undefined : withValues(reserved, { key: LABEL.reservation, complement: false, values: [...ids].sort() })
}

function withoutReserved(combination: Combination): Combination {
  const { offerings } = combination.template.catalog
  const others = bitsOf(offerings.length, (index) => {
    return hasBit(combination.offerings, index) && offerings[index]?.offering.reservation === undefined
  })
  return withOfferings(combination, others)
}
