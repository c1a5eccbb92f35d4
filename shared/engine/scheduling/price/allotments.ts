import { ceilingOf, machineOf } from '../catalog/limits.ts'
import type { Size } from '../catalog/template.ts'
import type { BinStart } from '../hosts/bin.ts'
import type { Start } from '../plan.ts'

/** What one machine takes of the pool's limits. */
export type Allotment = Pick<BinStart, 'ceiling' | 'charge'>

/** Machines of one start and one size share theirs. */
export type Allotments = (start: Start, size: Size) => Allotment

export function createAllotments(): Allotments {
  const known = new Map<Start, Map<Size, Allotment>>()
  return (start, size) => {
    const ofStart = known.get(start) ?? new Map<Size, Allotment>()
    known.set(start, ofStart)
    const { capacity } = size.type
    const allotment = ofStart.get(size) ?? { ceiling: ceilingOf(start.limits, capacity), charge: machineOf(capacity) }
    ofStart.set(size, allotment)
    return allotment
  }
}
