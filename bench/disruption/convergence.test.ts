import { describe, expect, it } from 'vitest'
import { converge, timeToWithin } from './convergence.ts'
import { convergeAsKarpenter } from './peer.ts'

describe('timeToWithin', () => {
  it.each<[sentence: string, prices: readonly number[], at: number]>([
    ['is the time of the first price within the share', [200, 150, 104, 100], 2],
    ['is later where the price rises above the share again', [200, 104, 120, 100], 3],
    ['is 0 where nothing changes', [100], 0],
  ])('%s', (_sentence, prices, at) => {
    expect(
      timeToWithin(
        0.05,
        prices.map((price, atMs) => ({ atMs, price })),
      ),
    ).toBe(at)
  })
})

it('a half-empty cluster becomes cheaper on both clocks, one node at a time, and loses no pod', async () => {
  const { before, course, nodes, pods } = await converge({ nodes: 8, isApart: false, seed: 1 })
  expect(nodes.most).toBe(nodes.before)
  expect(pods).toHaveLength(before.objects.pod.length)
  expect(pods.every(({ nodeName }) => nodeName !== undefined)).toBe(true)
  for (const each of [course, convergeAsKarpenter(before, 0.1)]) {
    const prices = each.map(({ price }) => price)
    expect(prices.at(-1)).toBeLessThan(0.75 * (prices[0] ?? 0))
    const most = Math.max(...prices.slice(1).map((price, at) => (prices[at] ?? 0) - price))
    // The price of one node of the largest size.
    expect(most).toBeLessThanOrEqual((prices[0] ?? 0) / nodes.before)
  }
})
