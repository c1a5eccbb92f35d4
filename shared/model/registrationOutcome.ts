import type { NodeClaimName, Uid } from './ids.ts'
import type { EpochMs } from './units.ts'

/** The outcome of a claim: its node joined, or it did not. */
export type RegistrationOutcome = RegisteredClaim | FailedRegistration

type WhichClaim = {
  readonly claim: NodeClaimName
  readonly uid: Uid
  /** When the claim was made. A claim that is older than its pool was made for an earlier pool of the same name. */
  readonly createdAt: EpochMs
}

type RegisteredClaim = WhichClaim & { readonly joined: true }

/** A claim whose node did not join or did not become ready, and what its pool's condition says about it. */
export type FailedRegistration = WhichClaim & {
  readonly joined: false
  readonly reason: string
  readonly message: string
}
