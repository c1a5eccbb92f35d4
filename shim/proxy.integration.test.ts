/** The shim as a process behind a proxy: names outside lead nowhere but through the proxy, which looks into TLS with an authority of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createInternetAuthority, type Internet, startInternet } from '../local/internet/startInternet.ts'
import { KIND_PATHS } from './kinds.ts'
import { createFakeApp, type FakeApp } from './testing/fakeApp.ts'
import { createFakeKube, type FakeKube } from './testing/fakeKube.ts'
import { listenOnLoopback } from './testing/listenOnLoopback.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'joiner-proxy-'))
const inFolder = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

let app: FakeApp
let kube: FakeKube
let outside: Internet
let others: { readonly port: number; readonly close: () => Promise<unknown> }
let trusting: { readonly [name: string]: string }
const children: ChildProcess[] = []
/** Each forwarder has a lease of its own: none waits for that of one which was killed. */
let runs = 0
/** Paths of what Entra, the topic and the metadata service were asked. */
const asked: string[] = []

/** Entra, the topic and the metadata service. */
function createOthers(): Server {
  return createServer((incoming, outgoing) => {
    const path = (incoming.url ?? '').replace(/\?.*/, '')
    asked.push(`${incoming.headers.host?.replace(/:\d+$/, '')}${path}`)
    const event = {
      EventId: 'e1',
      EventType: 'Preempt',
      ResourceType: 'VirtualMachine',
      Resources: ['node-1'],
      EventStatus: 'Scheduled',
      NotBefore: '',
    }
    const body = path.endsWith('/token')
      ? { access_token: 'a', expires_in: 3600 }
      : path.startsWith('/metadata')
        ? { DocumentIncarnation: 1, Events: [event] }
        : {}
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
}

beforeAll(async () => {
  kube = await createFakeKube(Object.values(KIND_PATHS).map(({ path }) => path))
  others = await listenOnLoopback(createOthers())
  const authority = await createInternetAuthority()
  const url = `http://127.0.0.1:${others.port}`
  outside = await startInternet(authority, (host) => {
    if (host === 'app.example.test') return { url: app.endpoint.href }
    return host === 'login.example.test' || host === 'topic.example.test' ? { url } : undefined
  })
  trusting = { HTTPS_PROXY: outside.proxyUrl, NODE_EXTRA_CA_CERTS: inFolder('authorities.pem', authority.certificate) }
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
  }
})
afterAll(async () => {
  await Promise.all([outside.close(), kube.close(), others.close()])
  rmSync(folder, { recursive: true, force: true })
})

function start(env: { readonly [name: string]: string }): () => string {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'], JOINER_CLUSTER: 'demo', HTTP_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
  return () => text
}

const identity = (): { readonly [name: string]: string } => ({
  AZURE_CLIENT_ID: 'c',
  AZURE_TENANT_ID: 't',
  AZURE_AUTHORITY_HOST: 'https://login.example.test/',
  AZURE_FEDERATED_TOKEN_FILE: inFolder('federated', 'f'),
})

describe('the shim behind a proxy', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    app = await createFakeApp()
  })
  afterAll(() => app.close())

  const forwarder = (): { readonly [name: string]: string } => ({
    JOINER_ENDPOINT: 'https://app.example.test',
    POD_NAME: 'shim-a',
    KUBERNETES_API_SERVER: `http://127.0.0.1:${kube.port}`,
    ...identity(),
  })

  it('posts to the app with a token of Entra through the proxy, and reaches the API server without it', async () => {
    const output = start({ ...forwarder(), ...trusting })
    await expect.poll(() => app.posted.length, { message: output() }).toBeGreaterThan(0)
    expect([...outside.called].sort()).toEqual(['app.example.test', 'login.example.test'])
    expect(app.headers[0]).toMatchObject({ authorization: 'Bearer a' })
  })

  it.each([
    ['an authority that it does not trust', () => ({ ...trusting, NODE_EXTRA_CA_CERTS: '' }), /certificate/],
    ['an exception for the app', () => ({ ...trusting, NO_PROXY: 'app.example.test' }), /ENOTFOUND|EAI_AGAIN/],
    ['an exception for all names above it', () => ({ ...trusting, NO_PROXY: '.example.test' }), /ENOTFOUND|EAI_AGAIN/],
    ['a proxy that is not there', () => ({ ...trusting, HTTPS_PROXY: 'http://127.0.0.1:1' }), /ECONNREFUSED/],
  ])('does not reach the app with %s, and says why', async (_, env, why) => {
    const count = app.posted.length
    const output = start({ ...forwarder(), LEASE_NAME: `joiner-${(runs += 1)}`, ...env() })
    await expect.poll(output).toMatch(/the app did not take a batch/)
    expect(output()).toMatch(why)
    expect(app.posted).toHaveLength(count)
  })

  it('publishes a notice through the proxy, and asks the metadata service without it', async () => {
    asked.length = 0
    const output = start({
      MODE: 'spot',
      NODE_NAME: 'node-1',
      IMDS_ENDPOINT: `http://127.0.0.1:${others.port}`,
      EVENT_GRID_TOPIC_ENDPOINT: 'https://topic.example.test/api/events',
      ...identity(),
      ...trusting,
    })
    await expect.poll(output).toContain('scheduled event published')
    expect([...new Set(asked)].sort()).toEqual([
      '127.0.0.1/metadata/scheduledevents',
      'login.example.test/t/oauth2/v2.0/token',
      'topic.example.test/api/events',
    ])
  })

  it('refuses a proxy that is no URL', async () => {
    const output = start({ ...forwarder(), HTTPS_PROXY: 'proxy.corp.example:3128' })
    await expect.poll(output).toContain('setting HTTPS_PROXY: \\"proxy.corp.example:3128\\" has to be the http or https URL of a proxy')
  })
})
