import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRecord, recordAt } from '../../local/azure/json.ts'
import { type LocalAzure, startAzure } from '../../local/azure/startAzure.ts'
import { createAccountIssuer } from '../../local/kubernetes/access/accountIssuer.ts'
import type { LocalKubernetes } from '../../local/kubernetes/kubernetesOptions.ts'
import { startKubernetes } from '../../local/kubernetes/startKubernetes.ts'
import { appSettings } from '../../local/stack/appSettings.ts'
import { type FunctionsHost, startFunctions } from '../../local/stack/functionsHost.ts'
import { APP_AUDIENCE, APP_IDENTITY, LOCAL_CLUSTER, READER_IDENTITY, SHIM_AUDIENCE, SHIM_IDENTITY } from '../../local/stack/identities.ts'
import { createOwnedParts } from '../../local/stack/ownedParts.ts'
import { startStorage } from '../../local/storage/startStorage.ts'
import { type Environment, startEnvironment } from './environment.ts'
import { PATIENCE_MS, TEST_TIMEOUT_MS } from './until.ts'

type Claims = { readonly [claim: string]: string | number | readonly string[] | undefined }

describe('an app of two clusters, with tokens of their service accounts', { timeout: TEST_TIMEOUT_MS }, () => {
  const parts = createOwnedParts()
  let azure: LocalAzure
  let alpha: LocalKubernetes
  let beta: LocalKubernetes
  let app: FunctionsHost
  let startApp: () => FunctionsHost
  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'joiner-tokens-'))
    await parts.own(() => rmSync(directory, { recursive: true, force: true }))
    const storage = await startStorage({})
    await parts.own(() => storage.close())
    azure = await startAzure({ managedIdentities: [APP_IDENTITY], clients: [SHIM_IDENTITY] })
    await parts.own(() => azure.close())
    const [first, second] = await Promise.all([startKubernetes(), startKubernetes()])
    await parts.own(() => Promise.all([first.close(), second.close()]))
    alpha = first
    beta = second
    const caFile = join(directory, 'ca.pem')
    const authorities = [azure, alpha, beta].map(({ caCertificate }) => caCertificate).join('\n')
    writeFileSync(caFile, authorities)
    const betaId = azure.clusterResourceId.replace(/local$/, 'beta')
    const entries = [hold(azure, azure.clusterResourceId, alpha), hold(azure, betaId, beta)]
    const endpoints = {
      armUrl: azure.armUrl,
      kubernetesUrl: alpha.url,
      kubernetesCa: alpha.caCertificate,
      storageConnection: storage.connectionString,
    }
    const settings = appSettings({ azure, endpoints, more: { JOINER_CLUSTERS: JSON.stringify(entries) } })
    startApp = () => startFunctions({ settings, caFile, port: 0, onLine: () => undefined, onNotice: () => undefined })
    app = startApp()
    await parts.own(() => app.child.stop())
    await app.ready()
  }, TEST_TIMEOUT_MS)
  afterAll(() => parts.close(), TEST_TIMEOUT_MS)

  /** The app's answer to a post that changes nothing. */
  async function answerTo(token: string | undefined, cluster = LOCAL_CLUSTER, host = app): Promise<Response> {
    const { url } = await host.ready()
    const body = { v: 1, cluster, term: 0, sentAt: Date.now(), body: { kind: 'changes', changes: [] } }
    const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
    return fetch(`${url}/api/clusters/${cluster}/events`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const statusOf = async (...call: Parameters<typeof answerTo>): Promise<number> => (await answerTo(...call)).status

  /** The claims that the API server would put into the shim's token, with changes. */
  function claims(issuer: string, over: Claims = {}): Claims {
    const now = Math.floor(Date.now() / 1000)
    const sub = 'system:serviceaccount:joiner:joiner-shim'
    return { iss: issuer, sub, aud: [SHIM_AUDIENCE], iat: now, nbf: now, exp: now + 600, ...over }
  }
  const signed = ({ url, accountIssuer }: Pick<LocalKubernetes, 'url' | 'accountIssuer'>, over: Claims = {}): string =>
    accountIssuer.sign(JSON.parse(JSON.stringify(claims(url, over))))
  const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

  it('takes that of each shim for its own cluster, as often as it comes', async () => {
    const token = signed(alpha)
    expect([await statusOf(token), await statusOf(token), await statusOf(signed(beta), 'beta')]).toEqual([202, 202, 202])
  })

  it.each<[string, number, () => string | undefined | Promise<string>]>([
    ['no token', 401, () => undefined],
    ['no token at all, but a text', 401, () => 'x'],
    ['a token for somebody else', 401, () => signed(alpha, { aud: ['api://AzureADTokenExchange'] })],
    ['a token for the API server', 401, () => signed(alpha, { aud: [alpha.url] })],
    ['a token without an audience', 401, () => signed(alpha, { aud: undefined })],
    ['the shim of the other cluster', 403, () => signed(beta)],
    ['the other cluster, in the name of this one', 401, () => signed(beta, { iss: alpha.url })],
    ['an issuer that is of no cluster', 401, () => signed({ url: 'https://127.0.0.1:1', accountIssuer: createAccountIssuer(() => '') })],
    ['another service account', 403, () => signed(alpha, { sub: 'system:serviceaccount:joiner:joiner-spot' })],
    ['one of that name in another namespace', 403, () => signed(alpha, { sub: 'system:serviceaccount:default:joiner-shim' })],
    ['a node', 401, () => signed(alpha, { sub: 'system:node:a' })],
    ['a token that is over', 401, () => signed(alpha, { exp: inSeconds(-75) })],
    ['a token that is over by a clock that goes a little fast', 202, () => signed(alpha, { exp: inSeconds(-45) })],
    ['a token that has not begun', 401, () => signed(alpha, { nbf: inSeconds(75) })],
    ['a token that has not begun by a clock that goes a little slow', 202, () => signed(alpha, { iat: inSeconds(45), nbf: inSeconds(45) })],
    ['a token without an end', 401, () => signed(alpha, { exp: undefined })],
    [
      'a token of the day before yesterday that lives for a year',
      401,
      () => signed(alpha, { iat: inSeconds(-172_800), exp: inSeconds(3e7) }),
    ],
    ['a token that nobody signed', 401, () => new UnsecuredJWT(jsonOf(claims(alpha.url))).encode()],
    ['a token signed with the public key as a text', 401, () => signedWithPublicKey(alpha, claims(alpha.url))],
    [
      'a token of the tenant',
      401,
      () => azure.issueToken({ audience: APP_AUDIENCE, oid: SHIM_IDENTITY.objectId, appid: SHIM_IDENTITY.clientId }),
    ],
  ])('answers a post with %s by %i', async (_, want, token) => {
    expect(await statusOf(await token())).toBe(want)
  })

  const READER = 'system:serviceaccount:joiner:joiner-reader'
  const tenantToken = ({ objectId: oid, clientId: appid }: typeof SHIM_IDENTITY, audience = APP_AUDIENCE): Promise<string> =>
    azure.issueToken({ audience, oid, appid })

  it.each<[string, number, () => string | undefined | Promise<string>]>([
    ['the reader of the cluster', 200, () => signed(alpha, { sub: READER })],
    ['a person of the tenant who is named', 200, () => tenantToken(READER_IDENTITY)],
    ['no token', 401, () => undefined],
    ['the shim', 403, () => signed(alpha)],
    ['the reader of the other cluster', 403, () => signed(beta, { sub: READER })],
    ['the other cluster, in the name of this one', 401, () => signed(beta, { iss: alpha.url, sub: READER })],
    ['a reader whose token is for somebody else', 401, () => signed(alpha, { sub: READER, aud: ['api://joiner-other'] })],
    ['a reader whose token is for the API server', 401, () => signed(alpha, { sub: READER, aud: [alpha.url] })],
    ['one of that name in another namespace', 403, () => signed(alpha, { sub: READER.replace(':joiner:', ':default:') })],
    ['a reader whose token is over', 401, () => signed(alpha, { sub: READER, exp: inSeconds(-75) })],
    ['a token that nobody signed', 401, () => new UnsecuredJWT(jsonOf(claims(alpha.url, { sub: READER }))).encode()],
    ['another identity of the tenant', 403, () => tenantToken(SHIM_IDENTITY)],
    ['a person whose token is for Azure itself', 401, () => tenantToken(READER_IDENTITY, 'https://management.azure.com')],
  ])('answers a question of %s by %i', async (_, want, token) => {
    const { url } = await app.ready()
    const given = await token()
    const headers = given === undefined ? {} : { authorization: `Bearer ${given}` }
    const asked = ['status', 'explain/pods/default/none', 'explain/nodeclaims/none'].map(
      async (path) => (await fetch(`${url}/api/clusters/${LOCAL_CLUSTER}/${path}`, { headers })).status,
    )
    const [status, ...explained] = await Promise.all(asked)
    expect(status).toBe(want)
    // A question that is let in may be queued or answered, so its status varies.
    for (const each of explained) expect([401, 403].includes(each) ? each : 200).toBe(want)
  })

  it('does not take a token of the tenant or a function key in its place, nor that of the reader to post', async () => {
    const { url, keys } = await app.ready()
    expect(await statusOf(signed(alpha, { sub: READER }))).toBe(403)
    const keyed = await fetch(`${url}/api/clusters/${LOCAL_CLUSTER}/status`, { headers: { 'x-functions-key': keys.host } })
    expect(keyed.status).toBe(401)
    const byKey = await fetch(`${url}/api/clusters/${LOCAL_CLUSTER}/events`, { method: 'POST', headers: { 'x-functions-key': keys.host } })
    expect(byKey.status).toBe(401)
  })

  it('goes on with the keys it has while the issuer is away, and without any asks the shim to come again', async () => {
    const fresh = startApp()
    try {
      await fresh.ready()
      await alpha.pause()
      expect(await statusOf(signed(alpha))).toBe(202)
      const unsure = await answerTo(signed(alpha), LOCAL_CLUSTER, fresh)
      expect([unsure.status, unsure.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await statusOf(signed(beta), 'beta', fresh)).toBe(202)
      await alpha.resume()
      await expect.poll(() => statusOf(signed(alpha), LOCAL_CLUSTER, fresh), { timeout: PATIENCE_MS }).toBe(202)
    } finally {
      await fresh.child.stop()
    }
  })

  it('takes tokens of a new key without a restart, and those of the old one all the while', async () => {
    const before = signed(alpha)
    alpha.accountIssuer.rotateKey({ keepsOld: true })
    const after = signed(alpha)
    const seen = new Set<number>()
    const look = async (): Promise<number> => {
      expect(await statusOf(before)).toBe(202)
      const status = await statusOf(after)
      seen.add(status)
      return status
    }
    await expect.poll(look, { timeout: PATIENCE_MS, interval: 1_000 }).toBe(202)
    expect([...seen].filter((status) => status !== 202 && status !== 401)).toEqual([])
  })
})

describe('a stack whose shim shows a token of the tenant', { timeout: TEST_TIMEOUT_MS }, () => {
  let environment: Environment
  beforeAll(async () => {
    environment = await startEnvironment({ appSettings: { SHIM_AUTH: 'entra' } })
  }, TEST_TIMEOUT_MS)
  afterAll(() => environment?.close(), TEST_TIMEOUT_MS)

  it('makes machines as ever', async () => {
    expect(environment.stack.endpoints.shimEnv).not.toHaveProperty('JOINER_TOKEN_FILE')
    await environment.scale('app', 1)
    await environment.settle(1)
    await environment.scale('app', 0)
    await environment.settle(0)
  })
})

/** Makes ARM return a cluster with this issuer. Returns the cluster's entry in the app's settings. */
function hold(azure: LocalAzure, resourceId: string, { url, caCertificate }: LocalKubernetes): object {
  const first = azure.getResource(azure.clusterResourceId)
  if (!isRecord(first)) throw new TypeError('the emulated Azure has no cluster')
  const properties = { ...recordAt(first, 'properties'), oidcIssuerProfile: { enabled: true, issuerURL: url } }
  azure.putResource({ ...first, id: resourceId, properties })
  const id = resourceId.slice(resourceId.lastIndexOf('/') + 1)
  const caBundle = Buffer.from(caCertificate).toString('base64')
  return { id, resourceId, apiServer: url, caBundle, allowedReaderIdentities: [READER_IDENTITY.objectId] }
}

function jsonOf(claims: Claims): { readonly [claim: string]: unknown } {
  return { ...claims }
}

/** Signs with the published key as if it were a shared secret. */
function signedWithPublicKey({ accountIssuer }: LocalKubernetes, claims: Claims): Promise<string> {
  const [{ kid = '', n = '' } = {}] = accountIssuer.keys().keys
  return new SignJWT(jsonOf(claims)).setProtectedHeader({ alg: 'HS256', kid }).sign(Buffer.from(n, 'base64url'))
}
