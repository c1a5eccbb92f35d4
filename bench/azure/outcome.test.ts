import { describe, expect, it } from 'vitest'
import type { LoggedRequest } from '../../local/azure/requestLog.ts'
import type { VmSize } from '../../local/azure/sizes/vmSize.ts'
import { aboveCheapest, beforeRetryAfter, cheaperThanFree, createsOf, hasQuota, type MadeMachine, offeringsOf } from './outcome.ts'

function size(name: string, onDemandUsd: number, spotUsd?: number): VmSize {
  const capabilities = { LowPriorityCapable: spotUsd === undefined ? 'False' : 'True' }
  return {
    name,
    family: `${name}Family`,
    cpus: 2,
    memoryGib: 8,
    gpus: 0,
    zones: ['1'],
    capabilities,
    onDemandUsd,
    ...(spotUsd && { spotUsd }),
  }
}

const SIZES = [size('A', 1, 0.2), size('B', 2)]
const BY_NAME = new Map(SIZES.map((each) => [each.name, each]))
const OFFERED = offeringsOf(SIZES)
const put = (at: number, status: number, type = 'virtualMachines'): LoggedRequest => ({ at, method: 'PUT', path: '', type, status })
const onDemand = (name: string): MadeMachine => ({ size: name, zone: '1', capacityType: 'on-demand' })

describe('figures of Azure', () => {
  it('creates of machines are counted, and of them the refused ones', () => {
    expect(
      createsOf([put(0, 201), put(0, 409), put(0, 201), put(0, 400), put(0, 429), put(0, 412), put(0, 400, 'networkInterfaces')]),
    ).toEqual({ creates: 4, refusals: 2 })
  })

  it('a create within the pause after a throttled one is counted, and one that was under way is not', () => {
    expect(beforeRetryAfter([put(0, 429), put(10, 201), put(500, 201), put(1_000, 201)], 1_000, 100)).toBe(1)
  })

  it('offerings are those of all zones, without a zone, and as spot where the size is sold so', () => {
    expect(OFFERED.map(({ usd }) => usd)).toEqual([0.2, 0.2, 1, 1, 2, 2])
  })

  it('each offering that is cheaper than the cheapest free one is refused once before', () => {
    expect(cheaperThanFree(OFFERED, ({ capacityType, size: { name } }) => capacityType === 'on-demand' && name === 'A')).toBe(2)
    expect(cheaperThanFree(OFFERED, () => true)).toBe(0)
    expect(cheaperThanFree(OFFERED, () => false)).toBe(OFFERED.length)
  })

  it('the price is compared with the cheapest offerings that the quotas leave, in whichever order the machines were made', () => {
    const isFree = hasQuota(2, BY_NAME)
    const spot: MadeMachine = { size: 'A', zone: '1', capacityType: 'spot' }
    expect(aboveCheapest([spot, onDemand('A'), onDemand('B')], OFFERED, isFree)).toBeCloseTo(0)
    expect(aboveCheapest([onDemand('B'), onDemand('A'), spot], OFFERED, isFree)).toBeCloseTo(0)
    expect(aboveCheapest([onDemand('A'), onDemand('B')], OFFERED, isFree)).toBeCloseTo(3 / 1.2 - 1)
    expect(aboveCheapest([], OFFERED, isFree)).toBeNaN()
  })
})
