import { stableNumber } from '../../base/stableHash.ts'
import type { NodeClaimName, ZoneName } from '../../model/ids.ts'

/**
 * Numbers that put zones of equal worth in the order in which a claim takes them. Each claim has an order of its own, so that machines of one
 * price are spread over the zones instead of all going to the first; a claim has always the same, so that a second try meets what the first one made.
 */
export function zoneTurn(claim: NodeClaimName): (zone: ZoneName) => number {
  const turns = new Map<ZoneName, number>()
  return (zone) => {
    const known = turns.get(zone) ?? stableNumber(`${claim} ${zone}`)
    turns.set(zone, known)
    return known
  }
}
