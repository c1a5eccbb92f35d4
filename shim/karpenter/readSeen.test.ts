import { expect, it } from 'vitest'
import { OBJECT_KINDS } from '../../shared/model/clusterObjects.ts'
import { SAMPLES } from '../../shared/wire/kept/testing/samples.ts'
import { objectFromKube } from '../../shared/wire/kube/object.ts'
import { FULL_OBJECTS } from '../../shared/wire/kube/testing/fullObjects.ts'
import type { KubeObject } from '../kube/listObjects.ts'
import { readSeen } from './readSeen.ts'

const OBJECTS = [...FULL_OBJECTS, ...SAMPLES]

it.each(['pod', 'node', 'nodePool', 'nodeClaim'] as const)('the metrics read of a %s what the app reads of it', (kind) => {
  const objects = OBJECTS.filter((each) => each.kind === kind)
  for (const { json } of objects) {
    const whole = objectFromKube(kind, json)
    const seen = readSeen(kind, json as KubeObject)
    expect(whole.ok ? whole.value : undefined).toMatchObject(seen ?? {})
    expect(Object.keys(seen ?? {}).length).toBeGreaterThan(1)
  }
  expect(objects.length).toBeGreaterThan(0)
})

it('the metrics read of no other kind, and of nothing that is no object', () => {
  const others = OBJECT_KINDS.filter((kind) => !['pod', 'node', 'nodePool', 'nodeClaim'].includes(kind))
  for (const kind of others) expect(readSeen(kind, { metadata: { name: 'a' } })).toBeUndefined()
  expect(readSeen('pod', { metadata: { name: 'a' }, status: { phase: 'Asleep' } })).toBeUndefined()
})
