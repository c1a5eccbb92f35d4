/** Reserved capacity: the number of machines that remain, and the claims that hold a part of it. */
import type { Requirements } from '../../shared/model/requirements.ts'
import type { Algebra } from './algebra.ts'
import type { TypeView } from './instanceTypes.ts'

export interface Reservations {
  /** The reservations that a claim would hold with these sizes. A text if there are compatible ones but none is left. */
  offered(host: string, types: readonly TypeView[], requirements: Requirements): ReadonlySet<string> | string
  /** Takes these reservations, and gives back the others that the claim held. */
  hold(host: string, ids: ReadonlySet<string>): void
  heldBy(host: string): ReadonlySet<string>
}

const TAKEN = 'compatible reserved offerings are available, but could not be reserved'
const LOST = 'satisfying the pod would remove all compatible reserved offerings'

/** Reports whether the pod must wait for the next pass. Then it is neither relaxed nor tried on later pools. */
export function isReservationProblem(problem: string): boolean {
  return problem === TAKEN || problem === LOST
}

export function createReservations(types: readonly TypeView[], algebra: Algebra, wellKnown: ReadonlySet<string>): Reservations {
  const left = new Map<string, number>()
  for (const { offering } of types.flatMap((view) => view.offerings)) {
    const { reservation } = offering
    if (reservation !== undefined)
      left.set(reservation.id, Math.min(left.get(reservation.id) ?? reservation.remaining, reservation.remaining))
  }
  const held = new Map<string, ReadonlySet<string>>()
  const heldBy = (host: string): ReadonlySet<string> => held.get(host) ?? new Set()
  return {
    heldBy,
    offered(host, views, requirements) {
      const compatible = views
        .flatMap((view) => view.offerings)
        .filter((each) => algebra.compatible(requirements, each.requirements, wellKnown))
        .flatMap(({ offering }) => offering.reservation?.id ?? [])
      const own = heldBy(host)
      const ids = new Set(compatible.filter((id) => own.has(id) || (left.get(id) ?? 0) > 0))
      if (own.size > 0 && ids.size === 0) return LOST
      return compatible.length > 0 && ids.size === 0 ? TAKEN : ids
    },
    hold(host, ids) {
      const own = heldBy(host)
      for (const id of own) if (!ids.has(id)) left.set(id, (left.get(id) ?? 0) + 1)
      for (const id of ids) if (!own.has(id)) left.set(id, (left.get(id) ?? 0) - 1)
      held.set(host, ids)
    },
  }
}
