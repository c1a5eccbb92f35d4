import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { epochMs } from '../../model/units.ts'
import { createEntraCallerIdentity } from './entraCallerIdentity.ts'

const SIGNAL = new AbortController().signal
const { publicKey, privateKey } = await generateKeyPair('RS256')
const { privateKey: foreignKey } = await generateKeyPair('RS256')
const KEYS = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' }] })

/** An issuer that answers requests for its keys with `answer`. */
async function issuer(answer: (response: ServerResponse) => void) {
  const server = createServer((_, response) => answer(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const authority = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const callers = createEntraCallerIdentity({ authority, tenantId: 't', audience: 'joiner', clock: { now: () => epochMs(Date.now()) } })
  return { callers, authority }
}

type Changes = {
  readonly audience?: string
  readonly from?: string
  readonly expires?: string
  readonly key?: typeof privateKey
  readonly kid?: string
}

function tokenOf(
  authority: string,
  { audience = 'joiner', from = `${authority}/t/v2.0`, expires = '1h', key = privateKey, kid = 'k' }: Changes = {},
) {
  const made = new SignJWT({ oid: 'object-1' }).setProtectedHeader({ alg: 'RS256', kid })
  return made.setIssuer(from).setAudience(audience).setExpirationTime(expires).sign(key)
}

const given = (response: ServerResponse) => void response.end(KEYS)

describe('a caller', () => {
  it('is who the token says', async () => {
    const { callers, authority } = await issuer(given)
    expect(await callers.verify(`Bearer ${await tokenOf(authority)}`, SIGNAL)).toEqual({ ok: true, value: { identity: 'object-1' } })
  })

  it.each<[string, Changes]>([
    ['for somebody else', { audience: 'other' }],
    ['of another issuer', { from: 'https://elsewhere' }],
    ['that has expired', { expires: '-1h' }],
    ['signed with another key', { key: foreignKey }],
    ['signed with a key that nobody published', { kid: 'unknown' }],
  ])('is refused with a token %s', async (_, changes) => {
    const { callers, authority } = await issuer(given)
    const answer = await callers.verify(`Bearer ${await tokenOf(authority, changes)}`, SIGNAL)
    expect(answer).toMatchObject({ ok: false, error: { code: 'INPUT.UNAUTHENTICATED' } })
  })

  it.each(['Bearer nothing', 'Bearer a.b.c', 'Basic x', undefined])(
    'is refused with %s, whatever the issuer does',
    async (authorization) => {
      const { callers } = await issuer((response) => void response.writeHead(500).end())
      expect(await callers.verify(authorization, SIGNAL)).toMatchObject({ ok: false, error: { code: 'INPUT.UNAUTHENTICATED' } })
    },
  )

  it.each<[string, (response: ServerResponse) => void]>([
    ['fails', (response) => void response.writeHead(500).end()],
    ['is throttled', (response) => void response.writeHead(429).end()],
    ['is moved', (response) => void response.writeHead(302, { location: '/elsewhere' }).end()],
    ['does not know its keys', (response) => void response.writeHead(404).end()],
    ['talks nonsense', (response) => void response.end('<html>')],
    ['answers with no keys at all', (response) => void response.end('{}')],
    ['is cut off', (response) => void response.destroy()],
  ])('is neither let in nor refused while the issuer %s', async (_, answer) => {
    const { callers, authority } = await issuer(answer)
    const outcome = await callers.verify(`Bearer ${await tokenOf(authority)}`, SIGNAL)
    expect(outcome).toMatchObject({ ok: false, error: { code: 'NETWORK.FAILED', retryAfterMs: expect.any(Number) } })
  })
})
