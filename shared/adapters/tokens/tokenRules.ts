import type { JWTVerifyOptions } from 'jose'
import type { Clock } from '../../ports/clock.ts'

/** The accepted signature algorithms. Shared keys and unsigned tokens are never accepted. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512']

/** The largest accepted difference between clocks. */
const SKEW_SECONDS = 60

/** The rules for the tokens of all issuers. */
export function rulesAt(clock: Pick<Clock, 'now'>): JWTVerifyOptions {
  return { algorithms: ALGORITHMS, clockTolerance: SKEW_SECONDS, currentDate: new Date(clock.now()) }
}
