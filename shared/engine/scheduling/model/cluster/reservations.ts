/** Capacity that is already paid for: how many more machines each reservation pays for. */
import { LABEL } from '../../../../model/labels.ts'
import { requirementsFrom } from '../../../../model/requirements.ts'
import type { NarrowedTemplate } from '../catalog/narrowedTemplate.ts'
import type { Template } from '../catalog/template.ts'
import { hasBit } from '../quantities/bits.ts'
import type { Cluster } from './cluster.ts'

/** The number of machines that each reservation still pays for, by its id. The plan changes the map in place. */
export type Reservations = Map<string, number>

/** Where claims that are not launched yet are found. */
type Coming = Pick<Cluster, 'index' | 'machines'>

/** What remains of each reservation according to the catalogs of the pools, less what claims that are not launched yet may take. */
export function reservationsLeft(templates: readonly Template[], { index, machines }: Coming): Reservations {
  const left: Reservations = new Map()
  for (const { reserved, catalog } of templates) {
    for (const index of reserved) {
      const reservation = catalog.offerings[index]?.offering.reservation
      if (reservation === undefined) continue
      left.set(reservation.id, Math.min(left.get(reservation.id) ?? reservation.remaining, reservation.remaining))
    }
  }
  if (left.size === 0) return left
  const coming = [...index.claims.values()].filter((claim) => claim.status.providerId === undefined && claim.meta.deletedAt === undefined)
  for (const { spec } of [...coming, ...machines.drafts()]) {
    const held = requirementsFrom(spec.requirements).get(LABEL.reservation)
    for (const id of held === undefined || held.complement ? [] : held.values) left.set(id, Math.max(0, (left.get(id) ?? 0) - 1))
  }
  return left
}

/** The reservations that pay for a size of the narrowed template, by id, with the positions of these sizes, cheapest first. */
export function reservedIn({ template, types, offerings }: NarrowedTemplate): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>()
  for (const index of template.reserved) {
    const each = template.catalog.offerings[index]
    const id = each?.offering.reservation?.id
    if (each === undefined || id === undefined || !hasBit(offerings, index) || !hasBit(types, each.type)) continue
    found.set(id, [...(found.get(id) ?? []), each.type])
  }
  return found
}
