import type { Resources } from '../../../../model/resources.ts'
import { ceilingOf, machineOf } from '../../model/catalog/limits.ts'
import type { BinStart } from '../../model/nodes/bin.ts'
import type { Start } from '../plan.ts'

/** What one machine takes of the pool's limits. */
export type Allotment = Pick<BinStart, 'ceiling' | 'charge'>

/** Machines of one start and one capacity share theirs. */
export type Allotments = (start: Start, capacity: Resources) => Allotment

export function createAllotments(): Allotments {
  const known = new Map<Start, Map<Resources, Allotment>>()
  return (start, capacity) => {
    const ofStart = known.get(start) ?? new Map<Resources, Allotment>()
    known.set(start, ofStart)
    const allotment = ofStart.get(capacity) ?? { ceiling: ceilingOf(start.limits, capacity), charge: machineOf(capacity) }
    ofStart.set(capacity, allotment)
    return allotment
  }
}
