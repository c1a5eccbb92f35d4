import { findCondition } from '../model/condition.ts'
import type { NodeClaimName } from '../model/ids.ts'
import type { NodeClaim } from '../model/nodeClaim.ts'

/** Claims as this process last saw or wrote them. What is asked of it may be old: whoever writes by it is guarded by the claim's version. */
export interface SeenClaims {
  get(name: NodeClaimName): NodeClaim | undefined
  note(claim: NodeClaim): void
  forget(name: NodeClaimName): void
}

/** More than come in at a time; the one that was not seen for longest goes first. */
const MOST_CLAIMS = 1_000

export function createSeenClaims(): SeenClaims {
  const claims = new Map<NodeClaimName, NodeClaim>()
  return {
    get: (name) => claims.get(name),
    note(claim) {
      claims.delete(claim.name)
      if (claim.meta.deletedAt !== undefined) return
      claims.set(claim.name, claim)
      const [oldest] = claims.keys()
      if (claims.size > MOST_CLAIMS && oldest !== undefined) claims.delete(oldest)
    },
    forget: (name) => void claims.delete(name),
  }
}

/** Nothing is added to a claim any more that is initialized or going. */
export function isOnItsWayIn({ meta, status }: NodeClaim): boolean {
  return meta.deletedAt === undefined && findCondition(status.conditions, 'Initialized')?.status !== 'True'
}
