import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import type { HttpAnswer } from '../httpServer.ts'
import { createAuthority, type EntraClient } from './authority.ts'
import { createTokenIssuer } from './tokens.ts'

const TENANT = '00000000-0000-4000-8000-00000000000T'
const BASE = 'https://127.0.0.1:1'
const CLIENT: EntraClient = { clientId: 'app-1', objectId: 'object-1', secret: 'hush' }
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const RESOURCE = 'https://management.azure.com'

const issuer = await createTokenIssuer(() => `${BASE}/${TENANT}/v2.0`, TENANT)
const authority = createAuthority(
  TENANT,
  () => [CLIENT],
  issuer,
  () => BASE,
)

type Answer = Exclude<HttpAnswer, 'drop'>

async function ask(method: string, path: string, form: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const body = new URLSearchParams(form).toString()
  const answer = await authority({ method, url: new URL(path, BASE), headers: {}, body })
  if (answer === 'drop') throw new Error('the authority cut the connection')
  return answer
}

const FORM = { grant_type: 'client_credentials', client_id: 'app-1', client_secret: 'hush', scope: `openid ${RESOURCE}/.default` }
const askToken = (form: Readonly<Record<string, string>>): Promise<Answer> => ask('POST', `/${TENANT}/oauth2/v2.0/token`, form)
const { client_secret: _, ...withoutSecret } = FORM

function assertion(audience: string, expires: string): Promise<string> {
  return new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setAudience(audience).setExpirationTime(expires).sign(new Uint8Array(32))
}
const asserted = (text: string): Readonly<Record<string, string>> => ({
  ...withoutSecret,
  client_assertion_type: ASSERTION_TYPE,
  client_assertion: text,
})

describe('a token', () => {
  it('is the application’s own, for the resource that it asked for', async () => {
    const { status, body } = await askToken(FORM)
    expect([status, body]).toEqual([200, expect.objectContaining({ token_type: 'Bearer', expires_in: 3600 })])
    const { access_token: token } = body as { readonly access_token: string }
    expect(await issuer.check(`Bearer ${token}`, [RESOURCE])).toEqual({ oid: 'object-1', appid: 'app-1' })
    expect(await issuer.check(`Bearer ${token}`, ['https://graph.microsoft.com'])).toHaveProperty('refused')
  })

  it('is given for a federated assertion that lives', async () => {
    expect((await askToken(asserted(await assertion('api://AzureADTokenExchange', '5m')))).status).toBe(200)
  })

  const REFUSED: { readonly [what: string]: readonly [() => Promise<object> | object, number, string, string] } = {
    'another grant': [() => ({ ...FORM, grant_type: 'password' }), 400, 'unsupported_grant_type', 'AADSTS70003'],
    'an application nobody knows': [() => ({ ...FORM, client_id: 'app-2' }), 400, 'unauthorized_client', 'AADSTS700016'],
    'a wrong secret': [() => ({ ...FORM, client_secret: 'loud' }), 401, 'invalid_client', 'AADSTS7000215'],
    'no secret': [() => withoutSecret, 401, 'invalid_client', 'AADSTS7000215'],
    'no scope': [() => ({ ...FORM, scope: '' }), 400, 'invalid_scope', 'AADSTS70011'],
    'a scope that is no resource': [() => ({ ...FORM, scope: 'openid' }), 400, 'invalid_scope', 'AADSTS70011'],
    'an assertion of another kind': [
      async () => ({ ...asserted(await assertion('api://AzureADTokenExchange', '5m')), client_assertion_type: 'x' }),
      401,
      'invalid_client',
      'AADSTS50027',
    ],
    'an assertion for somebody else': [async () => asserted(await assertion('api://other', '5m')), 401, 'invalid_client', 'AADSTS700212'],
    'an assertion that is over': [
      async () => asserted(await assertion('api://AzureADTokenExchange', '-5m')),
      401,
      'invalid_client',
      'AADSTS700024',
    ],
    'an assertion that is none': [() => asserted('nonsense'), 401, 'invalid_client', 'AADSTS50027'],
  }
  for (const [what, [form, status, error, code]] of Object.entries(REFUSED))
    it(`is refused for ${what}`, async () => {
      const answer = await askToken((await form()) as Readonly<Record<string, string>>)
      expect(answer).toEqual({ status, body: { error, error_description: expect.stringContaining(code) } })
    })
})

describe('the authority', () => {
  it('tells where it gives tokens and where its keys are, of its own tenant only', async () => {
    const where = await ask('GET', '/common/discovery/instance')
    const endpoint = `${BASE}/${TENANT}/v2.0/.well-known/openid-configuration`
    expect(where).toMatchObject({ status: 200, body: { tenant_discovery_endpoint: endpoint } })
    const { body } = await ask('GET', endpoint)
    expect(body).toMatchObject({ issuer: issuer.issuer(), token_endpoint: `${BASE}/${TENANT}/oauth2/v2.0/token` })
    const { jwks_uri: keys } = body as { readonly jwks_uri: string }
    expect(await ask('GET', keys)).toEqual({ status: 200, body: issuer.jwks })
    expect(await ask('GET', '/other/v2.0/.well-known/openid-configuration')).toMatchObject({
      status: 400,
      body: { error: 'invalid_tenant' },
    })
  })

  it.each([
    ['GET', `/${TENANT}/oauth2/v2.0/token`],
    ['POST', `/${TENANT}/oauth2/v2.0/devicecode`],
  ])('does not serve %s %s', async (method, path) => expect((await ask(method, path)).status).toBe(404))
})
