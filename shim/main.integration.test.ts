import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Env } from './config.ts'
import { KIND_PATHS } from './kinds.ts'
import { createMetrics } from './metrics.ts'
import { createFakeApp } from './testing/fakeApp.ts'
import { createFakeKube } from './testing/fakeKube.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const SETTINGS: Env = { JOINER_CLUSTER: 'demo', JOINER_ENDPOINT: 'https://app.example.com', POD_NAME: 'shim-a', HTTP_PORT: '0' }

/** Starts the shim as a process of its own. */
function run(env: Env): { readonly child: ChildProcess; output(): string; readonly code: Promise<number | null> } {
  const child = spawn(process.execPath, [MAIN], { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
  const code = once(child, 'close').then(([status]) => status as number | null)
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, output: () => text, code }
}

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'joiner-shim-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'config'), text)
  return join(folder, 'config')
}

describe('the shim as a process', { timeout: 60_000 }, () => {
  it('serves its probes, and on SIGTERM posts what is left, gives the lease back and ends with 0', async () => {
    const kube = await createFakeKube(Object.values(KIND_PATHS).map(({ path }) => path))
    const app = await createFakeApp()
    onTestFinished(async () => void (await Promise.all([kube.close(), app.close()])))
    const put = (name: string) =>
      kube.put(KIND_PATHS.pod.path, { metadata: { name, namespace: 'default', uid: name }, spec: { containers: [] } })
    put('listed')
    const server = `http://127.0.0.1:${kube.port}`
    const shim = run({ ...SETTINGS, JOINER_ENDPOINT: app.endpoint.href, KUBERNETES_API_SERVER: server, BATCH_WINDOW_MS: '2000' })
    await app.until(() => app.posted.length === 1)
    const port = /"httpPort":(\d+)/.exec(shim.output())?.[1]
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    await expect.poll(() => ask('/readyz')).toBe('ok\n')
    expect(await ask('/healthz')).toBe('ok\n')
    expect(await ask('/metrics')).toContain('joiner_shim_leader 1')
    put('first')
    await app.until(() => app.model.objects().has('pod default/first'))
    const state = (name: string) => `karpenter_pods_state{name="${name}",namespace="default",owner="",scheduled="false"`
    for (const name of ['listed', 'first']) expect(await ask('/metrics')).toContain(state(name))
    put('last')
    await expect.poll(() => ask('/metrics')).toContain('joiner_shim_unsent_changes 1')
    shim.child.kill('SIGTERM')
    expect(await shim.code).toBe(0)
    expect(app.model.objects().has('pod default/last')).toBe(true)
    expect(kube.leaseHolder()).toBe('')
  })

  const wrong: { readonly [sentence: string]: { readonly env: () => Env; readonly want: readonly string[] } } = {
    'settings that are missing': {
      env: () => ({}),
      want: ['setting JOINER_CLUSTER: is required; set it', 'setting POD_NAME: is required; set it'],
    },
    'a kubeconfig that is not there': {
      env: () => ({ ...SETTINGS, KUBECONFIG: '/nowhere/config' }),
      want: ['setting KUBECONFIG: /nowhere/config is no kubeconfig that can be read', 'set it to one'],
    },
    'a kubeconfig that is no YAML': {
      env: () => ({ ...SETTINGS, KUBECONFIG: fileWith('{{{') }),
      want: ['is no kubeconfig that can be read'],
    },
    'a kubeconfig without a context': {
      env: () => ({ ...SETTINGS, KUBECONFIG: fileWith('apiVersion: v1\nkind: Config\n') }),
      want: ['setting KUBECONFIG: the current context of', 'choose a context'],
    },
    'no way to the API server': { env: () => SETTINGS, want: ['setting KUBERNETES_SERVICE_HOST: is not set; set KUBECONFIG'] },
  }
  for (const [sentence, { env, want }] of Object.entries(wrong)) {
    it(`ends with 1 for ${sentence}, and says what to do`, async () => {
      const shim = run(env())
      expect(await shim.code).toBe(1)
      for (const text of want) expect(shim.output()).toContain(text)
    })
  }
})

describe('docs/operations.md', () => {
  const page = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8')

  it('names every metric of the shim', async () => {
    const names = [...(await createMetrics().text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })
})
