import { describe, expect, it } from 'vitest'
import { decode } from '../codec.ts'
import { nodePoolFromKube } from '../kube/nodePool.ts'
import { nodePool } from './node.ts'
import { withStarts } from './schedule.ts'

const read = (schedule: string) => withStarts({ nodes: '0', schedule }).starts

describe('the schedule of a budget', () => {
  it.each([
    ['@hourly', '0 * * * *'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@weekly', '0 0 * * 0'],
    ['@monthly', '0 0 1 * *'],
    ['@yearly', '0 0 1 1 *'],
    ['@annually', '0 0 1 1 *'],
    ['0 0 * JUL sun', '0 0 * 7 0'],
    ['0 0 * * ?', '0 0 * * *'],
  ])('%s says the same as %s', (schedule, plain) => {
    expect(read(schedule)).toEqual(read(plain))
    expect(read(schedule)).toMatchObject({ timeZone: 'UTC' })
  })

  it('has a time zone of its own', () => {
    expect(read('CRON_TZ=Europe/Berlin 0 9 * * 1-5')).toMatchObject({ hours: [9], weekdays: [1, 2, 3, 4, 5], timeZone: 'Europe/Berlin' })
    expect(read('CRON_TZ=Europe/Berlin @daily')).toMatchObject({ hours: [0], minutes: [0], timeZone: 'Europe/Berlin' })
  })

  it('means either date or weekday where both are said', () => {
    expect(read('0 0 13 * 5')).toMatchObject({ isEitherDay: true })
    expect(read('0 0 13 * *')).toMatchObject({ isEitherDay: false })
  })

  it.each([
    ['0 9 * * FRI-MON', /larger/],
    ['61 * * * *', /minute/],
    ['* * * *', /five/],
    ['0 0 L * *', /five plain fields/],
    ['0 0 * * 5#2', /five plain fields/],
    ['CRON_TZ=Mars/Base 0 0 * * *', /time zone/],
    ['@every 1h', /five/],
  ])('%s is one that nobody can read', (schedule, problem) => {
    expect(read(schedule)).toEqual({ problem: expect.stringMatching(problem) })
  })

  it('is read from the API and from the log alike, and stored as it was written', () => {
    const budgets = [{ nodes: '0', schedule: '@daily', duration: '10m' }]
    const pool = nodePoolFromKube({
      metadata: { name: 'p', uid: 'u' },
      spec: {
        disruption: { budgets },
        template: { spec: { nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' } } },
      },
    })
    if (!pool.ok) throw new Error(pool.error.message)
    const stored: unknown = JSON.parse(JSON.stringify(nodePool.write(pool.value)))
    expect(JSON.stringify(stored)).not.toContain('starts')
    expect(decode(nodePool, stored, { object: 'pool' })).toEqual({ ok: true, value: pool.value })
    expect(pool.value.disruption.budgets[0]?.starts).toMatchObject({ hours: [0] })
  })
})
