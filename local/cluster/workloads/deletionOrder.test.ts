import { describe, expect, it } from 'vitest'
import { testPod } from '../testing/objects.ts'
import { inDeletionOrder } from './deletionOrder.ts'

const running = (name: string, parts: { readonly node: string; readonly ready?: string; readonly born?: string; readonly cost?: string }) =>
  testPod(name, {
    metadata: {
      creationTimestamp: parts.born ?? '2026-01-01T00:00:00Z',
      annotations: parts.cost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': parts.cost },
    },
    spec: { nodeName: parts.node },
    status: {
      phase: 'Running',
      conditions: parts.ready === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: parts.ready }],
    },
  })

const EARLY = '2026-01-01T00:00:01Z'
const LATE = '2026-01-01T00:00:09Z'

describe('inDeletionOrder', () => {
  it('takes pods without a node, then not running, not ready, cheap, crowded, young ones', () => {
    const pods = [
      running('old', { node: 'a', ready: EARLY }),
      running('young', { node: 'd', ready: LATE }),
      running('crowded', { node: 'b', ready: EARLY }),
      running('crowding', { node: 'b', ready: EARLY, cost: '-1' }),
      running('unready', { node: 'c' }),
      testPod('starting', { spec: { nodeName: 'e' } }),
      testPod('waiting'),
    ]
    expect(inDeletionOrder(pods).map(({ metadata }) => metadata.name)).toEqual([
      'waiting',
      'starting',
      'unready',
      'crowding',
      'crowded',
      'young',
      'old',
    ])
  })
})
