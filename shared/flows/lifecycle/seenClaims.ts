import { createBoundedMap } from '../../base/boundedMap.ts'
import { findCondition, isTrue } from '../../model/condition.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { EpochMs } from '../../model/units.ts'
import { createEvictionBackOff, type EvictionBackOff } from './evictionBackOff.ts'

/** Claims as this process last saw or wrote them. They may be old, so writes based on them are guarded by the version of the claim. */
export interface SeenClaims {
  get(name: NodeClaimName): NodeClaim | undefined
  note(claim: NodeClaim): void
  forget(name: NodeClaimName): void
  /** Notes that this process removed the last finalizer of the claim. */
  noteEnd(name: NodeClaimName, now: EpochMs): void
  /** Reports whether this process removed the last finalizer of the claim moments ago. Later, the name may belong to another claim. */
  hasEnded(name: NodeClaimName, now: EpochMs): boolean
  /** The node of a claim whose machine is ending, as this process last saw it. */
  nodeOf(name: NodeClaimName): Node | undefined
  noteNode(name: NodeClaimName, node: Node): void
  /** Refused evictions of pods on the nodes of these claims. */
  readonly evictions: EvictionBackOff
}

/** More claims than are launched at a time. Beyond this, the claim that was not seen for the longest time is forgotten. */
const MOST_CLAIMS = 1_000
/** The watch tells of the end of a claim and of its node within this time, in milliseconds. */
const ENDED_MS = 5_000

export function createSeenClaims(): SeenClaims {
  const claims = createBoundedMap<NodeClaimName, NodeClaim>(MOST_CLAIMS)
  const ended = createBoundedMap<NodeClaimName, EpochMs>(MOST_CLAIMS)
  const nodes = createBoundedMap<NodeClaimName, Node>(MOST_CLAIMS)
  return {
    get: claims.get,
    noteEnd: ended.set,
    hasEnded: (name, now) => now < (ended.get(name) ?? 0) + ENDED_MS,
    nodeOf: nodes.get,
    noteNode: nodes.set,
    note(claim) {
      ended.delete(claim.name)
      if (!isMachineEnding(claim)) nodes.delete(claim.name)
      if (claim.meta.deletedAt === undefined || isDraining(claim) || isMachineEnding(claim)) claims.set(claim.name, claim)
      else claims.delete(claim.name)
    },
    forget(name) {
      claims.delete(name)
      nodes.delete(name)
    },
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
