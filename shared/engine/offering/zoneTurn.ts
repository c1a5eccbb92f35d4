import { stableNumber } from '../../base/stableHash.ts'
import type { NodeClaimName, ZoneName } from '../../model/ids.ts'

/**
 * Returns a number for each zone: zones of equal worth are taken in the order of these numbers. Each claim has its own order, so that machines of one
 * price spread over the zones instead of all going to the first. The order of a claim never changes, so that a second try finds what the first try
 * made.
 */
export function zoneTurn(claim: NodeClaimName): (zone: ZoneName) => number {
  const turns = new Map<ZoneName, number>()
  return (zone) => {
    const known = turns.get(zone) ?? stableNumber(`${claim} ${zone}`)
    turns.set(zone, known)
    return known
  }
}
