import { decodeJwt } from 'jose'
import { createRecent } from '../../base/recent.ts'
import type { Caller, CallerIdentity } from '../../ports/callerIdentity.ts'
import type { Clock } from '../../ports/clock.ts'
import { bearerOf } from './tokenProblem.ts'

/** A key that is taken back, or a token that grows too old, counts for this much longer at most. */
const TRUSTED_MS = 30_000
/** One for each shim, and some that are renewed. */
const MOST_TOKENS = 200

/**
 * Whoever proved who he is need not do so again for some seconds: a shim shows the same token with each post, and a signature costs as much as the rest of
 * a small one. A refusal is not remembered, and no token counts beyond its own end.
 */
export function createRememberedCallers(inner: CallerIdentity, clock: Pick<Clock, 'now'>): CallerIdentity {
  const proven = createRecent<string, { readonly caller: Caller; readonly from: number; readonly until: number }>(MOST_TOKENS)
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

/** It was verified, so it can be read. A token without an end is not remembered. */
function endOf(token: string): number {
  return (decodeJwt(token).exp ?? 0) * 1_000
}
