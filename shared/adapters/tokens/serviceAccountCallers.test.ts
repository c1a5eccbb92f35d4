import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clusterId } from '../../model/ids.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import { FAILED_MS } from './issuerKeys.ts'
import { type ClusterIssuer, createServiceAccountCallers } from './serviceAccountCallers.ts'

const SIGNAL = new AbortController().signal
const keyOf = async (kid: string) => {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256' } }
}
type Key = Awaited<ReturnType<typeof keyOf>>
const [FIRST, SECOND, FOREIGN] = await Promise.all(['k1', 'k2', 'k1'].map(keyOf))

type Respond = (path: string, response: ServerResponse) => boolean

/** The issuer of a cluster. Requests that `instead` answers do not get the normal answer. */
async function issuerOf(cluster: string, keys: Key[], instead: Respond = () => false) {
  const asked: string[] = []
  const server = createServer((request: IncomingMessage, response) => {
    const path = request.url ?? ''
    asked.push(path)
    if (instead(path, response)) return
    // API servers check the accepted type.
    const type = path.endsWith('/jwks') ? 'application/jwk-set+json' : 'application/json'
    if (request.headers.accept?.includes(type) !== true) return void response.writeHead(406).end()
    const document = { issuer, jwks_uri: `${issuer}openid/v1/jwks` }
    response.end(JSON.stringify(path.endsWith('/openid-configuration') ? document : { keys: keys.map(({ jwk }) => jwk) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}/${cluster}/`
  return { issuer, asked, keys }
}

/** Real requests to a server without a certificate. */
const withoutTls = ((url: string | URL, init?: RequestInit) => fetch(String(url).replace('https:', 'http:'), init)) as typeof fetch

function callersOf(
  issuers: { readonly [cluster: string]: string | undefined },
  clock: { now(): EpochMs } = { now: () => epochMs(Date.now()) },
) {
  const list = Object.entries(issuers).map(([cluster, issuer]): ClusterIssuer => ({ cluster: clusterId(cluster), issuer }))
  return createServiceAccountCallers({ issuers: () => Promise.resolve(list), audience: 'api://joiner', clock, fetch: withoutTls })
}

type Changes = {
  readonly audience?: string
  readonly from?: string
  readonly expires?: string
  readonly subject?: string
  readonly issued?: string
  readonly begins?: string
  readonly key?: Key | undefined
  readonly kid?: string
}

function tokenOf(issuer: string, changes: Changes = {}): Promise<string> {
  const {
    audience = 'api://joiner',
    from = issuer,
    expires = '1h',
    subject = 'system:serviceaccount:joiner:joiner-shim',
    issued = '0s',
    begins = '0s',
    key = FIRST,
  } = changes
  if (key === undefined) throw new TypeError('there is no key')
  const made = new SignJWT({ 'kubernetes.io': { namespace: 'joiner' } }).setProtectedHeader({ alg: 'RS256', kid: changes.kid ?? key.kid })
  const dated = made.setIssuedAt(issued).setNotBefore(begins).setExpirationTime(expires)
  return dated.setIssuer(from).setAudience([audience]).setSubject(subject).sign(key.privateKey)
}

const first = (): Key[] => (FIRST === undefined ? [] : [FIRST])
const UNAUTHENTICATED = { ok: false, error: { code: 'INPUT.UNAUTHENTICATED' } }
const UNSURE = { ok: false, error: { code: 'NETWORK.FAILED', retryAfterMs: expect.any(Number) } }

describe('a service account', () => {
  it('is who its token says, in the cluster that issued it', async () => {
    const { issuer } = await issuerOf('alpha', first())
    const callers = callersOf({ alpha: issuer })
    const identity = 'alpha:system:serviceaccount:joiner:joiner-shim'
    expect(await callers.verify(`Bearer ${await tokenOf(issuer)}`, SIGNAL)).toEqual({ ok: true, value: { identity } })
  })

  it('of one cluster is never one of another', async () => {
    const alpha = await issuerOf('alpha', first())
    const beta = await issuerOf('beta', first())
    const callers = callersOf({ alpha: alpha.issuer, beta: beta.issuer })
    const inBeta = await callers.verify(`Bearer ${await tokenOf(beta.issuer)}`, SIGNAL)
    expect(inBeta).toEqual({ ok: true, value: { identity: 'beta:system:serviceaccount:joiner:joiner-shim' } })
    // A token of beta that names alpha as its issuer is signed with a key that alpha does not have.
    const forged = await tokenOf(alpha.issuer, { key: SECOND })
    expect(await callers.verify(`Bearer ${forged}`, SIGNAL)).toMatchObject(UNAUTHENTICATED)
    expect(beta.asked).toHaveLength(2)
  })

  it('of another name is another caller', async () => {
    const { issuer } = await issuerOf('alpha', first())
    const token = await tokenOf(issuer, { subject: 'system:serviceaccount:default:joiner-shim' })
    expect(await callersOf({ alpha: issuer }).verify(`Bearer ${token}`, SIGNAL)).toMatchObject({
      value: { identity: 'alpha:system:serviceaccount:default:joiner-shim' },
    })
  })

  it.each<[string, Changes]>([
    ['for somebody else', { audience: 'https://kubernetes.default.svc' }],
    ['that has expired', { expires: '-1h' }],
    ['that has expired for longer than clocks may be apart', { expires: '-70s' }],
    ['that begins later than clocks may be apart', { begins: '70s' }],
    ['that was issued later than clocks may be apart', { issued: '70s' }],
    ['that somebody had made for a year, after its first day', { issued: '-25h', expires: '1y' }],
    ['signed with another key', { key: FOREIGN }],
    ['signed with a key that nobody published', { kid: 'unknown' }],
    ['of a person', { subject: 'admin' }],
    ['of a node', { subject: 'system:node:a' }],
    ['of a name with more parts', { subject: 'system:serviceaccount:a:b:c' }],
  ])('is refused with a token %s', async (_, changes) => {
    const { issuer } = await issuerOf('alpha', first())
    const answer = await callersOf({ alpha: issuer }).verify(`Bearer ${await tokenOf(issuer, changes)}`, SIGNAL)
    expect(answer).toMatchObject(UNAUTHENTICATED)
  })

  it.each<[string, Changes]>([
    ['has just expired', { expires: '-50s' }],
    ['has not begun yet', { begins: '50s', issued: '50s' }],
    ['lives for a day', { expires: '24h' }],
  ])('is let in with a token that %s by a clock that differs a little', async (_, changes) => {
    const { issuer } = await issuerOf('alpha', first())
    expect(await callersOf({ alpha: issuer }).verify(`Bearer ${await tokenOf(issuer, changes)}`, SIGNAL)).toMatchObject({ ok: true })
  })

  it('is refused with a token that nobody signed, or that a text signed', async () => {
    const { issuer } = await issuerOf('alpha', first())
    const claims = { sub: 'system:serviceaccount:joiner:joiner-shim', iat: Math.floor(Date.now() / 1000) }
    const none = new UnsecuredJWT(claims).setIssuer(issuer).setAudience('api://joiner').setExpirationTime('1h').encode()
    const made = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).setIssuer(issuer).setAudience('api://joiner')
    const text = await made.setExpirationTime('1h').sign(new TextEncoder().encode(JSON.stringify(FIRST?.jwk).padEnd(64)))
    for (const token of [none, text])
      expect(await callersOf({ alpha: issuer }).verify(`Bearer ${token}`, SIGNAL)).toMatchObject(UNAUTHENTICATED)
  })

  it('is refused with a token without an end', async () => {
    const { issuer } = await issuerOf('alpha', first())
    const made = new SignJWT({ sub: 'system:serviceaccount:a:b' }).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).setIssuedAt()
    const token = await made
      .setIssuer(issuer)
      .setAudience('api://joiner')
      .sign(FIRST?.privateKey ?? new Uint8Array())
    expect(await callersOf({ alpha: issuer }).verify(`Bearer ${token}`, SIGNAL)).toMatchObject(UNAUTHENTICATED)
  })

  it('of an issuer that is of no cluster is refused, and that issuer is never asked', async () => {
    const { issuer } = await issuerOf('alpha', first())
    const stranger = await issuerOf('stranger', first())
    const callers = callersOf({ alpha: issuer })
    expect(await callers.verify(`Bearer ${await tokenOf(stranger.issuer)}`, SIGNAL)).toMatchObject(UNAUTHENTICATED)
    expect(await callers.verify(`Bearer ${await tokenOf(issuer.replace(/\/$/, ''))}`, SIGNAL)).toMatchObject(UNAUTHENTICATED)
    expect(stranger.asked).toEqual([])
  })

  it('is neither let in nor refused while the issuer of some cluster is not known', async () => {
    const { issuer } = await issuerOf('alpha', first())
    expect(await callersOf({ alpha: undefined }).verify(`Bearer ${await tokenOf(issuer)}`, SIGNAL)).toMatchObject(UNSURE)
    expect(await callersOf({ alpha: issuer, beta: undefined }).verify(`Bearer ${await tokenOf(issuer)}`, SIGNAL)).toMatchObject({
      ok: true,
    })
  })

  it.each(['Bearer nothing', 'Bearer a.b.c', 'Basic x', undefined])('is refused with %s, and nobody is asked', async (authorization) => {
    const { issuer, asked } = await issuerOf('alpha', first())
    expect(await callersOf({ alpha: issuer }).verify(authorization, SIGNAL)).toMatchObject(UNAUTHENTICATED)
    expect(asked).toEqual([])
  })

  it.each<[string, Respond]>([
    ['fails', (_, response) => !!response.writeHead(500).end()],
    ['is throttled', (_, response) => !!response.writeHead(429).end()],
    ['sends elsewhere', (_, response) => !!response.writeHead(302, { location: '/elsewhere' }).end()],
    ['does not know itself', (_, response) => !!response.writeHead(404).end()],
    ['talks nonsense', (_, response) => !!response.end('<html>')],
    ['answers with nothing', (_, response) => !!response.end('null')],
    ['is cut off', (_, response) => !!response.destroy()],
    ['says it is another', (_, response) => !!response.end('{"issuer":"https://other/","jwks_uri":"https://other/keys"}')],
    ['has no keys', (path, response) => path.endsWith('/jwks') && !!response.writeHead(503).end()],
  ])('is neither let in nor refused while its issuer %s', async (_, instead) => {
    const { issuer } = await issuerOf('alpha', first(), instead)
    expect(await callersOf({ alpha: issuer }).verify(`Bearer ${await tokenOf(issuer)}`, SIGNAL)).toMatchObject(UNSURE)
  })

  it('is not checked against keys of an address without TLS', async () => {
    const { issuer } = await issuerOf('alpha', first(), (path, response) => {
      if (!path.endsWith('/openid-configuration')) return false
      response.end(JSON.stringify({ issuer, jwks_uri: issuer.replace('https:', 'http:') }))
      return true
    })
    expect(await callersOf({ alpha: issuer }).verify(`Bearer ${await tokenOf(issuer)}`, SIGNAL)).toMatchObject(UNSURE)
  })

  it('is let in once the issuer is back, and then costs the issuer nothing', async () => {
    let isAway = true
    const { issuer, asked } = await issuerOf('alpha', first(), (_, response) => isAway && !!response.writeHead(503).end())
    let now = Date.now()
    const callers = callersOf({ alpha: issuer }, { now: () => epochMs(now) })
    const header = `Bearer ${await tokenOf(issuer)}`
    expect(await callers.verify(header, SIGNAL)).toMatchObject(UNSURE)
    isAway = false
    now += FAILED_MS
    expect(await callers.verify(header, SIGNAL)).toMatchObject({ ok: true })
    const before = asked.length
    expect(await callers.verify(header, SIGNAL)).toMatchObject({ ok: true })
    expect(asked).toHaveLength(before)
  })
})
