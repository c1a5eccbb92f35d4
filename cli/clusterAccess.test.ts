import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startKubernetes } from '../local/kubernetes/startKubernetes.ts'
import { REAL_CLOCK, startHarness } from '../test/azure/harness.ts'
import { armList, isFine, refusalOf } from './armCall.ts'
import { type Access, objectIdOf, openAccess, openCluster, tenantIn } from './clusterAccess.ts'
import { kubeconfigOf } from './kubeconfigOf.ts'

let harness: Awaited<ReturnType<typeof startHarness>>
let server: Awaited<ReturnType<typeof startKubernetes>>
let access: Access
beforeAll(async () => {
  harness = await startHarness({ pageSize: 1 })
  server = await startKubernetes()
  const { credential, arm } = harness
  access = openAccess({}, { credential, armOptions: { endpoint: arm.endpoint, ca: arm.ca }, clock: REAL_CLOCK })
})
afterAll(async () => {
  await harness.azure.close()
  await server.close()
})

function hold(kubeconfig: string): void {
  const { azure } = harness
  azure.putResource({ id: azure.clusterResourceId, ...azure.getResource(azure.clusterResourceId), kubeconfig })
}

/** A kubeconfig as AKS writes it for users of Entra. */
const kubeconfig = (address: string): string => `apiVersion: v1
kind: Config
clusters:
- name: local
  cluster: { server: "${address}", certificate-authority-data: ${Buffer.from(server.caCertificate).toString('base64')} }
users:
- name: clusterUser_local_local
  user: { exec: { command: kubelogin } }
`

describe('the tenant of the login', () => {
  it.each([
    [{}, undefined],
    [{ AZURE_TENANT_ID: '', JOINER_TENANT_ID: '' }, undefined],
    [{ JOINER_TENANT_ID: 'deployed' }, 'deployed'],
    [{ AZURE_TENANT_ID: 'set', JOINER_TENANT_ID: 'deployed' }, 'set'],
  ])('with %j is %s', (environment, tenant) => expect(tenantIn(environment)).toBe(tenant))
})

describe('a cluster without kubelogin', () => {
  it('is opened by what ARM tells of it and a token of Entra', async () => {
    hold(kubeconfig(server.url))
    const asked: string[] = []
    const token = async (audience: string) => {
      asked.push(audience)
      return server.adminToken
    }
    const opened = await openCluster({ ...access, token }, harness.azure.clusterResourceId)
    if (!opened.ok) throw new Error(opened.error.message)
    const answer = await opened.value.call({ method: 'GET', path: '/api/v1/namespaces/kube-system' }, AbortSignal.timeout(10_000))
    expect(answer).toMatchObject({ status: 200, json: { kind: 'Namespace' } })
    expect(asked).toEqual(['6dae42f8-4368-4678-94ff-3960e28e3630'])
    const forHelm = JSON.parse(await kubeconfigOf(opened.value)) as object
    expect(forHelm).toMatchObject({
      clusters: [{ cluster: { server: new URL(server.url).origin } }],
      users: [{ user: { token: server.adminToken } }],
    })
  })

  it.each([
    ['no kubeconfig', 'clusters: []'],
    ['no YAML', '{'],
  ])('is not opened by %s', async (_, text) => {
    hold(text)
    const opened = await openCluster(access, harness.azure.clusterResourceId)
    expect(opened).toMatchObject({ ok: false, error: { code: 'AZURE.FAILED', message: expect.stringContaining('is no kubeconfig') } })
  })

  it('says which role is missing where ARM refuses', async () => {
    hold(kubeconfig(server.url))
    harness.azure.script.http({
      method: 'POST',
      path: 'listClusterUserCredential',
      status: 403,
      code: 'AuthorizationFailed',
      message: 'no',
    })
    const opened = await openCluster(access, harness.azure.clusterResourceId)
    expect(opened).toMatchObject({
      ok: false,
      error: { code: 'AZURE.FORBIDDEN', message: expect.stringMatching(/AuthorizationFailed: no; .*Cluster User Role/) },
    })
  })
})

describe('a request to ARM', () => {
  const missing = () => `${harness.azure.clusterResourceId}x`

  it('is answered, whatever the status', async () => {
    const found = await access.arm({ method: 'GET', path: harness.azure.clusterResourceId, version: '2026-05-01' })
    expect(isFine(found)).toBe(true)
    const lost = await access.arm({ method: 'GET', path: missing(), version: '2026-05-01' })
    expect(isFine(lost)).toBe(false)
    expect(refusalOf(lost)).toMatch(/^404 ResourceNotFound: /)
    expect(refusalOf({ status: 502, body: '', headers: {} })).toBe('502 without a reason')
  })

  it('for a list reads every page', async () => {
    const group = `/subscriptions/${harness.azure.subscriptionId}/resourceGroups/local/providers/Microsoft.ContainerService/managedClusters`
    for (const name of ['one', 'two']) harness.azure.putResource({ id: `${group}/${name}` })
    expect(await armList(access.arm, { path: group, version: '2026-05-01' })).toHaveLength(3)
    await expect(armList(access.arm, { path: missing(), version: '1' })).rejects.toThrow(/^list .*: 400 /)
  })
})

describe('whom a token speaks for', () => {
  it('is its object id', async () => {
    expect(objectIdOf(await access.token('https://management.azure.com'))).toBe('o1')
    expect(objectIdOf('no token')).toBeUndefined()
  })
})
