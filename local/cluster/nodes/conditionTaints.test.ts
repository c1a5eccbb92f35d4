import { describe, expect, it } from 'vitest'
import { testNode } from '../testing/objects.ts'
import { taintsByCondition } from './conditionTaints.ts'

const NOW = '2026-01-01T00:00:00Z'
const ready = (status: string) => ({ conditions: [{ type: 'Ready', status }] })

type Case = { readonly spec?: object; readonly status?: object; readonly want: readonly string[] }

const CASES: { readonly [sentence: string]: Case } = {
  'a ready node has none': { status: ready('True'), want: [] },
  'a node that never spoke is only kept from new pods': { want: ['node.kubernetes.io/not-ready:NoSchedule'] },
  'a node that is not ready loses its pods': {
    status: ready('False'),
    want: ['node.kubernetes.io/not-ready:NoExecute', 'node.kubernetes.io/not-ready:NoSchedule'],
  },
  'a lost node loses its pods': {
    status: ready('Unknown'),
    want: ['node.kubernetes.io/unreachable:NoExecute', 'node.kubernetes.io/unreachable:NoSchedule'],
  },
  'a cordoned node': { spec: { unschedulable: true }, status: ready('True'), want: ['node.kubernetes.io/unschedulable:NoSchedule'] },
  'what no longer holds goes, what is not ours stays': {
    spec: {
      taints: [
        { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
        { key: 'team', value: 'a', effect: 'NoSchedule' },
      ],
    },
    status: ready('True'),
    want: ['team:NoSchedule'],
  },
  pressure: {
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'MemoryPressure', status: 'True' },
      ],
    },
    want: ['node.kubernetes.io/memory-pressure:NoSchedule'],
  },
}

describe('taintsByCondition', () => {
  for (const [sentence, { spec, status, want }] of Object.entries(CASES)) {
    it(sentence, () => {
      const node = testNode('a', { ...(spec === undefined ? {} : { spec }), ...(status === undefined ? {} : { status }) })
      expect(
        taintsByCondition(node, NOW)
          .map(({ key, effect }) => `${key}:${effect}`)
          .sort(),
      ).toEqual(want)
    })
  }

  it('keeps the time a taint was added', () => {
    const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: '2025-01-01T00:00:00Z' }
    const node = testNode('a', { spec: { taints: [taint] }, status: ready('Unknown') })
    expect(taintsByCondition(node, NOW)).toContain(taint)
  })
})
