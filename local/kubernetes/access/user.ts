/** Who asks. */
export interface User {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  /** For bootstrap tokens: which node the token was made for, as its Secret's description says. */
  readonly claimText?: string
}

export const ANONYMOUS: User = { name: 'system:anonymous', uid: '', groups: ['system:unauthenticated'] }
