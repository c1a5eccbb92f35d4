import { describe, expect, it } from 'vitest'
import { pod, widgetDefinition } from './testing/samples.ts'
import { type TestServer, withServer } from './testing/withServer.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets'
const PODS = '/api/v1/namespaces/default/pods'

/** The definition of widgets with another schema. */
function definitionWith(openAPIV3Schema: object): object {
  const { spec } = widgetDefinition
  return { ...widgetDefinition, spec: { ...spec, versions: spec.versions.map((version) => ({ ...version, schema: { openAPIV3Schema } })) } }
}

describe('the schema of a custom resource', () => {
  it('is of an object', async () => {
    await withServer({}, async ({ call }) => {
      const { code, body } = await call('POST', DEFINITIONS, definitionWith({ type: 'array', items: { type: 'string' } }))
      expect(code).toBe(422)
      const cause = { field: 'spec.versions[0].schema.openAPIV3Schema.type', message: 'Invalid value: "array": must be object at the root' }
      expect(body).toMatchObject({ details: { causes: [cause] } })
      // A definition belongs to an API group. An object of the core group has no group in its details.
      expect(body).toHaveProperty('details.group', 'apiextensions.k8s.io')
      expect((await call('POST', PODS, pod('Not-a-name'))).body).not.toHaveProperty('details.group')
    })
  })

  it('may require what each object has, and what it asks for beside that', async () => {
    await withServer({}, async ({ call }) => {
      const schema = { type: 'object', required: ['metadata', 'spec'], properties: { spec: { type: 'object' } } }
      expect((await call('POST', DEFINITIONS, definitionWith(schema))).code).toBe(201)
      const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' } }
      const refused = await call('POST', WIDGETS, widget)
      expect(refused.body).toMatchObject({
        code: 422,
        details: { causes: [{ field: 'spec', message: 'Required value' }, { field: '<nil>' }] },
      })
      expect((await call('POST', WIDGETS, { ...widget, spec: {} })).code).toBe(201)
    })
  })

  it('is published with the members that each object has', async () => {
    await withServer({}, async ({ call }) => {
      expect((await call('POST', DEFINITIONS, widgetDefinition)).code).toBe(201)
      const { body } = await call('GET', '/openapi/v3/apis/example.com/v1')
      const TEXT = { type: 'string' }
      const properties = { apiVersion: TEXT, kind: TEXT, metadata: { type: 'object' }, spec: { type: 'object' } }
      expect(body).toMatchObject({ components: { schemas: { 'com.example.v1.Widget': { properties } } } })
    })
  })
})

describe('the tolerations of a pod', () => {
  const OWN = { key: 'own', operator: 'Exists', effect: 'NoSchedule' }
  const MORE = { key: 'more', operator: 'Exists', effect: 'NoSchedule' }

  async function change({ call }: TestServer, tolerations: readonly object[]): Promise<number> {
    return (await call('PATCH', `${PODS}/a`, { spec: { tolerations } })).code
  }

  it('get longer only', async () => {
    await withServer({}, async (server) => {
      await server.call('POST', PODS, pod('a', { tolerations: [OWN] }))
      const given = (await server.call('GET', `${PODS}/a`)).body as { readonly spec: { readonly tolerations: readonly object[] } }
      const { tolerations } = given.spec
      expect(await change(server, [...tolerations, MORE])).toBe(200)
      expect(await change(server, tolerations)).toBe(422)
      expect(await change(server, [...tolerations.slice(1), MORE, MORE])).toBe(422)
    })
  })
})
