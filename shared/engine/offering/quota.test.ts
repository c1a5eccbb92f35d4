import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import type { AskedCores, QuotaUsages } from '../../model/askedCores.ts'
import { clusterId, nodeClaimName } from '../../model/ids.ts'
import { shortages } from './quota.ts'

const FAMILY = 'standardDASv6Family'

function asked(cpus: number, over: Partial<AskedCores> = {}): AskedCores {
  return { cluster: clusterId('c'), claim: nodeClaimName(`n${cpus}`), family: FAMILY, capacityType: 'on-demand', cpus, at: NOW, ...over }
}

function usages(over: QuotaUsages['usages'], readAt = NOW): QuotaUsages {
  return { readAt, usages: over }
}

describe('the offerings that cores in flight leave no room for', () => {
  it('are the sizes of the family, of the region and of spot with more cores than are left', () => {
    const quota = usages({
      standarddasv6family: { limit: 20, used: 10 },
      cores: { limit: 40, used: 10 },
      lowprioritycores: { limit: 8, used: 8 },
    })
    const found = shortages(quota, [asked(4), asked(2, { capacityType: 'spot' })], NOW)
    expect(found.map(({ scope, code }) => [code, scope])).toEqual([
      ['AZURE.QUOTA.FAMILY', { kind: 'family', family: FAMILY, minCpus: 7, capacityType: 'on-demand' }],
      ['AZURE.QUOTA.REGION', { kind: 'capacityType', capacityType: 'on-demand', minCpus: 27 }],
      ['AZURE.QUOTA.SPOT', { kind: 'capacityType', capacityType: 'spot', minCpus: 1 }],
    ])
    expect(found[0]?.message).toBe(`${FAMILY} has 10 of 20 cores in use, and machines with 4 more cores are on their way`)
  })

  it('stand until the usage is read again', () => {
    const quota = (readAt: QuotaUsages['readAt']) => usages({ cores: { limit: 4, used: 0 } }, readAt)
    expect(shortages(quota(ago(MINUTE)), [asked(4)], NOW).map(({ until }) => until)).toEqual([hence(9 * MINUTE)])
    expect(shortages(quota(ago(14 * MINUTE)), [asked(4)], NOW).map(({ until }) => until)).toEqual([hence(MINUTE)])
  })

  it.each<[string, readonly AskedCores[], QuotaUsages]>([
    ['nothing is in flight', [], usages({ cores: { limit: 2, used: 2 } })],
    ['Azure tells no usage', [asked(4)], usages({})],
    ['the quota is large', [asked(4)], usages({ cores: { limit: 5_000, used: 0 } })],
    ['the usage counts the machine', [asked(4, { at: ago(MINUTE) })], usages({ cores: { limit: 4, used: 4 } })],
    ['a reservation pays for the machine', [asked(4, { capacityType: 'reserved' })], usages({ cores: { limit: 4, used: 4 } })],
  ])('are none if %s', (_sentence, inFlight, quota) => {
    expect(shortages(quota, inFlight, NOW)).toEqual([])
  })

  it('count a machine that was asked for shortly before the usage was read', () => {
    expect(shortages(usages({ cores: { limit: 8, used: 4 } }), [asked(4, { at: ago(MINUTE - SECOND) })], NOW)).toHaveLength(1)
  })
})
