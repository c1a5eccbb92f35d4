import { describe, expect, it } from 'vitest'
import type { StructuralSchema } from '../schema/structuralSchema.ts'
import { builtinSchema, fieldsOfType, metadataSchema, modelName } from './builtinSchema.ts'

/** Returns the schema of a member, by its path. `*` is an item of a list or a value of a map. */
function memberOf(schema: StructuralSchema | undefined, path: string): unknown {
  let here: unknown = schema
  for (const name of path.split('.')) {
    const { items, additionalProperties, properties } = here as StructuralSchema
    here = name === '*' ? (items ?? additionalProperties) : properties?.[name]
  }
  return here
}

const pod = builtinSchema('Pod', 'v1')

describe('the schema of a built-in kind', () => {
  it.each([
    ['spec.nodeName', { type: 'string' }],
    ['spec.priority', { type: 'number' }],
    ['spec.hostNetwork', { type: 'boolean' }],
    ['metadata.creationTimestamp', { type: 'string' }],
    ['metadata.labels', { type: 'object', additionalProperties: { type: 'string' } }],
    ['spec.containers.*.resources.requests', { type: 'object', additionalProperties: { type: 'string' } }],
    ['spec.containers.*.args', { type: 'array', items: { type: 'string' } }],
    ['spec.containers.*.env.*.name', { type: 'string' }],
    ['spec.containers.*.livenessProbe.httpGet.port', { 'x-kubernetes-int-or-string': true }],
    ['status.phase', { type: 'string' }],
    ['spec.none', undefined],
  ])('has %s as %j', (path, want) => {
    if (want === undefined) expect(memberOf(pod, path)).toBeUndefined()
    else expect(memberOf(pod, path)).toMatchObject(want)
  })

  it('has lists and maps of objects, with their members', () => {
    expect(memberOf(pod, 'spec.containers')).toMatchObject({ type: 'array', items: { type: 'object', properties: expect.anything() } })
    const extra = memberOf(builtinSchema('SubjectAccessReview', 'v1'), 'spec.extra')
    expect(extra).toMatchObject({ type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } })
    expect(extra).not.toHaveProperty('x-kubernetes-preserve-unknown-fields')
  })

  it('is of every kind that is known, made once, and of no other', () => {
    expect(builtinSchema('Pod', 'v1')).toBe(pod)
    expect(builtinSchema('Pod', 'v9')).toBeUndefined()
    expect(builtinSchema('Widget', 'v1')).toBeUndefined()
  })

  it('goes by the name of its model, which two kinds share no more', () => {
    expect([modelName('Pod', 'v1'), modelName('NodeOverlay', 'v1alpha1'), modelName('Event', 'v1')]).toEqual([
      'V1Pod',
      'V1alpha1NodeOverlay',
      'CoreV1Event',
    ])
    expect(fieldsOfType('CoreV1Event')).toMatchObject({ involvedObject: 'V1ObjectReference', count: 'number' })
    expect(fieldsOfType('V9Nothing')).toBeUndefined()
    expect(metadataSchema()).toMatchObject({ properties: { finalizers: { type: 'array' }, ownerReferences: { type: 'array' } } })
  })
})
