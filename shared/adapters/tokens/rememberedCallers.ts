import { decodeJwt } from 'jose'
import { createBoundedMap } from '../../base/caches.ts'
import type { Caller, CallerIdentity } from '../../ports/callerIdentity.ts'
import type { Clock } from '../../ports/clock.ts'
import { bearerOf } from './tokenProblem.ts'

/** How long a verified token is trusted. A withdrawn key, or a token that gets too old, is accepted this much longer at most. */
const TRUSTED_MS = 30_000
/** The most tokens: one for each shim, and some renewed ones. */
const MOST_TOKENS = 200

/**
 * Remembers verified tokens for some seconds. A shim sends the same token with each post, and the check of a signature costs as much as the rest of a
 * small post. A refusal is not remembered, and no token is accepted after its expiry.
 */
export function createRememberedCallers(inner: CallerIdentity, clock: Pick<Clock, 'now'>): CallerIdentity {
  const proven = createBoundedMap<string, { readonly caller: Caller; readonly from: number; readonly until: number }>(MOST_TOKENS)
  return {
    async verify(authorization, signal) {
      const token = bearerOf(authorization)
      if (!token.ok) return token
      const from = clock.now()
      const known = proven.get(token.value)
      if (known !== undefined && from >= known.from && from < known.until) return { ok: true, value: known.caller }
      const outcome = await inner.verify(authorization, signal)
      if (outcome.ok) proven.set(token.value, { caller: outcome.value, from, until: Math.min(from + TRUSTED_MS, endOf(token.value)) })
      return outcome
    },
  }
}

/** The expiry of a verified token, in epoch milliseconds. 0 for a token without one, so that it is not remembered. */
function endOf(token: string): number {
  return (decodeJwt(token).exp ?? 0) * 1_000
}
