import type { JWTVerifyOptions } from 'jose'
import type { Clock } from '../../ports/clock.ts'

/** What issuers sign with. Never a key that both sides hold, and never none. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512']

/** How far clocks may be apart. */
const SKEW_SECONDS = 60

/** What must hold of every token, whoever issued it. */
export function rulesAt(clock: Pick<Clock, 'now'>): JWTVerifyOptions {
  return { algorithms: ALGORITHMS, clockTolerance: SKEW_SECONDS, currentDate: new Date(clock.now()) }
}
