import { describe, expect, it } from 'vitest'
import { NOW } from '../../../../test/builders/clock.ts'
import { daemonPod, pod } from '../../../../test/builders/pod.ts'
import { rescheduleCost } from './moveCost.ts'

describe('what it costs to move all of a machine', () => {
  it('is one, and what its pods cost that need another place', () => {
    expect(rescheduleCost([])).toBe(1)
    expect(rescheduleCost([pod(), pod({ name: 'other' }), daemonPod('n'), pod({ name: 'ending', deletedAt: NOW })])).toBe(3)
  })

  it('is no less for pods that gladly go', () => {
    expect(rescheduleCost([pod({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-2147483647' } })])).toBe(1)
  })
})
