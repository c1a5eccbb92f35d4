import { stableHash } from '../../base/stableHash.ts'
import type { NodeClaimName, ZoneName } from '../../model/ids.ts'

/**
 * The order in which a claim would take zones that are worth the same, as text to sort by. Each claim has an order of its own, so that machines of one
 * price are spread over the zones instead of all going to the first; a claim has always the same, so that a second try meets what the first one made.
 */
export function zoneTurn(claim: NodeClaimName): (zone: ZoneName) => string {
  const turns = new Map<ZoneName, string>()
  return (zone) => {
    const known = turns.get(zone) ?? stableHash([claim, zone])
    turns.set(zone, known)
    return known
  }
}
