import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { admit, type Judge } from './admission.ts'
import { dataNeed } from './dataNeeds.ts'

type Row = readonly [method: string, path: string, actions: string, headers?: { readonly [name: string]: string }]

const BLOB_ROWS: readonly Row[] = [
  ['GET', '/?comp=list', 'containers/read'],
  ['PUT', '/joiner?restype=container', 'containers/write'],
  ['HEAD', '/joiner?restype=container', 'containers/read'],
  ['PUT', '/joiner?restype=container&comp=lease', 'containers/write'],
  ['GET', '/joiner?restype=container&comp=list&prefix=a', 'containers/blobs/read'],
  ['GET', '/joiner/a/b', 'containers/blobs/read'],
  ['HEAD', '/joiner/a', 'containers/blobs/read'],
  ['PUT', '/joiner/a', 'containers/blobs/write'],
  ['PUT', '/joiner/a', 'containers/blobs/write containers/blobs/add/action', { 'if-none-match': '*' }],
  ['PUT', '/joiner/a?comp=appendblock', 'containers/blobs/write containers/blobs/add/action'],
  ['PUT', '/joiner/a?comp=lease', 'containers/blobs/write'],
  ['DELETE', '/joiner/a', 'containers/blobs/delete'],
]
const QUEUE_ROWS: readonly Row[] = [
  ['GET', '/?comp=list', 'queues/read'],
  ['PUT', '/jobs', 'queues/write'],
  ['GET', '/jobs?comp=metadata', 'queues/read'],
  ['DELETE', '/jobs', 'queues/delete'],
  ['POST', '/jobs/messages?visibilitytimeout=0', 'queues/messages/write queues/messages/add/action'],
  ['GET', '/jobs/messages?numofmessages=32', 'queues/messages/process/action'],
  ['GET', '/jobs/messages?peekonly=true', 'queues/messages/read'],
  ['PUT', '/jobs/messages/1?popreceipt=a', 'queues/messages/write'],
  ['DELETE', '/jobs/messages/1?popreceipt=a', 'queues/messages/delete queues/messages/process/action'],
]

describe('what a request to storage needs', () => {
  it.each(BLOB_ROWS.map((row) => ({ row })))('of blobs: $row', ({ row: [method, path, actions, headers = {}] }) => {
    const need = dataNeed({ service: 'blob', method, path, headers })
    expect(need?.actions.map((each) => each.replace('blobServices/', '')).join(' ')).toBe(actions)
    expect(need?.place).toBe(path.startsWith('/joiner') ? '/blobServices/default/containers/joiner' : '')
    expect(need?.isData).toBe(actions.includes('/blobs/'))
  })

  it.each(QUEUE_ROWS.map((row) => ({ row })))('of queues: $row', ({ row: [method, path, actions] }) => {
    const need = dataNeed({ service: 'queue', method, path, headers: {} })
    expect(need?.actions.map((each) => each.replace('queueServices/', '')).join(' ')).toBe(actions)
    expect(need?.isData).toBe(actions.includes('/messages/'))
  })

  it.each([
    ['blob', 'POST', '/?comp=userdelegationkey'],
    ['blob', 'PUT', '/joiner/a?comp=expiry'],
    ['blob', 'PUT', '/$web'],
    ['queue', 'GET', '/jobs?comp=acl'],
    ['queue', 'PATCH', '/jobs/messages'],
  ] as const)('is not known of %s %s %s', (service, method, path) => {
    expect(dataNeed({ service, method, path, headers: {} })).toBeUndefined()
  })

  it('is not known of a copy, which reads somewhere else too', () => {
    expect(dataNeed({ service: 'blob', method: 'PUT', path: '/joiner/a', headers: { 'x-ms-copy-source': 'https://x' } })).toBeUndefined()
  })
})

describe('a server whose requests are judged', () => {
  const token = `Bearer x.${Buffer.from(JSON.stringify({ oid: 'app' })).toString('base64url')}.y`

  async function judged(judge: Judge) {
    const served: RequestListener = (_, outgoing) => outgoing.end('served')
    const server = createServer(served)
    admit(server, 'blob', judge)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    return async (path: string, authorization?: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: authorization === undefined ? {} : { authorization } })
      return `${answer.status} ${answer.headers.get('x-ms-error-code') ?? (await answer.text())}`
    }
  }

  it('serves what is granted and refuses the rest as storage does', async () => {
    const ask = await judged((principal, need) => principal === 'app' && need?.place.endsWith('/joiner') === true)
    expect(await ask('/account/joiner/a', token)).toBe('200 served')
    expect(await ask('/account/other/a', token)).toBe('403 AuthorizationPermissionMismatch')
    expect(await ask('/account/?comp=nonsense', token)).toBe('403 AuthorizationPermissionMismatch')
  })

  it('lets in who has the key', async () => {
    const ask = await judged(() => false)
    expect(await ask('/account/joiner/a', 'SharedKey account:abc')).toBe('200 served')
  })
})
