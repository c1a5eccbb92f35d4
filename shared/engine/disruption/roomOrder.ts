/** Compares machines by the worth of their room, and tells which machines stay while others can go. */
import type { Order } from '../../base/lists.ts'
import type { CandidateWithCost } from './candidates/candidate.ts'
import { byGain, type RoomPrices, roomPricesOf, stayingOf } from './candidates/roomPrices.ts'
import { isDrifted } from './methods/drift.ts'
import { FEW_FOR_STRATEGIES } from './methods/strategies.ts'
import { FEW_CANDIDATES } from './verdicts/moveTurns.ts'
import type { KeptCandidate } from './verdicts/verdicts.ts'

/** How machines are compared. `staying`: machines that stay while others can go. */
export type RoomOrder = {
  readonly order: Order<CandidateWithCost> | undefined
  readonly prices?: RoomPrices
  readonly staying: ReadonlySet<KeptCandidate>
}

export const NOT_BY_ROOM: RoomOrder = { order: undefined, staying: new Set() }

/**
 * Reports whether the machines are compared by the worth of their room. Of few machines, several ways are tried in the place of this. Of very many, a
 * decision tries a part, and the next part would have to follow the same order.
 */
export function isWeighedByRoom(candidates: readonly KeptCandidate[]): boolean {
  const [first] = candidates
  return first !== undefined && !isDrifted(first) && candidates.length > FEW_FOR_STRATEGIES && candidates.length <= FEW_CANDIDATES
}

export function roomOrder(candidates: readonly KeptCandidate[]): RoomOrder {
  const prices = roomPricesOf(candidates)
  if (prices === undefined) return NOT_BY_ROOM
  return { order: byGain(prices), prices, staying: areAlike(candidates) ? NOT_BY_ROOM.staying : stayingOf(candidates, prices) }
}

/** Reports whether all machines were launched alike: the room of none is worth more than that of others. */
function areAlike([first, ...others]: readonly KeptCandidate[]): boolean {
  const { size, capacityType } = first?.choice ?? {}
  return others.every(({ choice }) => choice?.size === size && choice?.capacityType === capacityType)
}
