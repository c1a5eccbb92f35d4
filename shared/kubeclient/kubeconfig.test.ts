import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenOnLoopback } from '../../shim/testing/listenOnLoopback.ts'
import { fileOf } from '../../test/conformance/kubeClientHarness.ts'
import { askKube } from './client.ts'
import { connectionOf } from './kubeconfig.ts'

const NEVER = new AbortController().signal

const kubeconfigOf = (cluster: object, user: object = {}): string =>
  fileOf(
    JSON.stringify({
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  )

describe('a kubeconfig', () => {
  it.each([
    [{ server: 'https://kube.invalid', 'proxy-url': 'socks5://user:secret@proxy.invalid:1080' }, 'has to be an http or https URL'],
    [{ server: 'user:secret@kube.invalid' }, 'has to be an http or https URL'],
    [{ server: 'https://kube.invalid', 'certificate-authority': '/nowhere/ca.crt' }, '/nowhere/ca.crt'],
  ])('that cannot be used is told without its secrets: %j', (cluster, wanted) => {
    const found = connectionOf(kubeconfigOf(cluster))
    expect(found).toMatchObject({ ok: false, error: expect.stringContaining(wanted) })
    expect(JSON.stringify(found)).not.toContain('secret')
  })

  it('that is no YAML is told without its content', () => {
    const found = connectionOf(fileOf('users:\n  - name: u\n    user: { token: secret\n  - [\n'))
    expect(found).toMatchObject({ ok: false, error: expect.stringContaining('is no kubeconfig that can be read') })
    expect(JSON.stringify(found)).not.toContain('secret')
  })

  it.each(['', '/', '/k8s/clusters/c-1', '/k8s/clusters/c-1/'])(
    'may have a server with path "%s", which stays in front of each path',
    async (path) => {
      const asked: (string | undefined)[] = []
      const { port, close } = await listenOnLoopback(
        createServer((request, response) => void (asked.push(request.url), response.end('{}'))),
      )
      onTestFinished(close)
      const connection = connectionOf(kubeconfigOf({ server: `http://127.0.0.1:${port}${path}`, 'insecure-skip-tls-verify': true }))
      if (!connection.ok) expect.fail(connection.error)
      onTestFinished(() => connection.value.close())
      await askKube(connection.value, { method: 'GET', path: '/api/v1/pods', query: { limit: '1' } }, NEVER)
      expect(asked).toEqual([`${path.replace(/\/$/, '')}/api/v1/pods?limit=1`])
    },
  )
})
