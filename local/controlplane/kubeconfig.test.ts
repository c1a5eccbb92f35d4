import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { connectionFrom } from '../cluster/client/connection.ts'
import { CLIENTS, createKeys, type Keys } from './keys.ts'
import { authenticationFileOf, printKubeconfig } from './kubeconfig.ts'

const ADDRESS = { url: 'https://127.0.0.1:1', authenticationFile: '/somewhere/authentication.yaml' }
let root: string
let keys: Keys
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'joiner-keys-'))
  keys = await createKeys(join(root, 'keys'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const read = (file: string): string => readFileSync(keys.file(file), 'utf8')
const certificate = (file: string): X509Certificate => new X509Certificate(read(file))
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'

function written(text: string): string {
  const file = join(root, 'kubeconfig')
  writeFileSync(file, text)
  return file
}

describe('the keys of a control plane', () => {
  it.each([
    ['admin', 'O=system:masters\nCN=joiner-admin'],
    ['kube-controller-manager', 'CN=system:kube-controller-manager'],
    ['kube-scheduler', 'CN=system:kube-scheduler'],
  ])('name the client %s as Kubernetes does, and are for clients', (client, subject) => {
    const issued = certificate(`${client}.crt`)
    expect(issued.subject).toBe(subject)
    expect(issued.keyUsage).toEqual([CLIENT_AUTH])
    expect(issued.verify(certificate('ca.crt').publicKey)).toBe(true)
  })

  it('name the server by its addresses, and are for servers', () => {
    const server = certificate('server.crt')
    expect(server.keyUsage).toEqual([SERVER_AUTH])
    expect(server.checkHost('kubernetes.default.svc')).toBeDefined()
    expect(server.checkIP('127.0.0.1')).toBeDefined()
    expect(server.verify(certificate('ca.crt').publicKey)).toBe(true)
  })

  it('are for nobody else to read', () => {
    for (const file of ['ca.key', 'server.key', 'accounts.key', 'admin.key']) expect(statSync(keys.file(file)).mode & 0o077).toBe(0)
    expect(keys.caCertificate).toBe(read('ca.crt'))
  })
})

describe('a kubeconfig', () => {
  it.each(CLIENTS)('of %s connects to the API server, which it trusts, with its certificate and key', (client) => {
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const config: unknown = parse(printKubeconfig(ADDRESS, keys, client))
    expect(config).toMatchObject({
      clusters: [
        { name: 'joiner-control-plane', cluster: { server: ADDRESS.url, 'certificate-authority-data': base64(keys.caCertificate) } },
      ],
      users: [
        {
          name: client,
          user: { 'client-certificate-data': base64(read(`${client}.crt`)), 'client-key-data': base64(read(`${client}.key`)) },
        },
      ],
      contexts: [{ name: 'joiner-control-plane', context: { cluster: 'joiner-control-plane', user: client, namespace: 'default' } }],
      'current-context': 'joiner-control-plane',
    })
    expect(connectionFrom({ kubeconfig: written(stringify(config)) })).toMatchObject({ url: ADDRESS.url, ca: keys.caCertificate })
  })

  it('says where the API server reads who may issue tokens', () => {
    expect(authenticationFileOf(written(printKubeconfig(ADDRESS, keys, 'admin')))).toBe(ADDRESS.authenticationFile)
  })

  const extension = (name: string, value: unknown) => ({ clusters: [{ cluster: { extensions: [{ name, extension: value }] } }] })
  it.each([
    ['of another maker', { clusters: [{ cluster: { server: 'https://a' } }] }],
    ['without clusters', { kind: 'Config' }],
    ['with extensions of others', extension('example.com/other', { file: '/a' })],
    ['with our extension in a form that is not ours', extension('joiner.dev/authentication', { path: '/a' })],
  ])('%s does not say', (_what, config) => expect(authenticationFileOf(written(stringify(config)))).toBeUndefined())
})
