import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createStorageClients } from '../shared/adapters/storage/storageClients.ts'
import { connectionString } from './connectionString.ts'

const KEY = 'Zm9vYmFy'
const ACCOUNT = `DefaultEndpointsProtocol=https;AccountName=stjoiner;AccountKey=${KEY}`
const ENDPOINTS = 'BlobEndpoint=http://127.0.0.1:1/a;QueueEndpoint=http://127.0.0.1:2/a'
const isTaken = (text: string): boolean => connectionString.safeParse(text).success

/** Names and values that are right, nearly right and wrong, in any order and number. */
const values: { readonly [name: string]: readonly string[] } = {
  DefaultEndpointsProtocol: ['https', 'http', 'ftp', ''],
  AccountName: ['stjoiner', 'St', 'a/b', ''],
  AccountKey: [KEY, '===', 'ü', ''],
  EndpointSuffix: ['core.windows.net', 'a b', ':99999', ''],
  BlobEndpoint: ['https://a.example.com', 'https://a.example.com/', 'https://', 'a', ''],
  QueueEndpoint: ['https://q.example.com/x', 'http://[::1', ''],
  SharedAccessSignature: ['sv=2020&sig=x', ''],
  UseDevelopmentStorage: ['true', 'false'],
  '': ['', 'x'],
}
const part = fc
  .constantFrom(...Object.keys(values))
  .chain((name) => fc.constantFrom(...(values[name] ?? [])).map((value) => `${name}=${value}`))
const texts = fc.oneof(
  fc
    .shuffledSubarray(Object.keys(values))
    .chain((names) => fc.tuple(...names.map((name) => fc.constantFrom(...(values[name] ?? [])).map((value) => `${name}=${value}`)))),
  fc.array(part, { maxLength: 8 }),
)

describe('a connection string', () => {
  it.each([
    ['UseDevelopmentStorage=true'],
    [`${ACCOUNT};EndpointSuffix=core.windows.net`],
    [`EndpointSuffix=core.chinacloudapi.cn;${ACCOUNT};`],
    [`${ACCOUNT};${ENDPOINTS};`],
    [`${ENDPOINTS};SharedAccessSignature=sv=2020&sig=x`],
  ])('is taken: %s', (text) => {
    expect(isTaken(text)).toBe(true)
    expect(() => createStorageClients({ kind: 'connectionString', connectionString: text })).not.toThrow()
  })

  it.each([
    ['garbage'],
    [' '],
    ['https://x'],
    ['a;b=c'],
    [ACCOUNT],
    [`${ACCOUNT};BlobEndpoint=https://a.example.com`],
    ['UseDevelopmentStorage=false'],
  ])('is refused: %s', (text) => expect(isTaken(text)).toBe(false))

  it('that is taken opens the storage account, whatever it is', () => {
    let taken = 0
    fc.assert(
      fc.property(texts, (chosen) => {
        const text = chosen.join(';')
        if (!isTaken(text)) return
        taken += 1
        expect(() => createStorageClients({ kind: 'connectionString', connectionString: text }), text).not.toThrow()
      }),
      { numRuns: 3_000 },
    )
    expect(taken).toBeGreaterThan(0)
  })
})
