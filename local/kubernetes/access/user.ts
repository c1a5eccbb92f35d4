/** The user that makes a request. */
export interface User {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
}

export const ANONYMOUS: User = { name: 'system:anonymous', uid: '', groups: ['system:unauthenticated'] }
