import { errors, exportJWK, generateKeyPair, type JWK, jwtVerify, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../model/units.ts'
import { createIssuerKeys, FAILED_MS, FRESH_MS, KEPT_MS, READ_BESIDE_MS, UNKNOWN_KEY_MS } from './issuerKeys.ts'

async function keyOf(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, alg: 'ES256' }
  return { jwk, token: await new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey) }
}
const [OLD, NEW] = await Promise.all([keyOf('old'), keyOf('new')])
const AWAY = new Error('away')

/** An issuer with these keys, which may be away, and the number of reads. */
function setUp() {
  const state = { now: 1_000_000, keys: [OLD.jwk], isAway: false, reads: 0, answer: undefined as object | undefined }
  const read = async (): Promise<object> => {
    state.reads += 1
    await Promise.resolve()
    if (state.isAway) throw AWAY
    return state.answer ?? { keys: state.keys }
  }
  const keys = createIssuerKeys({ read, clock: { now: () => epochMs(state.now) } })
  const outcome = async ({ token }: typeof OLD): Promise<unknown> => {
    try {
      await jwtVerify(token, keys)
      return 'in'
    } catch (error) {
      return error instanceof errors.JWKSNoMatchingKey ? 'refused' : error
    }
  }
  const pass = (ms: number): void => {
    state.now += ms
  }
  return { state, outcome, pass }
}

describe('the keys of an issuer', () => {
  it('are read once, however many ask at once, and serve until they are old', async () => {
    const { state, outcome, pass } = setUp()
    expect(new Set(await Promise.all(Array.from({ length: 100 }, () => outcome(OLD))))).toEqual(new Set(['in']))
    pass(FRESH_MS - 1)
    expect(await outcome(OLD)).toBe('in')
    expect(state.reads).toBe(1)
    pass(1)
    await Promise.all(Array.from({ length: 100 }, () => outcome(OLD)))
    expect(state.reads).toBe(2)
  })

  it('take in a new key without a restart, and soon leave out one that was withdrawn', async () => {
    const { state, outcome, pass } = setUp()
    expect(await outcome(OLD)).toBe('in')
    state.keys = [OLD.jwk, NEW.jwk]
    pass(UNKNOWN_KEY_MS)
    expect(await Promise.all([outcome(NEW), outcome(OLD), outcome(NEW)])).toEqual(['in', 'in', 'in'])
    state.keys = [NEW.jwk]
    pass(READ_BESIDE_MS)
    expect(await outcome(OLD)).toBe('refused')
    expect(state.reads).toBe(3)
  })

  it('are not read again for each unknown key', async () => {
    const { state, outcome, pass } = setUp()
    for (let second = 0; second < 300; second += 1) {
      expect(await Promise.all([outcome(NEW), outcome(NEW)])).toEqual(['refused', 'refused'])
      pass(1_000)
    }
    expect(state.reads).toBe(300_000 / UNKNOWN_KEY_MS)
  })

  it('serve for a day while the issuer is away, and nobody waits for it in the first hour', async () => {
    const { state, outcome, pass } = setUp()
    expect(await outcome(OLD)).toBe('in')
    state.isAway = true
    for (const ms of [FRESH_MS, READ_BESIDE_MS, KEPT_MS - FRESH_MS - READ_BESIDE_MS - 1]) {
      pass(ms)
      expect(await outcome(OLD)).toBe('in')
    }
    pass(1)
    expect(await outcome(OLD)).toBe(AWAY)
    state.isAway = false
    pass(FAILED_MS)
    expect(await outcome(OLD)).toBe('in')
  })

  it('say nothing about an unknown key while the issuer is away, and leave it alone meanwhile', async () => {
    const { state, outcome, pass } = setUp()
    expect(await outcome(OLD)).toBe('in')
    state.isAway = true
    pass(UNKNOWN_KEY_MS)
    for (let second = 0; second < 60; second += 1) {
      expect(await Promise.all([outcome(NEW), outcome(OLD), outcome(NEW)])).toEqual([AWAY, 'in', AWAY])
      pass(1_000)
    }
    expect(state.reads).toBe(1 + 60_000 / FAILED_MS)
    state.isAway = false
    state.keys = [NEW.jwk]
    pass(FAILED_MS)
    expect(await outcome(NEW)).toBe('in')
  })

  it('were never there: nobody is refused', async () => {
    const { state, outcome, pass } = setUp()
    state.isAway = true
    expect(await Promise.all(Array.from({ length: 100 }, () => outcome(OLD)))).toEqual(Array.from({ length: 100 }, () => AWAY))
    expect(await outcome(NEW)).toBe(AWAY)
    expect(state.reads).toBe(1)
    state.isAway = false
    pass(FAILED_MS)
    expect(await outcome(OLD)).toBe('in')
  })

  it.each([{}, { keys: [] }, { keys: 'none' }, { keys: [1] }, []])('are kept where the issuer answers %j', async (answer) => {
    const { state, outcome, pass } = setUp()
    expect(await outcome(OLD)).toBe('in')
    state.answer = answer
    pass(READ_BESIDE_MS)
    expect(await outcome(OLD)).toBe('in')
    expect(await outcome(NEW)).toBeInstanceOf(Error)
    expect(state.reads).toBe(2)
  })
})
