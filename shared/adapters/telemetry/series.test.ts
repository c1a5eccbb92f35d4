import { describe, expect, it } from 'vitest'
import { METRICS, type MetricName } from '../../model/metrics.ts'
import { createSeries, MOST_SERIES, type Point } from './series.ts'

const ENDED = 'karpenter_nodeclaims_disrupted_total'
const REASONS = ['empty', 'drifted', 'underutilized', 'expired', 'unhealthy']
const MODES = ['graceful', 'forceful']

function series(most = MOST_SERIES) {
  return createSeries(most, (text) => text)
}

/** Every end of machines in 30 pools: 30 x 5 x 2 series. */
function everyEnd(add: (fields: { readonly [name: string]: string }) => void): number {
  let count = 0
  for (const terminationMode of MODES)
    for (const reason of REASONS)
      for (let pool = 0; pool < 30; pool++, count++)
        add({ cluster: 'c', nodePool: `pool-${pool}`, reason, capacityType: 'spot', terminationMode })
  return count
}

function sumOf(points: readonly Point[], name: MetricName): number {
  return points.reduce((total, each) => (each.name === name ? total + each.sum : total), 0)
}

describe('series of a process', () => {
  it('have every label of the contract while there is room', () => {
    const { add, take } = series()
    add(ENDED, 1, { cluster: 'c', nodePool: 'p', reason: 'drifted', capacityType: 'spot', claim: 'not a label' })
    add(ENDED, 2, { cluster: 'c', nodePool: 'p', reason: 'drifted', capacityType: 'spot' })
    expect(take()).toEqual([
      {
        name: ENDED,
        dimensions: { cluster: 'c', nodePool: 'p', reason: 'drifted', capacityType: 'spot' },
        count: 2,
        sum: 3,
        least: 1,
        largest: 2,
      },
    ])
  })

  it('are never more than allowed, and lose no count: the last label becomes other first, then all labels but the cluster', () => {
    const own = series()
    const added = everyEnd((fields) => own.add(ENDED, 1, fields))
    const points = own.take()
    expect(added).toBeGreaterThan(MOST_SERIES - 1)
    expect(points.length).toBeLessThanOrEqual(MOST_SERIES)
    expect(sumOf(points, ENDED)).toBe(added)
    expect(own.dropped).toBe(0)
    const labels = points.map(({ dimensions: { nodePool, reason, terminationMode } }) => [nodePool, reason, terminationMode])
    const whole = labels.filter((each) => !each.includes('other'))
    const last = labels.filter(([nodePool, , terminationMode]) => nodePool !== 'other' && terminationMode === 'other')
    expect(whole.length).toBeGreaterThanOrEqual(0.9 * MOST_SERIES)
    expect(last.length).toBeGreaterThan(0)
    expect(whole.length + last.length + 1).toBe(labels.length)
    expect(labels).toContainEqual(['other', 'other', 'other'])
  })

  it('of a metric that comes late have room for one series a cluster, also beside newer values that are sent again', () => {
    const own = series()
    everyEnd((fields) => own.add(ENDED, 1, fields))
    const failed = own.take()
    everyEnd((fields) => own.add(ENDED, 1, fields))
    own.add('karpenter_pods_eviction_requests_total', 1, { cluster: 'c', code: '200' })
    own.putBack(failed)
    const points = own.take()
    expect(points.length).toBeLessThanOrEqual(MOST_SERIES)
    expect([sumOf(points, ENDED), sumOf(points, 'karpenter_pods_eviction_requests_total'), own.dropped]).toEqual([600, 1, 0])
  })

  it('of a state are left out rather than mixed, and that is counted', () => {
    const { add, take } = series(10)
    for (let pool = 0; pool < 12; pool++) add('nodepool.nodes', pool, { cluster: 'c', nodePool: `pool-${pool}`, capacityType: 'spot' })
    expect(take().map(({ dimensions }) => dimensions.nodePool)).toEqual(Array.from({ length: 10 }, (_, pool) => `pool-${pool}`))
  })

  it('have the cluster first, which no fold takes away', () => {
    for (const { dimensions } of Object.values(METRICS)) {
      const names: readonly string[] = dimensions
      expect(names.indexOf('cluster')).toBeLessThanOrEqual(0)
    }
  })
})
