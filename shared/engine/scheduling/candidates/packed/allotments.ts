import type { Resources } from '../../../../model/resources.ts'
import { ceilingOf, machineOf } from '../../model/catalog/limits.ts'
import type { BinStart } from '../../model/nodes/bin.ts'
import type { NodePoolOption } from '../plan.ts'

/** What one machine takes of the limits of its pool. */
export type Allotment = Pick<BinStart, 'ceiling' | 'charge'>

/** Returns the allotment of a machine. Machines of the same pool option and the same capacity share one object. */
export type Allotments = (poolOption: NodePoolOption, capacity: Resources) => Allotment

export function createAllotments(): Allotments {
  const known = new Map<NodePoolOption, Map<Resources, Allotment>>()
  return (poolOption, capacity) => {
    const ofOption = known.get(poolOption) ?? new Map<Resources, Allotment>()
    known.set(poolOption, ofOption)
    const allotment = ofOption.get(capacity) ?? { ceiling: ceilingOf(poolOption.limits, capacity), charge: machineOf(capacity) }
    ofOption.set(capacity, allotment)
    return allotment
  }
}
