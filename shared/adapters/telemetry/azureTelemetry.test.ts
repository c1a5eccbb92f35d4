import { describe, expect, it } from 'vitest'
import { createMonitored } from '../../../test/monitor/monitored.ts'
import { METRIC_PERIOD_MS } from './sending.ts'

const FAILED = { cluster: 'a', key: 'decide', errorCode: 'INPUT.INVALID' } as const

describe('what leaves', () => {
  it('is each event once, with the texts and numbers of the contract and no other', async () => {
    const { telemetry, ingestion } = createMonitored()
    const fields = {
      cluster: 'demo',
      decision: '7',
      nodePool: 'general',
      nodeClaim: 'general-a',
      sku: 'D4',
      zone: '1',
      capacityType: 'spot',
    }
    const more = { podPendingSeconds: 61.5, readySeconds: 50, initializationSeconds: undefined, podName: 'web-0' }
    telemetry.event('nodeclaim.initialized', { ...fields, ...more })
    await telemetry.flush()
    const [row, ...others] = ingestion.rows('AppEvents')
    expect(others).toEqual([])
    expect(row).toMatchObject({ Name: 'nodeclaim.initialized', AppRoleName: 'joiner' })
    expect(row?.Properties).toEqual(fields)
    expect(row?.Measurements).toEqual({ podPendingSeconds: 61.5, readySeconds: 50 })
  })

  it('is lines from warn up, with their code', async () => {
    const { telemetry, ingestion } = createMonitored()
    telemetry.debug('a')
    telemetry.info('b')
    telemetry.warn('c', { code: 'KUBE.CONFLICT', cluster: 'demo', size: 'D4' })
    telemetry.error('d')
    await telemetry.flush()
    expect(ingestion.rows('AppTraces').map(({ Message, Properties }) => [Message, Properties])).toEqual([
      ['c', { code: 'KUBE.CONFLICT', cluster: 'demo' }],
      ['d', {}],
    ])
  })

  it('is what was measured, added up over a period, and only if there was anything', async () => {
    const { telemetry, ingestion, clock } = createMonitored()
    for (const took of [10, 30]) telemetry.measure('decide_ms', took, { cluster: 'demo', claim: 'general-a' })
    for (const nodes of [3, 4]) telemetry.measure('nodepool.nodes', nodes, { cluster: 'demo', nodePool: 'p', capacityType: 'spot' })
    await telemetry.flush()
    expect(ingestion.rows('AppMetrics')).toEqual([])
    for (let period = 0; period < 3; period++) {
      clock.pass(METRIC_PERIOD_MS)
      await telemetry.flush()
    }
    expect(
      ingestion
        .rows('AppMetrics')
        .map(({ Name, Sum, Min, Max, ItemCount, Properties }) => ({ Name, Sum, Min, Max, ItemCount, Properties })),
    ).toEqual([
      { Name: 'decide_ms', Sum: 40, Min: 10, Max: 30, ItemCount: 2, Properties: { cluster: 'demo' } },
      {
        Name: 'nodepool.nodes',
        Sum: 4,
        Min: 4,
        Max: 4,
        ItemCount: 1,
        Properties: { cluster: 'demo', nodePool: 'p', capacityType: 'spot' },
      },
    ])
  })

  it('is compressed and carries the token of the identity', async () => {
    const { telemetry, ingestion } = createMonitored()
    telemetry.event('work.failed', FAILED)
    await telemetry.flush()
    expect(ingestion.requests.map(({ headers }) => headers['content-encoding'])).toEqual(['gzip'])
    expect(ingestion.rows('AppEvents')).toHaveLength(1)
  })

  it('is nothing while nothing was said', async () => {
    const { telemetry, ingestion } = createMonitored()
    await telemetry.flush()
    expect(ingestion.requests).toEqual([])
  })
})

