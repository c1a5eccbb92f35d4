import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Clock } from '../../ports/clock.ts'

export type KeySource = {
  /** Reads the keys from the issuer, or throws. */
  readonly read: () => Promise<object>
  readonly clock: Pick<Clock, 'now'>
}

/** Keys are read again once they are this old, so that a withdrawn key is no longer accepted. */
export const FRESH_MS = 10 * 60_000
/** Up to this age, callers do not wait for that read, so that an issuer that hangs delays no post. */
export const READ_BESIDE_MS = 3_600_000
/** An unknown key causes another read only if the keys are at least this old: anybody can make up a token with an unknown key. */
export const UNKNOWN_KEY_MS = 30_000
/** After a failed read, the issuer is not asked again for this time. */
export const FAILED_MS = 5_000
/** Keys are used at most this long without a successful read. */
export const KEPT_MS = 24 * 3_600_000

/**
 * The keys of an issuer, for all its tokens. One caller at a time reads them, and other callers wait for that read. While the issuer is away, the
 * keys of the last read are used. An unknown key is refused with JWKSNoMatchingKey only if the keys were just read. Any other error says nothing
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

  /** Reads the keys. Throws the error of the last read if that failed a moment ago. */
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

/** The key set, if it has keys. An issuer without keys is broken, since none of its tokens could be verified. */
function someOf(set: object): JSONWebKeySet {
  if (isKeySet(set) && set.keys.length > 0) return set
  throw new TypeError('its key set names no keys')
}

function isKeySet(set: object): set is JSONWebKeySet {
  return 'keys' in set && Array.isArray(set.keys)
}
