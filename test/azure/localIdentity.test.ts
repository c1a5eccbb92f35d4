import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LocalAzure, startAzure } from '../../local/azure/startAzure.ts'
import { armCall } from './armCall.ts'

const CLIENT = { clientId: '00000000-0000-4000-8000-0000000000c1', objectId: '00000000-0000-4000-8000-0000000000c2', secret: 'hush' }
let azure: LocalAzure
let folder: string

beforeAll(async () => {
  azure = await startAzure({ clients: [CLIENT] })
  folder = await mkdtemp(join(tmpdir(), 'joiner-ca-'))
  await writeFile(join(folder, 'ca.pem'), azure.caCertificate)
})
afterAll(async () => {
  await azure.close()
  await rm(folder, { recursive: true })
})

type Answer = { readonly machines: string[]; readonly claims: Record<string, unknown> }

async function asChild(credential: string, env: Record<string, string> = {}): Promise<Answer> {
  const { stdout } = await promisify(execFile)(process.execPath, ['test/azure/identityChild.ts', credential], {
    env: {
      PATH: process.env['PATH'],
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      IDENTITY_ENDPOINT: azure.identityEndpoint,
      IDENTITY_HEADER: azure.identityHeader,
      ENTRA_AUTHORITY: azure.authorityUrl,
      ARM_ENDPOINT: azure.armUrl,
      SUBSCRIPTION: azure.subscriptionId,
      TENANT: azure.tenantId,
      GROUP: azure.resourceGroups[0] ?? '',
      ...env,
    },
  })
  return JSON.parse(stdout) as Answer
}

describe('the real credentials in a process that trusts the authority by NODE_EXTRA_CA_CERTS', () => {
  const assertion = () =>
    new SignJWT({ sub: 'system:serviceaccount:joiner:shim' })
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience('api://AzureADTokenExchange')
      .setIssuer('https://cluster')
      .setExpirationTime('5m')
      .sign(new Uint8Array(32))
  const cases: Record<string, { credential: string; env: () => Promise<Record<string, string>>; want: () => object }> = {
    'managed identity': { credential: 'managed', env: async () => ({}), want: () => ({ oid: azure.managedIdentities[0]?.objectId }) },
    'managed identity by client id': {
      credential: 'assigned',
      env: async () => ({ CLIENT_ID: azure.managedIdentities[0]?.clientId ?? '' }),
      want: () => ({ appid: azure.managedIdentities[0]?.clientId }),
    },
    'client secret': {
      credential: 'secret',
      env: async () => ({ CLIENT_ID: CLIENT.clientId, SECRET: 'hush' }),
      want: () => ({ oid: CLIENT.objectId }),
    },
    'federated token': {
      credential: 'federated',
      env: async () => ({ CLIENT_ID: CLIENT.clientId, ASSERTION: await assertion() }),
      want: () => ({ oid: CLIENT.objectId, azp: CLIENT.clientId }),
    },
  }
  it.each(Object.entries(cases))('%s', async (_sentence, { credential, env, want }) => {
    const answer = await asChild(credential, await env())
    expect(answer.machines).toEqual([])
    expect(answer.claims).toMatchObject({ aud: 'https://management.azure.com', iss: azure.issuer, tid: azure.tenantId, ...want() })
  })

  it('a wrong secret is refused', async () => {
    await expect(asChild('secret', { CLIENT_ID: CLIENT.clientId, SECRET: 'wrong' })).rejects.toThrow('AADSTS7000215')
  })

  it('an unknown managed identity is refused', async () => {
    await expect(asChild('assigned', { CLIENT_ID: 'nobody' })).rejects.toThrow('nobody')
  })
})

describe('a token', () => {
  it('is checked with the published keys', async () => {
    const token = await azure.issueToken({ audience: 'api://joiner', oid: 'o', appid: 'a' })
    const reply = await armCall(azure, 'GET', azure.jwksUri, { token: undefined })
    expect(reply.body).toMatchObject({ keys: [{ kty: 'RSA', use: 'sig' }] })
    const { payload } = await jwtVerify(token, createLocalJWKSet(reply.body as JSONWebKeySet), {
      issuer: azure.issuer,
      audience: 'api://joiner',
    })
    expect(payload['oid']).toBe('o')
  })

  it('for another audience does not count at ARM', async () => {
    const token = await azure.issueToken({ audience: 'api://joiner', oid: 'o', appid: 'a' })
    expect((await armCall(azure, 'GET', `/subscriptions/${azure.subscriptionId}`, { token, version: '2022-12-01' })).status).toBe(401)
  })

  it('that expired does not count', async () => {
    const token = await azure.issueToken({ audience: 'https://management.azure.com', oid: 'o', appid: 'a', expiresInSeconds: -10 })
    expect((await armCall(azure, 'GET', `/subscriptions/${azure.subscriptionId}`, { token, version: '2022-12-01' })).status).toBe(401)
  })
})
