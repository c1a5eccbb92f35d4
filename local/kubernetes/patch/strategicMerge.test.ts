import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../object/json.ts'
import { mergeShapeOf } from './mergeKeys.ts'
import { strategicMerge } from './strategicMerge.ts'

interface Case {
  readonly resource: string
  readonly target: JsonObject
  readonly patch: JsonObject
  readonly want: JsonObject
}

const inSpec = (spec: JsonObject): JsonObject => ({ spec })

const CASES: { readonly [name: string]: Case } = {
  'containers merge by name': {
    resource: 'pods',
    target: inSpec({
      containers: [
        { name: 'a', image: '1' },
        { name: 'b', image: '1' },
      ],
    }),
    patch: inSpec({ containers: [{ name: 'b', image: '2' }] }),
    want: inSpec({
      containers: [
        { name: 'a', image: '1' },
        { name: 'b', image: '2' },
      ],
    }),
  },
  'environment and mounts of a template merge by their keys': {
    resource: 'deployments.apps',
    target: inSpec({ template: { spec: { containers: [{ name: 'a', env: [{ name: 'X', value: '1' }] }] } } }),
    patch: inSpec({
      template: { spec: { containers: [{ name: 'a', env: [{ name: 'Y', value: '2' }], volumeMounts: [{ mountPath: '/d', name: 'v' }] }] } },
    }),
    want: inSpec({
      template: {
        spec: {
          containers: [
            {
              name: 'a',
              env: [
                { name: 'X', value: '1' },
                { name: 'Y', value: '2' },
              ],
              volumeMounts: [{ mountPath: '/d', name: 'v' }],
            },
          ],
        },
      },
    }),
  },
  'tolerations and taints are replaced whole': {
    resource: 'nodes',
    target: inSpec({ taints: [{ key: 'a', effect: 'NoSchedule' }] }),
    patch: inSpec({ taints: [{ key: 'b', effect: 'NoExecute' }] }),
    want: inSpec({ taints: [{ key: 'b', effect: 'NoExecute' }] }),
  },
  'conditions merge by type': {
    resource: 'nodes',
    target: {
      status: {
        conditions: [
          { type: 'Ready', status: 'False' },
          { type: 'DiskPressure', status: 'False' },
        ],
      },
    },
    patch: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
    want: {
      status: {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'DiskPressure', status: 'False' },
        ],
      },
    },
  },
  'finalizers are a set': {
    resource: 'configmaps',
    target: { metadata: { finalizers: ['a/a', 'b/b'] } },
    patch: { metadata: { finalizers: ['b/b', 'c/c'], '$deleteFromPrimitiveList/finalizers': ['a/a'] } },
    want: { metadata: { finalizers: ['b/b', 'c/c'] } },
  },
  'an item is deleted by directive': {
    resource: 'pods',
    target: inSpec({ containers: [{ name: 'a' }, { name: 'b' }] }),
    patch: inSpec({ containers: [{ name: 'a', $patch: 'delete' }] }),
    want: inSpec({ containers: [{ name: 'b' }] }),
  },
  'a list is replaced by directive': {
    resource: 'pods',
    target: inSpec({ containers: [{ name: 'a' }, { name: 'b' }] }),
    patch: inSpec({ containers: [{ name: 'c' }, { $patch: 'replace' }] }),
    want: inSpec({ containers: [{ name: 'c' }] }),
  },
  'members not retained go': {
    resource: 'deployments.apps',
    target: inSpec({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } }),
    patch: inSpec({ strategy: { $retainKeys: ['type'], type: 'Recreate' } }),
    want: inSpec({ strategy: { type: 'Recreate' } }),
  },
  'the order of items can be set': {
    resource: 'pods',
    target: inSpec({ containers: [{ name: 'a' }, { name: 'b' }] }),
    patch: inSpec({ '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }, { name: 'a' }], containers: [{ name: 'c' }] }),
    want: inSpec({ containers: [{ name: 'c' }, { name: 'b' }, { name: 'a' }] }),
  },
  'items that the order does not name keep their places': {
    resource: 'pods',
    target: inSpec({ containers: [{ name: 'a' }, { name: 'x' }, { name: 'b' }, { name: 'y' }] }),
    patch: inSpec({ '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }], containers: [{ name: 'a', image: '2' }] }),
    want: inSpec({ containers: [{ name: 'b' }, { name: 'x' }, { name: 'a', image: '2' }, { name: 'y' }] }),
  },
  'the order goes by the key alone, whatever else the items say': {
    resource: 'deployments.apps',
    target: inSpec({
      template: {
        spec: {
          containers: [
            {
              name: 'm',
              env: [
                { name: 'A', value: '1' },
                { name: 'B', value: '1' },
              ],
            },
          ],
        },
      },
    }),
    patch: inSpec({
      template: {
        spec: { containers: [{ name: 'm', '$setElementOrder/env': [{ name: 'B' }, { name: 'A' }], env: [{ name: 'B', value: '2' }] }] },
      },
    }),
    want: inSpec({
      template: {
        spec: {
          containers: [
            {
              name: 'm',
              env: [
                { name: 'B', value: '2' },
                { name: 'A', value: '1' },
              ],
            },
          ],
        },
      },
    }),
  },
  'an order of plain values is one of the values themselves': {
    resource: 'configmaps',
    target: { metadata: { finalizers: ['a/a', 'b/b', 'c/c'] } },
    patch: { metadata: { '$setElementOrder/finalizers': ['c/c', 'a/a', 'b/b'] } },
    want: { metadata: { finalizers: ['c/c', 'a/a', 'b/b'] } },
  },
  'an order of a list that is merged by nothing goes by whole items': {
    resource: 'nodes',
    target: inSpec({ taints: [{ key: 'a' }, { key: 'b', effect: 'NoExecute' }] }),
    patch: inSpec({ '$setElementOrder/taints': [{ key: 'b', effect: 'NoExecute' }, { key: 'a' }] }),
    want: inSpec({ taints: [{ key: 'b', effect: 'NoExecute' }, { key: 'a' }] }),
  },
  'an order and a deletion of what is not there change nothing': {
    resource: 'pods',
    target: inSpec({ nodeName: 'one' }),
    patch: inSpec({ '$setElementOrder/containers': [{ name: 'a' }], '$deleteFromPrimitiveList/finalizers': ['a'] }),
    want: inSpec({ nodeName: 'one' }),
  },
  'an object is replaced by directive': {
    resource: 'pods',
    target: { metadata: { labels: { a: '1', b: '2' } } },
    patch: { metadata: { labels: { $patch: 'replace', c: '3' } } },
    want: { metadata: { labels: { c: '3' } } },
  },
  'an object is emptied by directive': {
    resource: 'pods',
    target: { metadata: { labels: { a: '1' }, name: 'x' } },
    patch: { metadata: { labels: { $patch: 'delete' } } },
    want: { metadata: { labels: {}, name: 'x' } },
  },
  'a merge that is asked for in words is one': {
    resource: 'pods',
    target: { metadata: { labels: { a: '1' } } },
    patch: { metadata: { labels: { $patch: 'merge', b: '2' } } },
    want: { metadata: { labels: { a: '1', b: '2' } } },
  },
  'an item that says nothing else but to replace the list is no item': {
    resource: 'nodes',
    target: inSpec({ taints: [{ key: 'a' }] }),
    patch: inSpec({ taints: [{ $patch: 'replace' }, { key: 'b' }] }),
    want: inSpec({ taints: [{ key: 'b' }] }),
  },
  'a list takes the place of what was none, and an object too': {
    resource: 'pods',
    target: inSpec({ containers: 'x', nodeSelector: ['x'] }),
    patch: inSpec({ containers: [{ name: 'a' }], nodeSelector: { a: 'b' } }),
    want: inSpec({ containers: [{ name: 'a' }], nodeSelector: { a: 'b' } }),
  },
  'null inside a new object leaves nothing': {
    resource: 'pods',
    target: {},
    patch: { metadata: { labels: { a: null, b: '1' } } },
    want: { metadata: { labels: { b: '1' } } },
  },
  'null removes': {
    resource: 'pods',
    target: { metadata: { labels: { a: 'b' } } },
    patch: { metadata: { labels: null } },
    want: { metadata: {} },
  },
}

describe('a strategic merge patch', () => {
  for (const [name, { resource, target, patch, want }] of Object.entries(CASES)) {
    it(`follows the rule: ${name}`, () => {
      expect(strategicMerge(target, patch, mergeShapeOf(resource))).toEqual(want)
    })
  }

  it.each([
    ['a directive nobody knows', { metadata: { $patch: 'swap' } }, 'unknown patch type found: "swap"'],
    ['an item without its key', inSpec({ containers: [{ image: '1' }] }), 'map: {"image":"1"} does not contain declared merge key: name'],
    ['an item that is none', inSpec({ containers: ['a'] }), 'a list merged by key holds an item that is not an object'],
  ])('is refused with %s', (_what, patch, message) => {
    expect(() => strategicMerge({}, patch, mergeShapeOf('pods'))).toThrow(message)
  })
})
