/**
 * What of an object leaves the cluster, as data: the app tells it to the shim, which knows nothing else about the members of an object. So the app alone
 * decides which members it reads.
 */
export type Kept =
  /** The value as it is. */
  true | KeptMembers | readonly KeptRule[]

/**
 * The named members of an object, or of each object in a list. `*` stands for all other members, and `karpenter.sh/*` for those whose names begin with
 * `karpenter.sh/`.
 */
export type KeptMembers = { readonly [name: string]: Kept }

/** Keeps a value, or an item of a list, if all its tests hold. The first rule that holds counts. A value without a rule that holds is left out. */
export type KeptRule = {
  /** Tests of the value. */
  readonly where?: readonly Test[]
  /** Tests of the whole object. */
  readonly when?: readonly Test[]
  readonly keep: Kept
}

/**
 * Compares the values at a path with some scalars. A path goes through each item of a list, so there may be several values. Where there is none, the
 * value is null. With `is`, one of the values has to be listed; with `not`, none of them may be.
 */
export type Test =
  | { readonly at: readonly string[]; readonly is: readonly Scalar[] }
  | { readonly at: readonly string[]; readonly not: readonly Scalar[] }

export type Scalar = string | number | boolean | null
