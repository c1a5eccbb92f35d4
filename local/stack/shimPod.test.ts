import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { err, type Result } from '../../shared/base/result.ts'
import { connectionFrom } from '../cluster/client/connection.ts'
import { createKubeClient, type KubeClient, type Refusal } from '../cluster/client/kubeClient.ts'
import { withServer } from '../kubernetes/testing/withServer.ts'
import { projectShimToken, removeShimPod, showShimRunning } from './shimPod.ts'

const REFUSED: Result<never, Refusal> = err({ code: 403, reason: 'Forbidden', message: 'not you' })

function folder(): { readonly directory: string; readonly ending: AbortController } {
  const directory = mkdtempSync(join(tmpdir(), 'joiner-shim-'))
  const ending = new AbortController()
  onTestFinished(() => {
    ending.abort()
    rmSync(directory, { recursive: true })
  })
  return { directory, ending }
}

describe("the shim's pod in the stack", () => {
  it('is made with its namespace and account, is never scheduled, and its token is in a file for the shim alone', async () => {
    await withServer({}, async ({ server, call }) => {
      const client = createKubeClient(connectionFrom({ url: server.url, ca: server.caCertificate, token: server.adminToken }))
      const { directory, ending } = folder()
      onTestFinished(() => client.close())
      // The fields that the chart sets on the account stay.
      await call('POST', '/api/v1/namespaces', { metadata: { name: 'joiner' } })
      await call('POST', '/api/v1/namespaces/joiner/serviceaccounts', { metadata: { name: 'joiner-shim', labels: { of: 'chart' } } })
      for (let start = 0; start < 2; start++) {
        const file = await projectShimToken({ client, directory, onNotice: () => undefined, ending: ending.signal })
        expect(decodeJwt(readFileSync(file, 'utf8'))).toMatchObject({
          aud: ['api://joiner-local'],
          sub: 'system:serviceaccount:joiner:joiner-shim',
          'kubernetes.io': { pod: { name: 'joiner-shim-local' } },
        })
        expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toEqual([0o600, 0o700])
      }
      expect((await call('GET', '/api/v1/namespaces/joiner/pods/joiner-shim-local')).body).toMatchObject({
        spec: { serviceAccountName: 'joiner-shim', schedulingGates: [{ name: 'local.joiner.dev/runs-beside-the-cluster' }] },
      })
      expect((await call('GET', '/api/v1/namespaces/joiner/serviceaccounts/joiner-shim')).body).toMatchObject({
        metadata: { labels: { of: 'chart' } },
      })
    })
  })

  it('runs and is ready for every tool, and is gone with the stack', async () => {
    await withServer({}, async ({ server, call }) => {
      const client = createKubeClient(connectionFrom({ url: server.url, ca: server.caCertificate, token: server.adminToken }))
      const { directory, ending } = folder()
      onTestFinished(() => client.close())
      await projectShimToken({ client, directory, onNotice: () => undefined, ending: ending.signal })
      await showShimRunning(client, ending.signal)
      const table = await call('GET', '/api/v1/namespaces/joiner/pods', undefined, {
        accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
      })
      expect(table.body).toMatchObject({ rows: [{ cells: expect.arrayContaining(['joiner-shim-local', '1/1', 'Running']) }] })
      const pods = '/api/v1/namespaces/joiner/pods/joiner-shim-local'
      expect((await call('GET', pods)).body).toMatchObject({ spec: { schedulingGates: [{}] }, status: { phase: 'Running' } })
      await removeShimPod(client)
      expect(await call('GET', pods)).toMatchObject({ code: 404 })
    })
  })

  it.each([
    ['namespaces/joiner', 'Namespace joiner'],
    ['serviceaccounts/joiner-shim', 'ServiceAccount joiner-shim'],
    ['pods/joiner-shim-local', 'Pod joiner-shim-local'],
  ])('says which of its objects was refused: %s', async (path, object) => {
    await withServer({}, async ({ server }) => {
      const inner = createKubeClient(connectionFrom({ url: server.url, ca: server.caCertificate, token: server.adminToken }))
      onTestFinished(() => inner.close())
      const client: KubeClient = { ...inner, send: async (request) => (request.path.endsWith(path) ? REFUSED : inner.send(request)) }
      const { directory, ending } = folder()
      await expect(projectShimToken({ client, directory, onNotice: () => undefined, ending: ending.signal })).rejects.toThrow(
        `${object} was refused: not you`,
      )
    })
  })
})
