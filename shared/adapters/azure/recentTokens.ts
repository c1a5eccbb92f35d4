import type { TokenCredential } from '@azure/identity'
import { Fault, problem } from '../../model/problem.ts'
import type { Clock } from '../../ports/clock.ts'

/** How long a token is used without a call of the credential, which takes as long as a small request even if it has the token in memory. */
const USED_MS = 30_000

/** Returns a function that gets a token for a scope, for callers that need one for each request. The credential renews tokens by itself. */
export function createRecentTokens(credential: TokenCredential, clock: Pick<Clock, 'now'>): (scope: string) => Promise<string> {
  const recent = new Map<string, { readonly token: string; readonly from: number; readonly until: number }>()
  return async (scope) => {
    const from = clock.now()
    const known = recent.get(scope)
    if (known !== undefined && from >= known.from && from < known.until) return known.token
    const given = await credential.getToken(scope)
    if (given === null) throw new Fault(`get a token for ${scope}`, problem('AZURE.FORBIDDEN', 'the identity of the app gives no token'))
    recent.set(scope, { token: given.token, from, until: Math.min(from + USED_MS, given.expiresOnTimestamp - USED_MS) })
    return given.token
  }
}
