import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createVirtualClock } from '../testing/virtualClock.ts'
import { type ConnectionEnv, connectionFrom } from './connection.ts'

function folderWith(files: { readonly [name: string]: string }): string {
  const folder = mkdtempSync(join(tmpdir(), 'joiner-connection-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const connect = async (env: ConnectionEnv, clock = createVirtualClock()) => connectionFrom(env, clock)

describe('in a pod', () => {
  const addresses: readonly (readonly [host: string, port: string | undefined, server: string])[] = [
    ['10.0.0.1', '6443', 'https://10.0.0.1:6443/'],
    ['10.0.0.1', undefined, 'https://10.0.0.1/'],
    ['fd00::1', '6443', 'https://[fd00::1]:6443/'],
  ]
  it.each(addresses)('the API server of host %s and port %s is %s', async (host, port, server) => {
    const folder = folderWith({ 'ca.crt': '', token: 'first\n' })
    const env = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, SERVICE_ACCOUNT_DIR: folder }
    expect((await connect(env)).server.href).toBe(server)
  })

  it('the token of the service account is sent, and read again after a minute, since kubelet replaces it', async () => {
    const folder = folderWith({ 'ca.crt': '', token: 'first\n' })
    const clock = createVirtualClock()
    const connection = await connect({ KUBERNETES_SERVICE_HOST: '10.0.0.1', SERVICE_ACCOUNT_DIR: folder }, clock)
    const sent = async () => (await connection.options()).headers?.['authorization']
    expect(await sent()).toBe('Bearer first')
    writeFileSync(join(folder, 'token'), 'second\n')
    await clock.advance(60_000)
    expect(await sent()).toBe('Bearer first')
    await clock.advance(1)
    expect(await sent()).toBe('Bearer second')
  })
})

describe('a kubeconfig', () => {
  it('says where the server is and who asks', async () => {
    const file = join(
      folderWith({
        config: JSON.stringify({
          clusters: [{ name: 'c', cluster: { server: 'https://kube.example.com:6443' } }],
          users: [{ name: 'u', user: { token: 'the-token' } }],
          contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
          'current-context': 'x',
        }),
      }),
      'config',
    )
    const connection = await connect({ KUBECONFIG: file })
    expect(connection.server.href).toBe('https://kube.example.com:6443/')
    expect((await connection.options()).headers).toMatchObject({ Authorization: 'Bearer the-token' })
  })
})

describe('a proxy on this machine', () => {
  it('is asked without credentials: it adds its own', async () => {
    const connection = await connect({ KUBERNETES_API_SERVER: 'http://127.0.0.1:8001' })
    expect(connection.server.href).toBe('http://127.0.0.1:8001/')
    expect(Object.keys(await connection.options())).toEqual(['agent'])
  })
})

describe('no way to the API server', () => {
  const wrong: { readonly [sentence: string]: readonly [env: () => ConnectionEnv, ...says: string[]] } = {
    'outside of a pod': [() => ({}), 'setting KUBERNETES_SERVICE_HOST', 'set KUBECONFIG'],
    'no service account': [
      () => ({ KUBERNETES_SERVICE_HOST: '10.0.0.1', SERVICE_ACCOUNT_DIR: '/nowhere' }),
      'no service account in /nowhere',
    ],
    'a proxy on another machine': [
      () => ({ KUBERNETES_API_SERVER: 'http://10.0.0.1' }),
      'setting KUBERNETES_API_SERVER',
      '"http://10.0.0.1"',
    ],
    'a proxy with https': [() => ({ KUBERNETES_API_SERVER: 'https://localhost' }), 'setting KUBERNETES_API_SERVER'],
    'a proxy that is no URL': [() => ({ KUBERNETES_API_SERVER: 'proxy' }), 'setting KUBERNETES_API_SERVER', '"proxy"'],
    'no such kubeconfig': [() => ({ KUBECONFIG: '/nowhere/config' }), 'setting KUBECONFIG', '/nowhere/config'],
    'a kubeconfig without a context': [
      () => ({ KUBECONFIG: join(folderWith({ config: 'kind: Config' }), 'config') }),
      'setting KUBECONFIG',
      'choose a context',
    ],
  }
  for (const [sentence, [env, ...says]] of Object.entries(wrong)) {
    it(`is said: ${sentence}`, async () => {
      const refusal = connect(env())
      for (const text of says) {
        await expect(refusal).rejects.toMatchObject({ problem: { code: 'SETTING.INVALID', message: expect.stringContaining(text) } })
      }
    })
  }
})
