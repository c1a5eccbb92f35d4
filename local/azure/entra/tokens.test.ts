import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTokenIssuer } from './tokens.ts'

const ARM = 'https://management.azure.com'
const GRID = 'https://eventgrid.azure.net'

afterEach(() => {
  vi.useRealTimers()
})

async function issued(expiresInSeconds?: number) {
  const issuer = await createTokenIssuer(() => 'https://authority.test/v2.0', 'tenant')
  const lasting = expiresInSeconds === undefined ? {} : { expiresInSeconds }
  const token = await issuer.issue({ audience: ARM, oid: 'principal', appid: 'application', ...lasting })
  return { check: (audiences: readonly string[]) => issuer.check(`Bearer ${token}`, audiences) }
}

describe('a token', () => {
  it('is accepted again and again while it is valid, and refused once it has expired', async () => {
    vi.useFakeTimers({ now: 1_767_225_600_000, toFake: ['Date'] })
    const { check } = await issued(60)
    for (let times = 0; times < 3; times++) expect(await check([ARM])).toEqual({ oid: 'principal', appid: 'application' })
    vi.setSystemTime(Date.now() + 60_000)
    expect(await check([ARM])).toEqual({ refused: expect.stringContaining('exp') })
  })

  it('that was accepted for one audience is refused for another one', async () => {
    const { check } = await issued()
    expect(await check([ARM])).toEqual({ oid: 'principal', appid: 'application' })
    expect(await check([GRID])).toEqual({ refused: expect.stringContaining('aud') })
  })
})
