import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Clock } from '../../ports/clock.ts'

export type KeySource = {
  /** Reads the keys anew, or throws. */
  readonly read: () => Promise<object>
  readonly clock: Pick<Clock, 'now'>
}

/** Keys are read again once they are this old, so that one that the issuer withdrew stops to count. */
export const FRESH_MS = 10 * 60_000
/** Up to this age nobody waits for that: an issuer that hangs holds up no post. */
export const READ_BESIDE_MS = 3_600_000
/** An unknown key has them read again, but no sooner: anybody can make up a token with an unknown key. */
export const UNKNOWN_KEY_MS = 30_000
/** After a read that failed the issuer has this long for itself. */
export const FAILED_MS = 5_000
/** Without a word of the issuer its keys count for so long and no longer. */
export const KEPT_MS = 24 * 3_600_000

/**
 * The keys of an issuer, for every token of it. They are read by one caller at a time, whoever else comes waits for that, and what was read serves
 * while the issuer is away. A key that they do not have is refused only by keys that were just read: JWKSNoMatchingKey. Any other error says nothing
 * about the token.
 */
export function createIssuerKeys({ read, clock }: KeySource): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let failure: { readonly at: number; readonly cause: unknown } | undefined
  let reading: Promise<void> | undefined
  const isWithin = (at: number, ms: number): boolean => clock.now() - at < ms

  async function readNow(): Promise<void> {
    try {
      keys = createLocalJWKSet(someOf(await read()))
      readAt = clock.now()
      failure = undefined
    } catch (cause) {
      failure = { at: clock.now(), cause }
      throw cause
    }
  }

  /** Throws what the last read threw while that is fresh. */
  async function refresh(): Promise<void> {
    if (failure !== undefined && isWithin(failure.at, FAILED_MS)) throw failure.cause
    reading ??= readNow().finally(() => {
      reading = undefined
    })
    await reading
  }

  async function current(): Promise<JWTVerifyGetKey> {
    if (!isWithin(readAt, FRESH_MS)) {
      const refreshed = refresh().catch((cause: unknown) => {
        if (!isWithin(readAt, KEPT_MS)) throw cause
      })
      if (!isWithin(readAt, READ_BESIDE_MS)) await refreshed
    }
    if (keys === undefined) throw new TypeError('no key was read')
    return keys
  }

  return async (header, token) => {
    const known = await current()
    try {
      return await known(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || isWithin(readAt, UNKNOWN_KEY_MS)) throw error
    }
    await refresh()
    return (keys ?? known)(header, token)
  }
}

/** An issuer that says it has no keys is one in trouble: nothing it issued could be checked. */
function someOf(set: object): JSONWebKeySet {
  if (isKeySet(set) && set.keys.length > 0) return set
  throw new TypeError('its key set names no keys')
}

function isKeySet(set: object): set is JSONWebKeySet {
  return 'keys' in set && Array.isArray(set.keys)
}
