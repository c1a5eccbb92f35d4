import type { TokenCredential } from '@azure/identity'
import { Fault, problem } from '../../model/problem.ts'
import type { Clock } from '../../ports/clock.ts'

/** What the credential gave is used for this long without asking it: it has the token in memory, and takes as long to find it as a small request. */
const USED_MS = 30_000

/** Tokens of the credential by scope, for whoever needs one with each request. It renews them in its own time. */
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
