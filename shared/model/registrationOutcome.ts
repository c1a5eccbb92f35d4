import type { NodeClaimName, Uid } from './ids.ts'

/** The outcome of a claim: its node joined, or it did not. */
export type RegistrationOutcome = RegisteredClaim | FailedRegistration

type RegisteredClaim = { readonly joined: true; readonly claim: NodeClaimName; readonly uid: Uid }

/** A claim whose node did not join or did not become ready, and what its pool's condition says about it. */
export type FailedRegistration = {
  readonly joined: false
  readonly claim: NodeClaimName
  readonly uid: Uid
  readonly reason: string
  readonly message: string
}
