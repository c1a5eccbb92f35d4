import { describe, expect, it } from 'vitest'
import { withServer } from './testing/withServer.ts'

describe('the root of the API server', () => {
  it('names paths, and each of them answers', async () => {
    await withServer({}, async ({ call }) => {
      const { code, body } = await call('GET', '/')
      expect(code).toBe(200)
      expect(body).toEqual({ paths: ['/api', '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'] })
      for (const path of ['/api', '/apis', '/openapi/v3', '/version']) expect((await call('GET', path)).code).toBe(200)
    })
  })
})
