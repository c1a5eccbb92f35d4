import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { createFakeApp } from '../../shim/testing/fakeApp.ts'
import { CAN_INSTALL, type Caller, type ChartCluster, LIMIT_MS, startChartCluster, until, WHY_NOT } from './chartCluster.ts'
import { CHART, NAMESPACE, render } from './helm.ts'
import { auditOf, grantedTo } from './rights.ts'
import { REQUIRED } from './valueSets.ts'

const ACCOUNT = 'joiner-shim'
const USER = `system:serviceaccount:${NAMESPACE}:${ACCOUNT}`
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'

describe.skipIf(!CAN_INSTALL)(`the shim with the rights of the chart${WHY_NOT}`, { timeout: LIMIT_MS }, () => {
  let cluster: ChartCluster
  let token = ''
  let shim: Caller
  beforeAll(async () => {
    cluster = await startChartCluster()
    await cluster.installCharts()
    const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${ACCOUNT}/token`
    const answer = await cluster.admin({ method: 'POST', path, body: { spec: {} } })
    token = (answer.body as { readonly status: { readonly token: string } }).status.token
    shim = cluster.with({ kind: 'token', token })
  }, LIMIT_MS)
  afterAll(() => cluster?.close())

  it('leads, watches every kind, sends a snapshot and passes `helm test`, is denied nothing, and has no right it does not use', async () => {
    const app = await createFakeApp()
    onTestFinished(() => app.close())
    const running = runShim(app.endpoint, serviceAccountFolder())
    await app.until(() => app.posted.some(({ body }) => body.kind === 'snapshot'))
    await until(async () => (await running.ask('/readyz')) === 'ok\n')
    expect(await helmTest(running.port())).toEqual({ code: 0, said: '127.0.0.1: leads, ok\n' })
    expect(await running.stop()).toBe(0)
    expect(await helmTest(running.port())).toMatchObject({ code: 1, said: expect.stringContaining('ECONNREFUSED') })
    const granted = grantedTo(ACCOUNT, await render(REQUIRED))
    // A watch appears in the audit log only when it ends.
    await until(async () => auditOf(cluster.plane, USER).used.length >= granted.length)
    expect(auditOf(cluster.plane, USER)).toEqual({ used: granted, denied: [] })
  })

  const role: { readonly [sentence: string]: Parameters<Caller>[0] } = {
    'read a pod by name': { method: 'GET', path: '/api/v1/namespaces/default/pods/any' },
    'list Secrets': { method: 'GET', path: '/api/v1/secrets' },
    'list ConfigMaps': { method: 'GET', path: '/api/v1/configmaps' },
    'read the Lease of another': { method: 'GET', path: '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/any' },
    'make a Lease elsewhere': { method: 'POST', path: '/apis/coordination.k8s.io/v1/namespaces/default/leases', body: lease('any') },
    'delete its Lease': { method: 'DELETE', path: `${LEASES}/${ACCOUNT}` },
    'make an Event': { method: 'POST', path: '/api/v1/namespaces/default/events', body: { metadata: { name: 'any' } } },
    'make a NodeClaim': { method: 'POST', path: '/apis/karpenter.sh/v1/nodeclaims', body: { metadata: { name: 'any' } } },
    'delete a pod': { method: 'DELETE', path: '/api/v1/namespaces/default/pods/any' },
    'evict a pod': { method: 'POST', path: '/api/v1/namespaces/default/pods/any/eviction', body: {} },
  }
  for (const [sentence, call] of Object.entries(role)) {
    it(`may not ${sentence}, which its role does not give`, async () => {
      expect(await shim(call)).toMatchObject({ code: 403, message: expect.stringContaining(`User "${USER}" cannot`) })
    })
  }

  it('may make no Lease but its own', async () => {
    expect(await shim({ method: 'POST', path: LEASES, body: lease('other') })).toMatchObject({
      code: 403,
      message: expect.stringContaining('the shim of Joiner may write its own Lease and nothing else'),
    })
  })

  it('and the spot watcher write nothing else, whatever somebody binds them to', async () => {
    const binding = {
      metadata: { name: 'too-much' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: `system:serviceaccounts:${NAMESPACE}` }],
    }
    expect(await cluster.admin({ method: 'POST', path: BINDINGS, body: binding })).toMatchObject({ code: 200 })
    const spot = cluster.as(`system:serviceaccount:${NAMESPACE}:joiner-spot`)
    await until(async () => (await shim({ method: 'GET', path: '/api/v1/configmaps' })).code === 200)
    const writes: readonly Parameters<Caller>[0][] = [
      { method: 'POST', path: '/api/v1/namespaces/default/configmaps', body: { metadata: { name: 'any' } } },
      { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'any' } } },
      { method: 'DELETE', path: `${BINDINGS}/too-much` },
      { method: 'DELETE', path: `${LEASES}/${ACCOUNT}` },
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/default',
        body: { metadata: { labels: { a: 'b' } } },
        contentType: 'application/merge-patch+json',
      },
    ]
    for (const write of [shim, spot].flatMap((caller) => writes.map((call) => caller(call)))) {
      expect(await write).toMatchObject({ code: 403, message: expect.stringContaining('ValidatingAdmissionPolicy') })
    }
    expect(await spot({ method: 'POST', path: LEASES, body: lease(ACCOUNT) })).toMatchObject({ code: 403 })
  })

  /** A folder as the kubelet mounts it for a service account. */
  function serviceAccountFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'joiner-account-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'token'), token)
    writeFileSync(join(folder, 'ca.crt'), cluster.plane.caCertificate)
    return folder
  }

  function runShim(endpoint: URL, account: string) {
    const { hostname, port } = new URL(cluster.plane.url)
    const env = {
      PATH: process.env['PATH'],
      JOINER_CLUSTER: 'demo',
      JOINER_ENDPOINT: endpoint.href,
      POD_NAME: 'shim-a',
      HTTP_PORT: '0',
      LEASE_NAMESPACE: NAMESPACE,
      LEASE_NAME: ACCOUNT,
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      SERVICE_ACCOUNT_DIR: account,
    }
    const child: ChildProcess = spawn(process.execPath, [join(repositoryRoot, 'shim/main.ts')], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')))
    const ended = once(child, 'close')
    const ownPort = () => /"httpPort":(\d+)/.exec(said)?.[1]
    return {
      port: ownPort,
      ask: async (path: string) => (ownPort() === undefined ? said : (await fetch(`http://127.0.0.1:${ownPort()}${path}`)).text()),
      async stop(): Promise<unknown> {
        child.kill('SIGTERM')
        return (await ended)[0]
      },
    }
  }
})

/** Runs the script that the pod of `helm test` runs. */
async function helmTest(port: string | undefined): Promise<{ readonly code: unknown; readonly said: string }> {
  const env = { SHIM: '127.0.0.1', PORT: port, PATIENCE_SECONDS: '1' }
  const child = spawn(process.execPath, [join(CHART, 'files/leaderTest.mjs')], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')))
  const [code] = await once(child, 'close')
  return { code, said }
}

function lease(name: string): object {
  return { metadata: { name }, spec: { holderIdentity: 'somebody' } }
}
