import { createRecent } from '../../base/recent.ts'
import { findCondition, isTrue } from '../../model/condition.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { createEvictionBackOff, type EvictionBackOff } from './evictionBackOff.ts'

/** Claims as this process last saw or wrote them. What is asked of it may be old: whoever writes by it is guarded by the claim's version. */
export interface SeenClaims {
  get(name: NodeClaimName): NodeClaim | undefined
  note(claim: NodeClaim): void
  forget(name: NodeClaimName): void
  /** Of pods on nodes of these claims. */
  readonly evictions: EvictionBackOff
}

/** More than come in at a time; the one that was not seen for longest goes first. */
const MOST_CLAIMS = 1_000

export function createSeenClaims(): SeenClaims {
  const claims = createRecent<NodeClaimName, NodeClaim>(MOST_CLAIMS)
  return {
    get: claims.get,
    note(claim) {
      if (claim.meta.deletedAt === undefined || isDraining(claim) || isMachineEnding(claim)) claims.set(claim.name, claim)
      else claims.delete(claim.name)
    },
    forget: claims.delete,
    evictions: createEvictionBackOff(),
  }
}

/** Azure was asked to end the machine of the claim, which goes with it. */
export function isMachineEnding({ meta, status }: NodeClaim): boolean {
  return meta.deletedAt !== undefined && meta.finalizers.length > 0 && isTrue(status.conditions, 'InstanceTerminating')
}

/** Its node was closed, and pods are asked to leave. */
export function isDraining({ meta, status }: NodeClaim): boolean {
  return meta.deletedAt !== undefined && findCondition(status.conditions, 'Drained')?.status === 'Unknown'
}

/** Nothing is added to a claim any more that is initialized or being deleted. */
export function isOnItsWayIn({ meta, status }: NodeClaim): boolean {
  return meta.deletedAt === undefined && findCondition(status.conditions, 'Initialized')?.status !== 'True'
}
