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
})
