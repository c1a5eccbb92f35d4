import { describe, expect, it } from 'vitest'
import { effectivePodRequests, type PodResourceParts } from './pod.ts'
import type { Resources } from './resources.ts'

describe('a pod takes', () => {
  const table: { [name: string]: { parts: Partial<PodResourceParts>; want: Resources } } = {
    'a slot, when it asks for nothing': { parts: {}, want: { pods: 1 } },
    'what its containers add up to': {
      parts: { containers: [{ requests: { cpu: 1 } }, { requests: { cpu: 2, memory: 3 } }] },
      want: { cpu: 3, memory: 3, pods: 1 },
    },
    'the largest init container, when that is more': {
      parts: { containers: [{ requests: { cpu: 1, memory: 9 } }], initContainers: [{ requests: { cpu: 5 } }, { requests: { cpu: 3 } }] },
      want: { cpu: 5, memory: 9, pods: 1 },
    },
    'its sidecars with its containers': {
      parts: { containers: [{ requests: { cpu: 1 } }], initContainers: [{ requests: { cpu: 2 }, sidecar: true }] },
      want: { cpu: 3, pods: 1 },
    },
    'an init container together with the sidecars started before it': {
      parts: {
        containers: [{ requests: { cpu: 1 } }],
        initContainers: [{ requests: { cpu: 2 }, sidecar: true }, { requests: { cpu: 5 } }, { requests: { cpu: 1 }, sidecar: true }],
      },
      want: { cpu: 7, pods: 1 },
    },
    'what the pod itself says, in place of the sum': {
      parts: { containers: [{ requests: { cpu: 1, 'example.com/disk': 1 } }], podResources: { cpu: 4, 'example.com/disk': 9 } },
      want: { cpu: 4, 'example.com/disk': 1, pods: 1 },
    },
    'the overhead of its runtime on top': {
      parts: { containers: [{ requests: { cpu: 1 } }], podResources: { cpu: 4 }, overhead: { cpu: 1, memory: 2 } },
      want: { cpu: 5, memory: 2, pods: 1 },
    },
    'what it still holds while it shrinks': {
      parts: { containers: [{ requests: { cpu: 1 }, statusResources: [{ cpu: 3 }, { cpu: 2 }] }] },
      want: { cpu: 3, pods: 1 },
    },
    'what it asks for while it grows': {
      parts: { containers: [{ requests: { cpu: 5 }, statusResources: [{ cpu: 3 }] }] },
      want: { cpu: 5, pods: 1 },
    },
    'what it holds when it cannot grow': {
      parts: { containers: [{ requests: { cpu: 5 }, statusResources: [{ cpu: 3 }] }], resizeInfeasible: true },
      want: { cpu: 3, pods: 1 },
    },
    'what it holds as a pod while it shrinks': {
      parts: { podResources: { cpu: 1 }, podStatusResources: [{ cpu: 3 }, { cpu: 2 }] },
      want: { cpu: 3, pods: 1 },
    },
    'one slot, whatever it says about slots': { parts: { containers: [{ requests: { pods: 5 } }] }, want: { pods: 1 } },
  }
  for (const [name, { parts, want }] of Object.entries(table)) {
    it(name, () => expect(effectivePodRequests({ containers: [], initContainers: [], ...parts })).toEqual(want))
  }
})
