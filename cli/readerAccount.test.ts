import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startKubernetes } from '../local/kubernetes/startKubernetes.ts'
import { hasKubectl } from '../local/kubernetes/testing/kubectl.ts'
import { callServer } from '../local/kubernetes/testing/withServer.ts'
import { createKubeTransport } from '../shared/adapters/kube/kubeTransport.ts'
import { REAL_CLOCK } from '../test/azure/harness.ts'
import type { Access } from './clusterAccess.ts'
import { type RunProgram, runProgram } from './down/runProgram.ts'
import { type AskServer, accountAccess, serverByAzure, serverByKubectl } from './readerAccount.ts'

const NAME = 'joiner/joiner-reader'
const ID = '/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/shop'
const ANNOTATIONS = {
  'joiner.azure.com/endpoint': 'https://func.example.com',
  'joiner.azure.com/cluster': 'shop',
  'joiner.azure.com/audience': 'api://joiner-abc',
}
const folder = mkdtempSync(join(tmpdir(), 'joiner-reader-'))
let server: Awaited<ReturnType<typeof startKubernetes>>

beforeAll(async () => {
  server = await startKubernetes({
    authorization: 'rbac',
    namespaces: ['joiner', 'old'],
    tokens: [
      { token: 'reader', user: 'ann', groups: [] },
      { token: 'other', user: 'bob', groups: [] },
    ],
  })
  const rules = [
    { apiGroups: [''], resources: ['serviceaccounts'], resourceNames: ['joiner-reader'], verbs: ['get'] },
    { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: ['joiner-reader'], verbs: ['create'] },
  ]
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/joiner'
  await make('/api/v1/namespaces/joiner/serviceaccounts', { metadata: { name: 'joiner-reader', annotations: ANNOTATIONS } })
  await make('/api/v1/namespaces/joiner/serviceaccounts', { metadata: { name: 'joiner-shim' } })
  await make('/api/v1/namespaces/old/serviceaccounts', { metadata: { name: 'joiner-reader' } })
  await make(`${rbac}/roles`, { metadata: { name: 'joiner-reader' }, rules })
  await make(`${rbac}/rolebindings`, {
    metadata: { name: 'joiner-reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'joiner-reader' },
    subjects: [{ kind: 'User', name: 'ann', apiGroup: 'rbac.authorization.k8s.io' }],
  })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function make(path: string, body: object): Promise<void> {
  const answer = await callServer(server, { token: server.adminToken, method: 'POST', path, body })
  if (answer.code >= 300) throw new Error(JSON.stringify(answer))
}

/** Asks through Azure, with the kubeconfig that it returns, as the holder of this token. */
async function byAzure(token: string): Promise<AskServer> {
  const kubeconfig = {
    clusters: [{ cluster: { server: server.url, 'certificate-authority-data': Buffer.from(server.caCertificate).toString('base64') } }],
  }
  const value = Buffer.from(JSON.stringify(kubeconfig)).toString('base64')
  const access: Pick<Access, 'arm' | 'token' | 'transport'> = {
    arm: async () => ({ status: 200, body: { kubeconfigs: [{ value }] }, headers: {} }),
    token: async () => token,
    transport: (to) => createKubeTransport({ ...to, clock: REAL_CLOCK }),
  }
  const opened = await serverByAzure(access, ID)
  if (!opened.ok) throw new Error(opened.error)
  return opened.value
}

/** Asks through the real kubectl, if it is installed, with a configuration file. */
async function byKubectl(token: string): Promise<AskServer> {
  const authority = Buffer.from(server.caCertificate).toString('base64')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: server.url, 'certificate-authority-data': authority } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'shop', context: { cluster: 'c', user: 'u' } }],
  }
  const file = join(folder, token)
  writeFileSync(file, JSON.stringify(config))
  const run: RunProgram = (program, args, more) => runProgram(program, [...args, '--kubeconfig', file], more)
  return serverByKubectl(run, 'shop')
}

const WAYS: readonly (readonly [string, (token: string) => Promise<AskServer>])[] = [
  ['Azure', byAzure],
  ...(hasKubectl() ? [['kubectl', byKubectl] as const] : []),
]

describe.each(WAYS)('the reader of a cluster, by %s', (_, by) => {
  it('is whoever may make the token, which is for the app that the account names and no other', async () => {
    const access = await accountAccess(await by('reader'), NAME)
    if (!access.ok) throw new Error(access.error)
    expect(access.value.url).toBe('https://func.example.com/api/clusters/shop')
    const { aud, sub, exp = 0, iat = 0 } = decodeJwt((access.value.headers['authorization'] ?? '').replace('Bearer ', ''))
    expect({ aud, sub, life: exp - iat }).toEqual({
      aud: ['api://joiner-abc'],
      sub: 'system:serviceaccount:joiner:joiner-reader',
      life: 600,
    })
    expect(Object.keys(access.value.headers)).toEqual(['authorization', 'accept'])
  })

  it.each([
    ['whoever has no right', 'other', NAME, /^service account joiner\/joiner-reader cannot be read: .*bob.* cannot get/],
    ['another service account', 'reader', 'joiner/joiner-shim', /^service account joiner\/joiner-shim cannot be read: .*cannot get/],
    ['an account that says nothing', undefined, 'old/joiner-reader', /does not say where the app is: upgrade chart joiner/],
    ['an account that is not there', undefined, 'old/other', /^service account old\/other cannot be read: .*not found/],
  ])('is not %s', async (__, token, name, why) => {
    expect(await accountAccess(await by(token ?? server.adminToken), name)).toEqual({ ok: false, error: expect.stringMatching(why) })
  })
})

describe('the reader of a cluster', () => {
  const answers = (...all: readonly unknown[]): AskServer => {
    const left = [...all]
    return async () => ({ ok: true, value: left.shift() })
  }

  it.each([['http://func.example.com'], ['ftp://x'], ['func']])('sends no token to %s', async (endpoint) => {
    const account = { metadata: { annotations: { ...ANNOTATIONS, 'joiner.azure.com/endpoint': endpoint } } }
    expect(await accountAccess(answers(account, { status: { token: 't' } }), NAME)).toMatchObject({ ok: false })
  })

  it('is told where the API server makes no token', async () => {
    const account = { metadata: { annotations: ANNOTATIONS } }
    expect(await accountAccess(answers(account, {}), NAME)).toEqual({ ok: false, error: expect.stringContaining('made no token') })
  })

  it('is told that kubectl is not there', async () => {
    const ask = serverByKubectl(async () => ({ code: 127, out: '', errors: '' }), undefined)
    expect(await ask('/api')).toEqual({ ok: false, error: expect.stringContaining('kubectl is not there; say --cluster') })
  })
})
