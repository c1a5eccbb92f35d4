import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { isObject, type Json, textAt } from '../object/json.ts'
import { pod } from '../testing/samples.ts'
import { type TestServer, withServer } from '../testing/withServer.ts'

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts'
const PODS = '/api/v1/namespaces/default/pods'

async function withAccount(test: (server: TestServer, request: Request) => Promise<void>, now = Date.now): Promise<void> {
  await withServer({ now }, async (server) => {
    await server.call('POST', ACCOUNTS, { metadata: { name: 'shim' } })
    await server.call('POST', PODS, pod('one', { serviceAccountName: 'shim' }))
    await server.call('POST', PODS, pod('other', { serviceAccountName: 'else' }))
    await test(server, (spec, account = 'shim') => server.call('POST', `${ACCOUNTS}/${account}/token`, { spec }))
  })
}

type Request = (spec: { readonly [field: string]: Json }, account?: string) => ReturnType<TestServer['call']>

const tokenIn = (answer: { readonly body: Json }): string => textAt(answer.body, 'status', 'token')
const boundTo = (name: string, more: { readonly [field: string]: string } = {}) => ({
  boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, ...more },
})

describe('a token of a service account', () => {
  it('says whose it is, for whom, of which pod and how long, and is signed by what the issuer publishes', async () => {
    await withAccount(async ({ call, server: { url } }, request) => {
      const answer = await request({ audiences: ['api://joiner'], expirationSeconds: 600, ...boundTo('one') })
      expect(answer.code).toBe(201)
      const { exp = 0, iat = 0, ...claims } = decodeJwt(tokenIn(answer))
      expect(exp - iat).toBe(600)
      expect(claims).toMatchObject({
        iss: url,
        sub: 'system:serviceaccount:default:shim',
        aud: ['api://joiner'],
        'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'shim' }, pod: { name: 'one' } },
      })
      const configuration = await call('GET', '/.well-known/openid-configuration')
      expect(configuration.body).toMatchObject({ issuer: url, jwks_uri: `${url}/openid/v1/jwks` })
      expect((await call('GET', '/openid/v1/jwks')).code).toBe(406)
      const asKeys = { accept: 'application/json, application/jwk-set+json' }
      expect(JSON.parse(String((await call('GET', '/openid/v1/jwks', undefined, asKeys)).body))).toMatchObject({
        keys: [{ kty: 'RSA', alg: 'RS256', use: 'sig' }],
      })
    })
  })

  it('is for the API server where it names nobody else, and lives for an hour', async () => {
    await withAccount(async ({ callAs, server: { url } }, request) => {
      const token = tokenIn(await request({}))
      const { aud, exp = 0, iat = 0 } = decodeJwt(token)
      expect([aud, exp - iat]).toEqual([[url], 3600])
      const self = await callAs(token, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
      const groups = ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated']
      expect(self.body).toMatchObject({ status: { userInfo: { username: 'system:serviceaccount:default:shim', groups } } })
    })
  })

  it('does not open the API server once it is over, for somebody else, of a pod that is gone, or of a key that was withdrawn', async () => {
    let now = Date.now()
    await withAccount(
      async (server, request) => {
        const { callAs, call } = server
        const codeOf = async (token: string): Promise<number> => (await callAs(token, 'GET', PODS)).code
        expect(await codeOf(tokenIn(await request({ audiences: ['api://joiner'] })))).toBe(401)
        const bound = tokenIn(await request(boundTo('one')))
        const free = tokenIn(await request({}))
        expect([await codeOf(bound), await codeOf(free)]).toEqual([200, 200])
        await call('DELETE', `${PODS}/one?gracePeriodSeconds=0`)
        expect([await codeOf(bound), await codeOf(free)]).toEqual([401, 200])
        server.server.accountIssuer.rotateKey({ keepsOld: true })
        expect(await codeOf(free)).toBe(200)
        server.server.accountIssuer.rotateKey({ keepsOld: false })
        expect(await codeOf(free)).toBe(401)
        const last = tokenIn(await request({}))
        expect(await codeOf(last)).toBe(200)
        now += 3_601_000
        expect(await codeOf(last)).toBe(401)
      },
      () => now,
    )
  })

  const refused: {
    readonly [sentence: string]: readonly [spec: { readonly [field: string]: Json }, account: string, code: number, words: string]
  } = {
    'an account that is not there': [{}, 'nobody', 404, 'serviceaccounts "nobody" not found'],
    'less than ten minutes': [{ expirationSeconds: 599 }, 'shim', 422, 'may not specify a duration less than 10 minutes'],
    'a pod that is not there': [boundTo('none'), 'shim', 404, 'pods "none" not found'],
    'a pod of another account': [boundTo('other'), 'shim', 400, 'pod running with different serviceaccount name'],
    'a pod that was made again': [boundTo('one', { uid: 'x' }), 'shim', 409, 'does not match the UID in record'],
    'another kind': [
      { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'a' } },
      'shim',
      400,
      'cannot bind token to object of type v1',
    ],
  }
  for (const [sentence, [spec, account, code, words]] of Object.entries(refused)) {
    it(`is not made for ${sentence}`, async () => {
      await withAccount(async (_, request) => {
        const answer = await request(spec, account)
        expect([answer.code, isObject(answer.body) && answer.body['message']]).toEqual([code, expect.stringContaining(words)])
      })
    })
  }
})