describe('when Azure Monitor is in trouble', () => {
  it.each([401, 403, 408, 429, 439, 402, 500, 503] as const)('rows wait after %i and come once', async (status) => {
    const { telemetry, ingestion, clock } = createMonitored()
    ingestion.trouble({ status, retryAfter: '60' })
    telemetry.event('work.failed', FAILED)
    await telemetry.flush()
    clock.pass(59_000)
    await telemetry.flush()
    expect(ingestion.requests).toHaveLength(1)
    clock.pass(1_000)
    await telemetry.flush()
    expect(ingestion.rows('AppEvents')).toHaveLength(1)
  })

  it('sends again of a partial success only what may be taken later', async () => {
    const { telemetry, ingestion, clock } = createMonitored()
    ingestion.trouble({ status: 206, rows: { 1: 503, 2: 400 } })
    for (const key of ['a', 'b', 'c', 'd']) telemetry.event('work.failed', { cluster: 'a', key, errorCode: 'INPUT.INVALID' })
    await telemetry.flush()
    clock.pass(60_000)
    await telemetry.flush()
    expect(ingestion.rows('AppEvents').map(({ Properties }) => Properties['key'])).toEqual(['a', 'd', 'b'])
    expect(ingestion.requests).toHaveLength(2)
    clock.pass(METRIC_PERIOD_MS)
    await telemetry.flush()
    expect(ingestion.rows('AppMetrics')).toMatchObject([{ Name: 'telemetry.dropped', Sum: 1 }])
  })

  it.each([307, 308] as const)('follows a redirect of %i within Azure Monitor, and no other', async (status) => {
    const { telemetry, ingestion, clock } = createMonitored()
    ingestion.trouble({ status, location: 'https://elsewhere.example/v2.1/track' })
    telemetry.event('work.failed', FAILED)
    await telemetry.flush()
    expect(ingestion.requests).toHaveLength(1)
    clock.pass(60_000)
    ingestion.trouble({ status, location: 'https://northeurope-2.in.applicationinsights.azure.com/v2.1/track' })
    await telemetry.flush()
    expect(ingestion.requests.map(({ url }) => new URL(url).hostname.split('-')[0])).toEqual(['westeurope', 'westeurope', 'northeurope'])
    expect(ingestion.rows('AppEvents')).toHaveLength(1)
  })

  it('holds measures until they are taken', async () => {
    const { telemetry, ingestion, clock } = createMonitored()
    ingestion.trouble({ status: 503 })
    telemetry.measure('decide_ms', 1, { cluster: 'demo' })
    clock.pass(METRIC_PERIOD_MS)
    await telemetry.flush()
    telemetry.measure('decide_ms', 2, { cluster: 'demo' })
    clock.pass(METRIC_PERIOD_MS)
    await telemetry.flush()
    expect(ingestion.rows('AppMetrics')).toMatchObject([{ Sum: 3, ItemCount: 2 }])
  })

  it('counts measures that are refused', async () => {
    const { telemetry, ingestion, clock } = createMonitored()
    ingestion.trouble({ status: 206, rows: { 0: 400 } })
    telemetry.measure('decide_ms', 1, { cluster: 'demo' })
    for (let period = 0; period < 2; period++) {
      clock.pass(METRIC_PERIOD_MS)
      await telemetry.flush()
    }
    expect(ingestion.rows('AppMetrics')).toMatchObject([{ Name: 'telemetry.dropped', Sum: 1 }])
  })

  it('keeps a bounded number of rows while the network is down, the first ones, and counts the others', async () => {
    let isDown = true
    const { telemetry, ingestion, clock } = createMonitored({ isDown: () => isDown })
    for (let number = 0; number < 2_500; number++) {
      telemetry.event('work.failed', { cluster: 'a', key: String(number), errorCode: undefined })
      if (number % 100 === 0) await telemetry.flush()
      clock.pass(1_000)
    }
    isDown = false
    clock.pass(METRIC_PERIOD_MS)
    await telemetry.flush()
    const kept = ingestion.rows('AppEvents').map(({ Properties }) => Properties['key'])
    expect(kept).toEqual(Array.from({ length: 2_000 }, (_, number) => String(number)))
    expect(ingestion.rows('AppMetrics')).toMatchObject([{ Name: 'telemetry.dropped', Sum: 500 }])
  })

  it('pauses longer after each failure, five minutes at most', async () => {
    const tries: number[] = []
    let second = 0
    const { telemetry, clock } = createMonitored({ isDown: () => tries.push(second) > 0 })
    telemetry.event('work.failed', FAILED)
    for (; second < 1_000; second++) {
      await telemetry.flush()
      clock.pass(1_000)
    }
    expect(tries).toEqual([0, 5, 15, 35, 75, 155, 315, 615, 915])
  })

  it('lets nobody wait: one request at a time, and what is said meanwhile goes with the next', async () => {
    const { telemetry, ingestion, waiting } = createMonitored({ slow: true })
    telemetry.event('work.failed', FAILED)
    const first = telemetry.flush()
    await expect.poll(() => waiting.length).toBe(1)
    for (let number = 0; number < 10; number++) {
      telemetry.event('work.failed', FAILED)
      void telemetry.flush()
    }
    expect(ingestion.requests).toHaveLength(1)
    waiting[0]?.()
    await expect.poll(() => waiting.length).toBe(2)
    waiting[1]?.()
    await first
    expect(ingestion.rows('AppEvents')).toHaveLength(11)
  })
})

describe('a metric with too many series', () => {
  it('stays within 300 of them and counts what found no place', async () => {
    const { telemetry, ingestion, clock } = createMonitored()
    for (let pool = 0; pool < 1_000; pool++) {
      telemetry.measure('nodepool.limit.used', 1, { cluster: 'demo', nodePool: `pool-${pool}` })
    }
    clock.pass(METRIC_PERIOD_MS)
    await telemetry.flush()
    clock.pass(METRIC_PERIOD_MS)
    await telemetry.flush()
    expect(ingestion.rows('AppMetrics').filter(({ Name }) => Name === 'nodepool.limit.used')).toHaveLength(300)
    expect(ingestion.rows('AppMetrics').filter(({ Name }) => Name === 'telemetry.dropped')).toMatchObject([{ Sum: 700 }])
  })
})
