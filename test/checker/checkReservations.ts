/** Checks reserved capacity: no more claims than it has room for, and no claim may take capacity that was not set aside for it. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { CreateClaim } from '../../shared/model/decision.ts'
import type { NodeClaimSpec } from '../../shared/model/nodeClaim.ts'
import { outcomesOf } from './outcomes.ts'
import { type Violation, violation } from './violation.ts'

const RESERVATION = 'karpenter.azure.com/capacity-reservation-id'

export function checkReservations(snapshot: ClusterSnapshot, creates: readonly CreateClaim[]): readonly Violation[] {
  const remaining = new Map<string, number>()
  for (const { offerings } of [...snapshot.instanceTypes.values()].flat()) {
    for (const { reservation } of offerings) if (reservation !== undefined) remaining.set(reservation.id, reservation.remaining)
  }
  if (remaining.size === 0) return []
  const { nodeClaim } = snapshot.objects
  const shown = new Set(nodeClaim.map((each) => each.name))
  const coming = [
    ...nodeClaim.filter((each) => each.status.providerId === undefined && each.meta.deletedAt === undefined).map(({ spec }) => spec),
    ...snapshot.drafts.filter((draft) => !shown.has(draft.name)).map(({ spec }) => spec),
  ]
  const holding = [...coming, ...creates.map(({ draft }) => draft.spec)].map(idsOf)
  const overdrawn = [...remaining].filter(([id, count]) => holding.filter((ids) => ids.length === 1 && ids[0] === id).length > count)
  return [
    ...overdrawn.map(([id]) => violation('reservation', `reservation ${id}`, 'more claims are held to it than it pays for')),
    ...creates.flatMap((create) => loose(snapshot, create)),
  ]
}

function idsOf({ requirements }: NodeClaimSpec): readonly string[] {
  return requirements.find((each) => each.key === RESERVATION)?.values ?? []
}

/** Reports a claim whose launch could use a reservation that the plan gave to no claim or to another claim. */
function loose(snapshot: ClusterSnapshot, { draft }: CreateClaim): readonly Violation[] {
  const ids = idsOf(draft.spec)
  const taken = outcomesOf(snapshot, draft.spec, draft.labels).find(
    ({ offering, isForSale }) => isForSale && offering.reservation !== undefined && !ids.includes(offering.reservation.id),
  )
  const id = taken?.offering.reservation?.id
  return id === undefined ? [] : [violation('reservation', `claim ${draft.name}`, `it may use reservation ${id}, which it is not held to`)]
}
