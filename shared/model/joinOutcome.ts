import type { NodeClaimName, Uid } from './ids.ts'

/** What became of a claim that was to bring a node. */
export type JoinOutcome = JoinedClaim | FailedJoin

type JoinedClaim = { readonly joined: true; readonly claim: NodeClaimName; readonly uid: Uid }

/** One that brought none, or none that became ready: what its pool says of it. */
export type FailedJoin = {
  readonly joined: false
  readonly claim: NodeClaimName
  readonly uid: Uid
  readonly reason: string
  readonly message: string
}
