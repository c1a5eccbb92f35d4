import { createBoundedMap } from '../../base/boundedMap.ts'
import { findCondition, isTrue } from '../../model/condition.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { createEvictionBackOff, type EvictionBackOff } from './evictionBackOff.ts'

/** Claims as this process last saw or wrote them. They may be old, so writes based on them are guarded by the version of the claim. */
export interface SeenClaims {
  get(name: NodeClaimName): NodeClaim | undefined
  note(claim: NodeClaim): void
  forget(name: NodeClaimName): void
  /** Refused evictions of pods on the nodes of these claims. */
  readonly evictions: EvictionBackOff
}

/** More claims than are launched at a time. Beyond this, the claim that was not seen for the longest time is forgotten. */
const MOST_CLAIMS = 1_000

export function createSeenClaims(): SeenClaims {
  const claims = createBoundedMap<NodeClaimName, NodeClaim>(MOST_CLAIMS)
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

/** Reports whether the claim is being deleted and Azure was asked to delete its machine. */
export function isMachineEnding({ meta, status }: NodeClaim): boolean {
  return meta.deletedAt !== undefined && meta.finalizers.length > 0 && isTrue(status.conditions, 'InstanceTerminating')
}

/** Reports whether the claim is being deleted and its node is drained now. */
export function isDraining({ meta, status }: NodeClaim): boolean {
  return meta.deletedAt !== undefined && findCondition(status.conditions, 'Drained')?.status === 'Unknown'
}

/** Reports whether the claim is neither initialized nor being deleted. */
export function isInitializing({ meta, status }: NodeClaim): boolean {
  return meta.deletedAt === undefined && findCondition(status.conditions, 'Initialized')?.status !== 'True'
}
