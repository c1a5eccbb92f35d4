import { describe, expect, it } from 'vitest'
import { deployment, widgetDefinition } from '../testing/samples.ts'
import { type Answer, type TestServer, withServer } from '../testing/withServer.ts'

const WEB = '/apis/apps/v1/namespaces/default/deployments/web'
const WIDGET = '/apis/example.com/v1/namespaces/default/widgets/w'
const TYPE = { type: 'application/apply-patch+yaml' }

function apply({ call }: TestServer, path: string, manager: string, body: object): Promise<Answer> {
  return call('PATCH', `${path}${path.includes('?') ? '&' : '?'}fieldManager=${manager}`, body, TYPE)
}

const web = (spec: object, metadata: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', ...metadata },
  spec,
})
const widget = (spec: object) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec })

describe('server-side apply', () => {
  it('creates, changes nothing when applied again, and takes away what is applied no more', async () => {
    await withServer({}, async (server) => {
      const full = { ...deployment('web', 2), metadata: { name: 'web', labels: { a: 'x', b: 'y' } } }
      const made = await apply(server, WEB, 'me', full)
      expect(made).toMatchObject({ code: 201, body: { metadata: { managedFields: [{ manager: 'me', operation: 'Apply' }] } } })
      expect((await apply(server, WEB, 'me', full)).body).toEqual(made.body)
      const less = await apply(server, WEB, 'me', { ...full, metadata: { name: 'web', labels: { a: 'x' } } })
      expect(less).toMatchObject({ code: 200, body: { metadata: { labels: { a: 'x' }, generation: 1 }, spec: { replicas: 2 } } })
      expect((less.body as { metadata: { labels: object } }).metadata.labels).toEqual({ a: 'x' })
    })
  })

  it('refuses to change what another manager owns, unless forced', async () => {
    await withServer({}, async (server) => {
      await apply(server, WEB, 'one', deployment('web', 2))
      const refused = await apply(server, WEB, 'two', web({ replicas: 3 }))
      expect(refused).toMatchObject({
        code: 409,
        body: {
          reason: 'Conflict',
          message: 'Apply failed with 1 conflict: conflict with "one" using apps/v1: .spec.replicas',
          details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.replicas' }] },
        },
      })
      expect((await apply(server, WEB, 'two', web({ replicas: 2 }))).code).toBe(200)
      expect((await apply(server, `${WEB}?force=true`, 'two', web({ replicas: 3 }))).body).toMatchObject({ spec: { replicas: 3 } })
      expect((await apply(server, WEB, 'one', deployment('web', 2))).code).toBe(409)
    })
  })

  it('shares keyed lists item by item and owns whole what has no keys', async () => {
    await withServer({}, async (server) => {
      await apply(server, WEB, 'one', deployment('web', 2))
      const sidecar = (more: object) => web({ template: { spec: { containers: [{ name: 'side', image: 'a', ...more }] } } })
      const added = await apply(server, WEB, 'two', sidecar({ args: ['x', 'y'] }))
      expect(added.body).toMatchObject({
        spec: { template: { spec: { containers: [{ name: 'main' }, { name: 'side', args: ['x', 'y'] }] } } },
      })
      expect((await apply(server, WEB, 'three', sidecar({ args: ['x'] }))).body).toMatchObject({
        message: 'Apply failed with 1 conflict: conflict with "two" using apps/v1: .spec.template.spec.containers[name="side"].args',
      })
      const removed = await apply(server, WEB, 'two', web({}))
      const { containers } = (removed.body as { spec: { template: { spec: { containers: object[] } } } }).spec.template.spec
      expect(containers).toMatchObject([{ name: 'main' }])
      expect(containers).toHaveLength(1)
    })
  })

  it('gives a field to whoever wrote it last in another way', async () => {
    await withServer({}, async (server) => {
      await apply(server, WEB, 'one', deployment('web', 2))
      await server.call('PATCH', `${WEB}?fieldManager=hand`, { spec: { replicas: 5 } })
      expect((await apply(server, WEB, 'one', deployment('web', 2))).body).toMatchObject({
        code: 409,
        message: 'Apply failed with 1 conflict: conflict with "hand" using apps/v1: .spec.replicas',
      })
      await server.call('PATCH', `${WEB}/status?fieldManager=controller`, { status: { replicas: 5 } })
      expect((await apply(server, `${WEB}?force=true`, 'one', deployment('web', 2))).body).toMatchObject({
        spec: { replicas: 2 },
        status: { replicas: 5 },
      })
    })
  })

  it('treats what was made before the first apply as owned', async () => {
    await withServer({}, async (server) => {
      await server.call('POST', '/apis/apps/v1/namespaces/default/deployments', deployment('web', 2))
      expect((await apply(server, WEB, 'me', web({ replicas: 3 }))).body).toMatchObject({
        message: 'Apply failed with 1 conflict: conflict with "before-first-apply" using apps/v1: .spec.replicas',
      })
      expect((await apply(server, WEB, 'me', web({ replicas: 2 }, { labels: { x: 'y' } }))).code).toBe(200)
    })
  })

  it('holds custom resources to their schema, and their sets to its types', async () => {
    await withServer({}, async (server) => {
      await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition)
      expect((await apply(server, WIDGET, 'one', widget({ size: 1, tags: ['a'] }))).code).toBe(201)
      expect((await apply(server, WIDGET, 'two', widget({ tags: ['b'] }))).body).toMatchObject({ spec: { size: 1, tags: ['a', 'b'] } })
      expect((await apply(server, WIDGET, 'one', widget({ size: 1 }))).body).toMatchObject({ spec: { tags: ['b'] } })
      expect((await apply(server, WIDGET, 'one', widget({ size: 0 }))).code).toBe(422)
      const typo = await apply(server, `${WIDGET}?fieldValidation=Strict`, 'one', widget({ size: 1, siz: 2 }))
      expect(typo).toMatchObject({ code: 400, body: { message: expect.stringContaining('unknown field "spec.siz"') } })
    })
  })

  it('sees no change in another order of members', async () => {
    await withServer({}, async (server) => {
      const env = (source: object) => web({ template: { spec: { containers: [{ name: 'main', envFrom: [source] }] } } })
      await apply(server, WEB, 'one', deployment('web', 2))
      await apply(server, WEB, 'two', env({ prefix: 'x', configMapRef: { name: 'c' } }))
      expect((await apply(server, WEB, 'three', env({ configMapRef: { name: 'c' }, prefix: 'x' }))).code).toBe(200)
    })
  })

  it('asks who applies', async () => {
    await withServer({}, async (server) => {
      expect(await server.call('PATCH', WEB, deployment('web', 1), TYPE)).toMatchObject({
        code: 422,
        body: { message: expect.stringContaining('fieldManager: Required value: is required for apply patch') },
      })
    })
  })
})
