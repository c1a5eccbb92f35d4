import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startKubernetes } from '../local/kubernetes/startKubernetes.ts'
import { callServer } from '../local/kubernetes/testing/withServer.ts'
import { createClusterState } from '../shared/flows/state/clusterState.ts'
import { epochMs } from '../shared/model/units.ts'
import { parseEnvelope } from '../shared/wire/envelope.ts'
import type { Env } from './config.ts'
import { createLog, type Log, silentLog } from './log.ts'
import { runShim } from './main.ts'
import { createFakeApp, type FakeApp } from './testing/fakeApp.ts'

const CHART = new URL('../charts/joiner-crd/templates/', import.meta.url)

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function setUp() {
  const server = await startKubernetes({ bookmarkMs: 200 })
  const app = await createFakeApp()
  const folder = mkdtempSync(join(tmpdir(), 'joiner-shim-'))
  const kubeconfig = join(folder, 'config')
  writeFileSync(kubeconfig, server.kubeconfig())
  cleanups.push(
    () => server.close(),
    () => app.close(),
    async () => rmSync(folder, { recursive: true }),
  )
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await callServer(server, { token: server.adminToken, method, path, body })
    if (answer.code >= 300) throw new TypeError(`${method} ${path}: ${answer.code} ${JSON.stringify(answer.body)}`)
    return answer
  }
  await call('POST', '/api/v1/namespaces', { metadata: { name: 'joiner' } })
  return { server, app, call, kubeconfig }
}

/** Runs the shipped program in this process, from settings to exit code. */
function start(kubeconfig: string, app: FakeApp, podName: string, env: Env = {}, told?: Log) {
  const stopping = new AbortController()
  const settings = {
    JOINER_CLUSTER: 'demo',
    JOINER_ENDPOINT: app.endpoint.href,
    POD_NAME: podName,
    KUBECONFIG: kubeconfig,
    HTTP_PORT: '0',
    ...env,
  }
  const log = told ?? (process.env['SHIM_LOG'] ? createLog((line) => process.stderr.write(line)) : silentLog)
  const ended = runShim(settings, log, stopping.signal)
  const stop = async () => {
    stopping.abort(new DOMException('stopped', 'AbortError'))
    return ended
  }
  cleanups.push(async () => void (await stop()))
  return { stop }
}

/** Returns the state that the app's own merge makes of all posted envelopes. */
function stateOf(app: FakeApp) {
  const state = createClusterState()
  for (const json of app.posted) {
    const parsed = parseEnvelope(json)
    if (!parsed.ok) expect.fail(parsed.error.message)
    expect(parsed.value.rejected).toEqual([])
    state.apply({ term: parsed.value.envelope.term, receivedAt: epochMs(0), body: parsed.value.envelope.body })
  }
  return state
}

const podNames = (app: FakeApp) =>
  stateOf(app)
    .objects()
    .pod.map(({ key }) => key)
    .sort()

const POD = (name: string) => ({
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'pause', resources: { requests: { cpu: '1' } } }] },
})
const PODS = '/api/v1/namespaces/default/pods'

