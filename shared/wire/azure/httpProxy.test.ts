import { describe, expect, it } from 'vitest'
import { exceptNear, exceptRanges } from '../../model/clusterFacts.ts'
import { usableCertificates, usableProxy } from './httpProxy.ts'

const read = (value: unknown) => usableProxy.safeParse(value).data

describe('the proxy of a cluster', () => {
  it('is read, and https goes through the proxy of http where it has none', () => {
    expect(read({ httpProxy: 'http://p:3128', noProxy: ['10.0.0.0/8'], trustedCa: 'YQ ==\n' })).toEqual({
      ...{ http: 'http://p:3128', https: 'http://p:3128', noProxy: ['10.0.0.0/8'], trustedCa: 'YQ==' },
    })
    expect(read({ httpProxy: 'http://p/', httpsProxy: 'https://q.example:1' })).toEqual({
      ...{ http: 'http://p/', https: 'https://q.example:1', noProxy: [] },
    })
    expect(read({ httpProxy: null, httpsProxy: 'http://q', noProxy: null, trustedCa: '' })).toEqual({ https: 'http://q', noProxy: [] })
  })

  it.each([
    [{}],
    [{ httpProxy: '', httpsProxy: '' }],
    [{ httpProxy: 'p:3128' }],
    [{ httpProxy: 'ftp://p' }],
    [{ httpProxy: 'http://user:x@p' }],
    [{ httpProxy: 'http://p/path' }],
    [{ httpProxy: 'http://p\n' }],
    [{ httpProxy: 'http://-p' }],
    [{ httpProxy: 'http://p:123456' }],
    [{ httpProxy: 'http://p', noProxy: ['*.a'] }],
    [{ httpProxy: 'http://p', noProxy: [''] }],
    [{ httpProxy: 'http://p', noProxy: ['a,b'] }],
    [{ httpProxy: 'http://p', trustedCa: 'a-b' }],
    ['http://p'],
  ])('is not usable: %j', (value) => {
    expect(read(value)).toBeUndefined()
  })

  it('is not used for what is near, each exception once', () => {
    const near = exceptNear({ http: 'http://p', noProxy: ['localhost', 'a'] }, 'https://api.example:443', [
      '10.0.0.0/16',
      undefined,
      '10.0.0.0/16',
    ])
    expect(near).toEqual({
      http: 'http://p',
      noProxy: ['localhost', 'a', '127.0.0.1', '168.63.129.16', '169.254.169.254', 'konnectivity', 'api.example', '10.0.0.0/16'],
      configuredNoProxy: ['localhost', 'a'],
    })
    expect(exceptRanges(near, ['a', 'b'])).toEqual({ ...near, noProxy: [...near.noProxy, 'b'] })
  })
})

describe('the certificate authorities of a cluster', () => {
  it('are at most ten, each in base64', () => {
    expect(usableCertificates.safeParse(['YQ==', 'YW\nJj']).data).toEqual(['YQ==', 'YWJj'])
    expect(usableCertificates.safeParse(Array(10).fill('YQ==')).success).toBe(true)
    expect(usableCertificates.safeParse(Array(11).fill('YQ==')).success).toBe(false)
    expect(usableCertificates.safeParse(['YQ==', '-']).success).toBe(false)
    expect(usableCertificates.safeParse(['']).success).toBe(false)
  })
})
