import { unauthorized } from '../http/statusError.ts'
import type { TokenUser } from '../kubernetesOptions.ts'
import { ANONYMOUS, type User } from './user.ts'

export interface Authentication {
  /** Returns the user of an Authorization header. Throws 401 for an invalid credential. Without a header, the user is anonymous. */
  authenticate(header: string | undefined): Promise<User>
  addToken(user: TokenUser): void
  tokenOf(user: string): string | undefined
}

export type TokenReader = (token: string) => Promise<User | undefined> | User | undefined

/** Tries the known tokens first, then each reader (bootstrap tokens, JWTs). */
export function createAuthentication(tokens: readonly TokenUser[], readers: readonly TokenReader[]): Authentication {
  const known = new Map(tokens.map((entry) => [entry.token, entry]))
  return {
    authenticate: async (header) => {
      if (header === undefined || header === '') return ANONYMOUS
      const token = /^bearer\s+(\S+)$/i.exec(header)?.[1]
      if (token === undefined) throw unauthorized()
      const entry = known.get(token)
      if (entry) return { name: entry.user, uid: '', groups: withAuthenticated(entry.groups) }
      for (const read of readers) {
        const user = await read(token)
        if (user) return { ...user, groups: withAuthenticated(user.groups) }
      }
      throw unauthorized()
    },
    addToken: (entry) => known.set(entry.token, entry),
    tokenOf: (user) => [...known.values()].find((entry) => entry.user === user)?.token,
  }
}

function withAuthenticated(groups: readonly string[]): readonly string[] {
  return [...new Set([...groups, 'system:authenticated'])]
}
