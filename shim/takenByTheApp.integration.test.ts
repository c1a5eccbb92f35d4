import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startKubernetes } from '../local/kubernetes/startKubernetes.ts'
import { callServer } from '../local/kubernetes/testing/withServer.ts'
import { CLUSTER, startIntake, type Taken } from '../test/watch/intake.ts'
import { silentLog } from './log.ts'
import { runShim } from './main.ts'

const PODS = '/api/v1/namespaces/default/pods'
const POD = (name: string) => ({
  metadata: { name, annotations: { 'example.com/note': 'a-secret' } },
  spec: {
    containers: [{ name: 'main', image: 'pause', env: [{ name: 'TOKEN', value: 'a-secret' }], resources: { requests: { cpu: '1' } } }],
  },
})

it('the function of the app takes what the shim posts: the first post as gzip, and later posts with the dictionary', async () => {
  const server = await startKubernetes({ bookmarkMs: 200 })
  const posts: Taken[] = []
  const intake = await startIntake((taken) => void posts.push(taken))
  const folder = mkdtempSync(join(tmpdir(), 'joiner-shim-'))
  const kubeconfig = join(folder, 'config')
  writeFileSync(kubeconfig, server.kubeconfig())
  const stopping = new AbortController()
  const call = (path: string, body: unknown) => callServer(server, { token: server.adminToken, method: 'POST', path, body })
  await call('/api/v1/namespaces', { metadata: { name: 'joiner' } })
  await call(PODS, POD('a'))
  const env = { JOINER_CLUSTER: CLUSTER, JOINER_ENDPOINT: intake.url, POD_NAME: 'shim-a', KUBECONFIG: kubeconfig, HTTP_PORT: '0' }
  const running = runShim(env, silentLog, stopping.signal)
  onTestFinished(async () => {
    stopping.abort(new DOMException('stopped', 'AbortError'))
    await running
    await Promise.all([server.close(), intake.close()])
    rmSync(folder, { recursive: true })
  })
  const requests = async () => (await intake.state()).objects().pod.map((pod) => [pod.key, pod.requests['cpu']])
  await expect.poll(requests).toEqual([['default/a', 1_000]])
  await call(PODS, POD('b'))
  await expect.poll(requests).toEqual([
    ['default/a', 1_000],
    ['default/b', 1_000],
  ])
  expect(posts.map(({ status }) => status)).toEqual(posts.map(() => 202))
  expect(posts.map(({ encoding }) => encoding).slice(0, 2)).toEqual(['gzip', 'deflate'])
  expect(JSON.stringify(posts)).not.toContain('a-secret')
})
