import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { type NodeShape, node } from '../../../test/builders/node.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { LABEL, TAINT_KEY } from '../../model/labels.ts'
import { createRecentNodes } from './claimRequests.ts'

const STARTING: NodeShape = { initialized: false, ready: false, taints: [{ key: TAINT_KEY.unregistered, effect: 'NoExecute' }] }
const REGISTERED: NodeShape = { initialized: false }

function after(first: NodeShape, second: NodeShape, ms = 100) {
  const clock = createVirtualClock(NOW)
  const asked = createRecentNodes(clock)
  expect(asked.isAsked(node(first))).toBe(false)
  return clock.advance(ms).then(() => asked.isAsked(node(second)))
}

describe('a reconcile for a node that joins was asked for', () => {
  it.each<[sentence: string, first: NodeShape, second: NodeShape]>([
    ['that only starts, whatever its taints', STARTING, { ...STARTING, taints: [{ key: TAINT_KEY.notReady, effect: 'NoSchedule' }] }],
    ['that says of its disks what no claim waits for', STARTING, { ...STARTING, conditions: [condition('DiskPressure')] }],
    ['that can run pods', REGISTERED, { ...REGISTERED, meta: { annotations: { a: 'b' } } }],
  ])('%s', async (_sentence, first, second) => {
    expect(await after(first, second)).toBe(true)
    expect(await after(first, second, first.ready === false ? 13_000 : 2_000)).toBe(false)
  })

  it.each<[sentence: string, first: NodeShape, second: NodeShape]>([
    ['can run pods now', STARTING, REGISTERED],
    ['has a taint less', { ...REGISTERED, taints: [{ key: 's', effect: 'NoSchedule' }] }, REGISTERED],
    ['offers something more', REGISTERED, { ...REGISTERED, allocatable: { 'nvidia.com/gpu': 1 } }],
    ['is registered by now', { ...REGISTERED, meta: { labels: { [LABEL.registered]: '' } } }, REGISTERED],
    ['is being deleted', STARTING, { ...STARTING, meta: { deletedAt: NOW } }],
    ['is another one', STARTING, { ...STARTING, claim: 'default-bbbbb' }],
  ])('and not for one that %s', async (_sentence, first, second) => {
    expect(await after(first, second)).toBe(false)
  })

  it('is forgotten when the clock went back', async () => {
    let now = NOW as number
    const asked = createRecentNodes({ ...createVirtualClock(NOW), now: () => now as typeof NOW })
    expect(asked.isAsked(node(STARTING))).toBe(false)
    now -= 60_000
    expect(asked.isAsked(node(STARTING))).toBe(false)
  })
})
