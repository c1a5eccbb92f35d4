import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blobServiceOf, queueServiceOf, readConnection } from './storageConnection.ts'

const asked: string[] = []
const server = createServer((request, response) => {
  asked.push(`${request.url} ${String(request.headers['x-identity-header'])}`)
  if (request.headers['x-identity-header'] !== 'secret') response.writeHead(401).end('wrong header')
  else response.end(JSON.stringify({ access_token: 'token', expires_on: '1000' }))
})
let endpoint = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  endpoint = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/msi/token`
})
afterAll(() => void server.close())

const byIdentity = { S__accountName: 'account', S__credential: 'managedidentity', S__clientId: 'client' }

describe('a storage connection', () => {
  it('is a connection string, and that stands above an identity', () => {
    const text =
      'DefaultEndpointsProtocol=http;AccountName=a;AccountKey=a2V5;BlobEndpoint=http://127.0.0.1/a;QueueEndpoint=http://127.0.0.1/a'
    const connection = readConnection({ S: text, ...byIdentity }, 'S')
    expect(connection).toEqual({ kind: 'connectionString', connectionString: text })
    if (connection === undefined) throw new Error('no connection')
    expect([blobServiceOf(connection, {}).accountName, queueServiceOf(connection, {}).accountName]).toEqual(['a', 'a'])
  })

  it('is an account by name, or by the addresses of its services', () => {
    const byName = readConnection(byIdentity, 'S')
    expect(byName).toMatchObject({ blobUrl: 'https://account.blob.core.windows.net', queueUrl: 'https://account.queue.core.windows.net' })
    const uris = { S__blobServiceUri: 'https://b.example.com/', S__queueServiceUri: 'https://q.example.com/' }
    const byUri = readConnection({ ...byIdentity, ...uris }, 'S')
    if (byUri === undefined) throw new Error('no connection')
    expect([blobServiceOf(byUri, {}).url, queueServiceOf(byUri, {}).url]).toEqual(['https://b.example.com/', 'https://q.example.com/'])
  })

  it('is none where nothing names the queues, and refused with another credential', () => {
    expect(readConnection({ S__blobServiceUri: 'https://b.example.com/', S__credential: 'managedidentity' }, 'S')).toBeUndefined()
    expect(() => readConnection({ S__accountName: 'account' }, 'S')).toThrow('S__credential must be managedidentity')
  })

  it('asks the platform for a token of the identity that is named', async () => {
    const connection = readConnection({ ...byIdentity, IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: 'secret' }, 'S')
    if (connection?.kind !== 'identity') throw new Error('no identity')
    expect(await connection.token()).toEqual({ token: 'token', expiresOnTimestamp: 1_000_000 })
    expect(asked).toEqual(['/msi/token?api-version=2019-08-01&resource=https%3A%2F%2Fstorage.azure.com&client_id=client secret'])
  })

  it('says why there is no token', async () => {
    const refused = readConnection({ ...byIdentity, IDENTITY_ENDPOINT: endpoint }, 'S')
    const nobody = readConnection(byIdentity, 'S')
    if (refused?.kind !== 'identity' || nobody?.kind !== 'identity') throw new Error('no identity')
    await expect(refused.token()).rejects.toThrow('401 wrong header')
    await expect(nobody.token()).rejects.toThrow('IDENTITY_ENDPOINT is missing')
  })
})
