import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { widgetDefinition } from './testing/samples.ts'
import { type TestServer, withServer } from './testing/withServer.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets'

const widget = (name: string, spec: Record<string, unknown>) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec })

async function withWidgets(test: (server: TestServer) => Promise<void>): Promise<void> {
  await withServer({}, async (server) => {
    expect((await server.call('POST', DEFINITIONS, widgetDefinition)).code).toBe(201)
    await test(server)
  })
}

describe('custom resources', () => {
  it('are served from the moment their definition is written', async () => {
    await withWidgets(async ({ call }) => {
      const discovery = await call('GET', '/apis/example.com/v1')
      expect(discovery.body).toMatchObject({
        resources: [{ name: 'widgets', kind: 'Widget', shortNames: ['wd'] }, { name: 'widgets/status' }, { name: 'widgets/scale' }],
      })
    })
  })

  it('get defaults, lose unknown fields with a warning, and count generations of the spec only', async () => {
    await withWidgets(async ({ call }) => {
      const made = await call('POST', WIDGETS, widget('a', { size: 2, extra: true }))
      expect(made).toMatchObject({ code: 201, body: { spec: { size: 2, color: 'red' }, metadata: { generation: 1 } } })
      expect(made.body).not.toHaveProperty('spec.extra')
      expect(made.headers['warning']).toBe('299 - "unknown field \\"spec.extra\\""')
      const labelled = await call('PATCH', `${WIDGETS}/a`, { metadata: { labels: { x: 'y' } } })
      expect(labelled.body).toMatchObject({ metadata: { generation: 1 } })
      const grown = await call('PATCH', `${WIDGETS}/a`, { spec: { size: 3 }, status: { ignored: true } })
      expect(grown.body).toMatchObject({ metadata: { generation: 2 } })
      expect(grown.body).not.toHaveProperty('status')
      const status = await call('PATCH', `${WIDGETS}/a/status`, { status: { replicas: 1 }, spec: { size: 9 } })
      expect(status.body).toMatchObject({ metadata: { generation: 2 }, spec: { size: 3 }, status: { replicas: 1 } })
    })
  })

  it('are not judged by rules while a value has no shape that the rules were written for', async () => {
    const STRUCTURAL: { readonly [what: string]: Record<string, unknown> } = {
      'a member that is missing': { color: 'blue' },
      'a wrong type': { size: 'much', color: 'blue' },
      'a value that is not among the allowed ones': { size: 20, color: 'green' },
    }
    await withWidgets(async ({ call }) => {
      for (const [what, spec] of Object.entries(STRUCTURAL)) {
        const { message } = (await call('POST', WIDGETS, widget('a', spec))).body as { message: string }
        expect(message, what).toContain('some validation rules were not checked')
        expect(message, what).not.toContain('blue widgets are small')
      }
      const judged = await call('POST', WIDGETS, widget('a', { size: 20, color: 'blue' }))
      expect(judged.body).toMatchObject({ code: 422, message: expect.stringContaining('blue widgets are small') })
    })
  })

  it.each(['labels', 'annotations', 'finalizers', 'ownerReferences'])('lose %s that are empty, as the server type does', async (member) => {
    await withWidgets(async ({ call }) => {
      await call('POST', WIDGETS, widget('a', { size: 1 }))
      const before = (await call('GET', `${WIDGETS}/a`)).body
      const empty = member === 'labels' || member === 'annotations' ? {} : []
      expect((await call('PATCH', `${WIDGETS}/a`, { metadata: { [member]: empty } })).body).toEqual(before)
    })
  })

  it('may not have a definition that says more of metadata than its name', async () => {
    await withServer({}, async ({ call }) => {
      const definition = structuredClone(widgetDefinition)
      const properties: Record<string, unknown> = definition.spec.versions[0]?.schema.openAPIV3Schema.properties ?? {}
      properties['metadata'] = { type: 'object', description: 'What the API server keeps.' }
      const refused = await call('POST', DEFINITIONS, definition)
      expect(refused.code).toBe(422)
      expect(refused.body).toHaveProperty('message', expect.stringContaining('metadata is implicitly specified'))
      properties['metadata'] = { type: 'object', properties: { name: { type: 'string', maxLength: 63 } } }
      expect((await call('POST', DEFINITIONS, definition)).code).toBe(201)
    })
  })

  const BROKEN = {
    'a missing field': { spec: {}, want: 'spec.size: Required value' },
    'a wrong type': {
      spec: { size: 'big' },
      want: 'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    },
    'a bound': { spec: { size: 0 }, want: 'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1' },
    'an enumeration': {
      spec: { size: 1, color: 'green' },
      want: 'spec.color: Unsupported value: "green": supported values: "red", "blue"',
    },
    'a repeated item of a set': { spec: { size: 1, tags: ['x', 'x'] }, want: 'spec.tags[1]: Duplicate value: "x"' },
    'a rule': { spec: { size: 20, color: 'blue' }, want: 'spec: Invalid value: "object": blue widgets are small' },
    'neither integer nor text': {
      spec: { size: 1, share: true },
      want: 'spec.share: Invalid value: true: spec.share in body must be of type integer,string: "boolean"',
    },
  }
  for (const [name, { spec, want }] of Object.entries(BROKEN)) {
    it(`are refused for ${name}, with the field and the rule`, async () => {
      await withWidgets(async ({ call }) => {
        const answer = await call('POST', WIDGETS, widget('a', spec))
        expect(answer.code).toBe(422)
        expect(answer.body).toMatchObject({ reason: 'Invalid', details: { name: 'a', group: 'example.com', kind: 'Widget' } })
        expect(answer.body).toHaveProperty('message', expect.stringContaining(want))
      })
    })
  }

  it('obey rules about change, and need a version to be replaced', async () => {
    await withWidgets(async ({ call }) => {
      await call('POST', WIDGETS, widget('a', { size: 5 }))
      const shrunk = await call('PATCH', `${WIDGETS}/a`, { spec: { size: 4 } })
      expect(shrunk.body).toHaveProperty(
        'message',
        'Widget.example.com "a" is invalid: spec: Invalid value: "object": widgets never shrink',
      )
      const blind = await call('PUT', `${WIDGETS}/a`, widget('a', { size: 6 }))
      expect(blind.body).toHaveProperty(
        'message',
        expect.stringContaining('metadata.resourceVersion: Invalid value: 0x0: must be specified for an update'),
      )
    })
  })

  it('are refused unknown fields when the client asks to be strict', async () => {
    await withWidgets(async ({ call }) => {
      const answer = await call('POST', `${WIDGETS}?fieldValidation=Strict`, widget('a', { size: 1, extra: 1 }))
      expect(answer).toMatchObject({
        code: 400,
        body: { message: 'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.extra"' },
      })
    })
  })

  it('print as the table their definition describes, and scale', async () => {
    await withWidgets(async ({ call }) => {
      await call('POST', WIDGETS, widget('a', { size: 7, replicas: 2 }))
      const table = await call('GET', WIDGETS, undefined, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' })
      expect(table.body).toMatchObject({
        kind: 'Table',
        columnDefinitions: [{ name: 'Name' }, { name: 'Size' }],
        rows: [{ cells: ['a', 7] }],
      })
      const scaled = await call('PATCH', `${WIDGETS}/a/scale`, { spec: { replicas: 4 } })
      expect(scaled.body).toMatchObject({ kind: 'Scale', spec: { replicas: 4 } })
      // The definition has no path of a selector, and kubectl refuses a selector that it cannot parse.
      expect(scaled.body).not.toHaveProperty('status.selector')
      expect((await call('GET', `${WIDGETS}/a`)).body).toMatchObject({ spec: { replicas: 4 }, metadata: { generation: 2 } })
    })
  })

  it('go with their definition', async () => {
    await withWidgets(async ({ call, server }) => {
      await call('POST', WIDGETS, widget('a', { size: 7 }))
      await call('DELETE', `${DEFINITIONS}/widgets.example.com`)
      await expect.poll(() => server.store.count('customresourcedefinitions.apiextensions.k8s.io')).toBe(0)
      expect((await call('GET', WIDGETS)).code).toBe(404)
    })
  })
})

const CONTRACT = '../shared/data/crd-contract'
const readContract = () => readdirSync(CONTRACT).map((file): unknown => JSON.parse(readFileSync(`${CONTRACT}/${file}`, 'utf8')))

describe('the CRDs Joiner serves', () => {
  it.skipIf(!existsSync(CONTRACT))('are accepted with all their rules (skipped when ../shared/data is absent)', async () => {
    await withServer({}, async ({ call }) => {
      for (const definition of readContract()) expect(await call('POST', DEFINITIONS, definition)).toMatchObject({ code: 201 })
      const spec = {
        template: {
          spec: {
            nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
            requirements: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['a'] }],
          },
        },
      }
      const answer = await call('POST', '/apis/karpenter.sh/v1/nodepools', {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: 'x' },
        spec,
      })
      expect(answer.body).toHaveProperty(
        'message',
        'NodePool.karpenter.sh "x" is invalid: spec.template.spec.requirements[0].key: Invalid value: "string": label "kubernetes.io/hostname" is restricted',
      )
    })
  })
})
