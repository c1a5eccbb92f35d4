import { describe, expect, it } from 'vitest'
import { realisticPod } from '../../../bench/shimPods.ts'
import type { Kept } from './kept.ts'
import { KEPT_PATHS } from './keptPaths.ts'
import { createPrune } from './prune.ts'

const prune = (kept: Kept, object: unknown): unknown => createPrune(kept)(object)

describe('an object is pruned', () => {
  it.each<[sentence: string, kept: Kept, object: unknown, want: unknown]>([
    [
      'to the members that a list names',
      { a: true, b: { c: true } },
      { a: [{ x: 1 }], b: { c: 2, d: 3 }, e: 4 },
      { a: [{ x: 1 }], b: { c: 2 } },
    ],
    ['in each item of a list', { a: { b: true } }, { a: [{ b: 1, c: 2 }, { c: 3 }] }, { a: [{ b: 1 }, {}] }],
    ['to names that begin alike', { 'x/*': true }, { 'x/a': 1, 'x/b': 2, y: 3 }, { 'x/a': 1, 'x/b': 2 }],
    ['to all other names', { a: [], '*': {} }, { a: 1, b: { c: 2 }, d: 'text' }, { b: {}, d: true }],
    ['with null where null is', { a: { b: true }, c: true }, { a: null, c: null }, { a: null, c: null }],
    ['without what is missing', { a: { b: true } }, {}, {}],
    [
      'to items that a rule takes',
      { a: [{ where: [{ at: ['t'], is: ['x'] }], keep: { v: true } }] },
      {
        a: [
          { t: 'x', v: 1 },
          { t: 'y', v: 2 },
        ],
      },
      { a: [{ v: 1 }] },
    ],
    ['without a list of which nothing is left', { a: [{ where: [{ at: ['t'], is: ['x'] }], keep: true }] }, { a: [{ t: 'y' }] }, {}],
    [
      'by the first rule that holds',
      [{ where: [{ at: ['t'], not: [null] }], keep: { t: true } }, { keep: {} }],
      [{ t: 1 }, { u: 2 }],
      [{ t: 1 }, {}],
    ],
    ['by a value elsewhere', { a: [{ when: [{ at: ['b', 'c'], is: [1] }], keep: true }] }, { a: 5, b: [{ c: 0 }, { c: 1 }] }, { a: 5 }],
    ['by a value that is missing', { a: [{ when: [{ at: ['b', 'c'], is: [null] }], keep: true }] }, { a: 5, b: [] }, { a: 5 }],
    ['without what is usual', { a: [{ where: [{ at: [], not: ['usual'] }], keep: true }] }, { a: 'usual' }, {}],
  ])('%s', (_sentence, kept, object, want) => expect(prune(kept, object)).toEqual(want))

  it('without what all objects inherit', () => {
    expect(prune(JSON.parse('{"constructor":true,"toString":{"name":true}}') as Kept, {})).toEqual({})
    expect(prune({ '*': true }, JSON.parse('{"__proto__":{"a":1}}'))).toEqual(JSON.parse('{"__proto__":{"a":1}}'))
  })
})

describe('a change that no decision depends on leaves the pruned object as it is', () => {
  type Changed = { readonly [member: string]: unknown }
  const pod = realisticPod(1) as { readonly metadata: Changed; readonly status: Changed }

  it.each<[sentence: string, other: object]>([
    ['a new resource version', { ...pod, metadata: { ...pod.metadata, resourceVersion: '2' } }],
    ['another owner of fields', { ...pod, metadata: { ...pod.metadata, managedFields: [] } }],
    ['a container that restarts', { ...pod, status: { ...pod.status, containerStatuses: [{ name: 'main', restartCount: 5 }] } }],
    ['an annotation of others', { ...pod, metadata: { ...pod.metadata, annotations: { 'example.com/a': 'b' } } }],
  ])('of a pod: %s', (_sentence, other) => expect(prune(KEPT_PATHS.pod, other)).toEqual(prune(KEPT_PATHS.pod, pod)))

  it('of a pod: its containers are made', () => {
    const status = { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] }
    const made = [...status.conditions, { type: 'Ready', status: 'False' }, { type: 'ContainersReady', status: 'False' }]
    const begun = { ...status, startTime: '2026-01-01T00:00:00Z', conditions: made, containerStatuses: [{ name: 'main' }] }
    expect(prune(KEPT_PATHS.pod, { ...pod, status: begun })).toEqual(prune(KEPT_PATHS.pod, { ...pod, status }))
  })

  it('of a node: a heartbeat', () => {
    const node = (time: string, resourceVersion: string): object => ({
      metadata: { name: 'n', uid: 'u', resourceVersion, labels: { 'karpenter.sh/nodepool': 'a', 'karpenter.sh/initialized': 'true' } },
      status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: time }], images: [{ names: [time] }] },
    })
    expect(prune(KEPT_PATHS.node, node('a', '1'))).toEqual(prune(KEPT_PATHS.node, node('b', '2')))
  })
})
