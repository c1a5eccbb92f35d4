import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectionFrom } from '../cluster/client/connection.ts'
import { createKubeClient } from '../cluster/client/kubeClient.ts'
import { pod } from '../kubernetes/testing/samples.ts'
import { withServer } from '../kubernetes/testing/withServer.ts'
import { projectToken } from './projectToken.ts'

/** A sleep that ends when the test says so. */
function handWound() {
  const waits: { readonly ms: number; end(): void }[] = []
  const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      waits.push({ ms, end: resolve })
    })
  return { sleep, waits }
}

describe('the projected token of the stack', () => {
  it('is there at once, is renewed at 80 % of its life, and is asked for again where it is not given', async () => {
    let now = Date.now()
    await withServer({ now: () => now }, async ({ server, call }) => {
      const accounts = '/api/v1/namespaces/default/serviceaccounts'
      await call('POST', accounts, { metadata: { name: 'shim' } })
      await call('POST', '/api/v1/namespaces/default/pods', pod('one', { serviceAccountName: 'shim' }))
      const folder = mkdtempSync(join(tmpdir(), 'joiner-projected-'))
      const client = createKubeClient(connectionFrom({ url: server.url, ca: server.caCertificate, token: server.adminToken }))
      const ending = new AbortController()
      onTestFinished(() => {
        ending.abort()
        client.close()
        rmSync(folder, { recursive: true })
      })
      const file = join(folder, 'token')
      const { sleep, waits } = handWound()
      const notices: string[] = []
      await projectToken({
        client,
        namespace: 'default',
        account: 'shim',
        pod: 'one',
        audience: 'api://joiner',
        expirationSeconds: 600,
        file,
        sleep,
        onNotice: (text) => notices.push(text),
        signal: ending.signal,
      })
      const first = readFileSync(file, 'utf8')
      expect(decodeJwt(first)).toMatchObject({ aud: ['api://joiner'], sub: 'system:serviceaccount:default:shim' })
      expect(waits.map(({ ms }) => ms)).toEqual([480_000])

      now += 480_000
      waits[0]?.end()
      await expect.poll(() => waits.length).toBe(2)
      const second = readFileSync(file, 'utf8')
      expect((decodeJwt(second).exp ?? 0) - (decodeJwt(first).exp ?? 0)).toBe(480)

      await call('DELETE', `${accounts}/shim`)
      waits[1]?.end()
      await expect.poll(() => waits.length).toBe(3)
      expect([waits[2]?.ms, readFileSync(file, 'utf8')]).toEqual([1_000, second])
      expect(notices).toEqual([expect.stringContaining('service account default/shim got no token for api://joiner')])
    })
  })
})
