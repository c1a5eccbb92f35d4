import { describe, expect, it } from 'vitest'
import { testNode, testPod } from '../testing/objects.ts'
import { toleratedSeconds } from './taintEviction.ts'

const LOST = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }
const FULL = { key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' }

const CASES: {
  readonly [sentence: string]: { readonly taints: readonly object[]; readonly tolerations: readonly object[]; readonly want: number }
} = {
  'no taint': { taints: [], tolerations: [], want: Number.POSITIVE_INFINITY },
  'a taint that only keeps new pods away': { taints: [FULL], tolerations: [], want: Number.POSITIVE_INFINITY },
  'a taint nobody tolerates': { taints: [LOST], tolerations: [], want: 0 },
  'a taint tolerated for good': { taints: [LOST], tolerations: [{ operator: 'Exists' }], want: Number.POSITIVE_INFINITY },
  'a taint tolerated for a while': {
    taints: [LOST],
    tolerations: [{ key: LOST.key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
    want: 300,
  },
  'the shortest patience counts': {
    taints: [LOST, { key: 'x', effect: 'NoExecute' }],
    tolerations: [
      { key: LOST.key, operator: 'Exists', tolerationSeconds: 300 },
      { key: 'x', operator: 'Exists', tolerationSeconds: 20 },
    ],
    want: 20,
  },
  'less than nothing is nothing': { taints: [LOST], tolerations: [{ operator: 'Exists', tolerationSeconds: -5 }], want: 0 },
}

describe('toleratedSeconds', () => {
  for (const [sentence, { taints, tolerations, want }] of Object.entries(CASES)) {
    it(sentence, () => expect(toleratedSeconds(testPod('p', { spec: { tolerations } }), testNode('n', { spec: { taints } }))).toBe(want))
  }
})
