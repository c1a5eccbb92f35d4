import { describe, expect, it } from 'vitest'
import { withServer } from './testing/withServer.ts'

describe('the embedded API server', () => {
  it('creates, reads, lists and deletes an object over HTTPS', async () => {
    await withServer({}, async ({ call }) => {
      const made = await call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' }, data: { key: 'value' } })
      expect(made.code).toBe(201)
      expect(made.body).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { key: 'value' } })
      const listed = await call('GET', '/api/v1/configmaps?fieldSelector=metadata.name=a')
      expect(listed.body).toMatchObject({ kind: 'ConfigMapList', items: [{ metadata: { name: 'a', namespace: 'default' } }] })
      const gone = await call('DELETE', '/api/v1/namespaces/default/configmaps/a')
      expect(gone.body).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'a', kind: 'configmaps' } })
      const missing = await call('GET', '/api/v1/namespaces/default/configmaps/a')
      expect(missing).toMatchObject({ code: 404, body: { reason: 'NotFound', message: 'configmaps "a" not found' } })
    })
  })

  it('refuses a stranger everything but health and version', async () => {
    await withServer({}, async ({ callAs }) => {
      expect((await callAs('', 'GET', '/healthz')).code).toBe(200)
      expect((await callAs('', 'GET', '/version')).code).toBe(200)
      expect((await callAs('wrong', 'GET', '/api/v1/pods')).code).toBe(401)
      expect((await callAs('', 'GET', '/api/v1/pods')).body).toMatchObject({
        code: 403,
        message: 'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
      })
    })
  })
})
