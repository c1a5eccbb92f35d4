/** What became of a claim that was to bring a node. */
export type JoinOutcome = {
  readonly joined: boolean
  /** Of one that did not: what its pool says of it. */
  readonly reason: string
  readonly message: string
}