describe('the shim on the embedded API server', () => {
  it('leads again in a later term when the app follows one that its own clock is behind', async () => {
    const { app, call, kubeconfig } = await setUp()
    await call('POST', PODS, POD('a'))
    const newestTerm = (Date.now() + 86_400_000) * 1_000
    app.answerNext({ status: 409, body: { code: 'INPUT.OLD_TERM', message: 'a later term has begun', fields: { newestTerm } } })
    start(kubeconfig, app, 'shim-a')
    await app.until(() => app.posted.length > 0)
    expect(app.posted[0]?.term).toBeGreaterThan(newestTerm)
    expect(podNames(app)).toEqual(['default/a'])
  })

  it('posts what the app can read, from the first snapshot on', async () => {
    const { app, call, kubeconfig } = await setUp()
    await call('POST', '/api/v1/nodes', { metadata: { name: 'node-a' } })
    await call('POST', PODS, POD('a'))
    start(kubeconfig, app, 'shim-a')
    await app.until(() => app.posted.length > 0)
    await call('POST', PODS, POD('b'))
    await app.until(() => podNames(app).length === 2)
    const { pod, node, namespace } = stateOf(app).objects()
    expect(pod[0]).toMatchObject({ key: 'default/a', requests: { cpu: 1_000, pods: 1 }, phase: 'Pending' })
    expect(node.map(({ name }) => name)).toEqual(['node-a'])
    expect(namespace.map(({ name }) => name)).toContain('default')
  })

  it('picks up definitions that are installed while it runs', async () => {
    const { app, call, kubeconfig } = await setUp()
    start(kubeconfig, app, 'shim-a')
    await app.until(() => app.posted.length > 0)
    for (const file of readdirSync(CHART)) {
      await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', parse(readFileSync(new URL(file, CHART), 'utf8')))
    }
    const spec = { imageFamily: 'Ubuntu' }
    await call('POST', '/apis/karpenter.azure.com/v1beta1/aksnodeclasses', {
      apiVersion: 'karpenter.azure.com/v1beta1',
      kind: 'AKSNodeClass',
      metadata: { name: 'default' },
      spec,
    })
    await app.until(() => stateOf(app).objects().nodeClass.length === 1)
  })

  it('goes on after the API server restarted and forgot its history', async () => {
    const { server, app, call, kubeconfig } = await setUp()
    await call('POST', PODS, POD('stays'))
    await call('POST', PODS, POD('goes'))
    start(kubeconfig, app, 'shim-a')
    await app.until(() => app.posted.length > 0)
    await server.pause()
    await server.resume()
    await call('DELETE', `${PODS}/goes?gracePeriodSeconds=0`)
    await call('POST', PODS, POD('comes'))
    server.compact()
    server.disconnectWatches()
    await app.until(() => podNames(app).join() === 'default/comes,default/stays')
  })

  it('hands over to the other replica, which starts a greater term with a snapshot', async () => {
    const { app, call, kubeconfig } = await setUp()
    await call('POST', PODS, POD('a'))
    const first = start(kubeconfig, app, 'shim-a')
    await app.until(() => app.posted.length > 0)
    start(kubeconfig, app, 'shim-b')
    expect(await first.stop()).toBe(0)
    const before = app.posted.length
    await app.until(() => app.posted.length > before)
    const [earlier, later] = [...new Set(app.posted.map(({ term }) => term))]
    expect(later).toBeGreaterThan(earlier ?? 0)
    expect(app.posted[before]?.body.kind).toBe('snapshot')
    await call('POST', PODS, POD('b'))
    await app.until(() => podNames(app).length === 2)
  })

  it('shows the token of its service account that is there at each post, and says where there is none', async () => {
    const { app, call, kubeconfig } = await setUp()
    const tokenFile = join(dirname(kubeconfig), 'token')
    const said: string[] = []
    const log = createLog((line) => said.push(line))
    const webhook = { AZURE_FEDERATED_TOKEN_FILE: '/nowhere', AZURE_CLIENT_ID: 'c', AZURE_TENANT_ID: 't' }
    start(kubeconfig, app, 'shim-a', { JOINER_TOKEN_FILE: tokenFile, ...webhook }, log)
    await expect.poll(() => said.join('')).toContain(`no token in file ${tokenFile}: it cannot be read`)
    expect(app.headers).toEqual([])
    writeFileSync(tokenFile, 'a.b.c')
    await app.until(() => app.posted.length > 0)
    expect(app.headers.at(-1)).toMatchObject({ authorization: 'Bearer a.b.c' })
    writeFileSync(tokenFile, 'd.e.f')
    await call('POST', PODS, POD('a'))
    await app.until(() => podNames(app).length === 1)
    expect(app.headers.at(-1)).toMatchObject({ authorization: 'Bearer d.e.f' })
  })

  it('catches up with a storm while the app was away', async () => {
    const { app, call, kubeconfig } = await setUp()
    start(kubeconfig, app, 'shim-a')
    await app.until(() => app.posted.length > 0)
    app.answerNext({ status: 503, body: {} }, { status: 503, body: {} })
    await Promise.all(Array.from({ length: 200 }, (_, index) => call('POST', PODS, POD(`storm-${index}`))))
    await app.until(() => podNames(app).length === 200)
  })
})
