import { describe, expect, it } from 'vitest'
import type { AskedCores, QuotaUsages } from '../../shared/model/askedCores.ts'
import { clusterId, nodeClaimName, nodeClassName, vmSizeName, zoneName } from '../../shared/model/ids.ts'
import type { SizeReport } from '../../shared/model/sizeReport.ts'
import type { UnavailableOffering, UnavailableScope } from '../../shared/model/unavailableOffering.ts'
import type { OfferingStore } from '../../shared/ports/offeringStore.ts'
import { hence, NOW } from '../builders/clock.ts'
import { type Closing, fresh, SIGNAL } from './harness.ts'

export type OfferingStoreHarness = Closing & {
  readonly offerings: OfferingStore
  /** The same offerings, as another process sees them. */
  readonly other: OfferingStore
}

const DAY = 24 * 3_600_000
const D4: UnavailableScope = { kind: 'offering', size: vmSizeName('Standard_D4as_v6'), zone: zoneName('eastus-1'), capacityType: 'spot' }
const FAMILY: UnavailableScope = { kind: 'family', family: 'standardDasv6Family', minCpus: 8 }
const SPOT: UnavailableScope = { kind: 'capacityType', capacityType: 'spot' }

const QUOTA: QuotaUsages = {
  readAt: NOW,
  usages: {
    cores: { limit: 20, used: 0 },
    standarddasv6family: { limit: 20, used: 10 },
    lowprioritycores: { limit: 4, used: 0 },
  },
}

function cores(claim: string, cpus: number, over: Partial<AskedCores> = {}): AskedCores {
  const machine = { family: 'standardDASv6Family', capacityType: 'on-demand', at: NOW } as const
  return { cluster: clusterId('one'), claim: nodeClaimName(claim), cpus, ...machine, ...over }
}

function blocked(scope: UnavailableScope, forMs: number): UnavailableOffering {
  return { scope, until: hence(forMs), code: 'AZURE.ALLOCATION.ZONE', message: 'no capacity' }
}

export function describeOfferingStore(name: string, make: () => Promise<OfferingStoreHarness> | OfferingStoreHarness): void {
  describe(`${name} as an offering store`, () => {
    it('blocks nothing at first', async () => {
      const { offerings } = await fresh(make)
      expect(await offerings.unavailable(NOW, SIGNAL)).toEqual([])
    })

    it('keeps what holds for one cluster beside what holds for all, and beside that of another cluster', async () => {
      const { offerings, other } = await fresh(make)
      const own = (of: string, forMs: number) => ({ ...blocked(D4, forMs), of: clusterId(of) })
      for (const each of [own('one', 1_000), blocked(D4, 2_000), own('two', 3_000)])
        expect(await offerings.mark([each], NOW, SIGNAL)).toEqual([each])
      expect(await other.unavailable(NOW, SIGNAL)).toEqual([own('one', 1_000), blocked(D4, 2_000), own('two', 3_000)])
    })

    it('blocks every kind of scope, for every process, until its time', async () => {
      const { offerings, other } = await fresh(make)
      const all = [blocked(D4, 1_000), blocked(FAMILY, 2_000), blocked(SPOT, 3_000)]
      await offerings.mark(all, NOW, SIGNAL)
      expect(await other.unavailable(NOW, SIGNAL)).toEqual(expect.arrayContaining(all))
      const standing = (await other.unavailable(hence(2_000), SIGNAL)).filter(({ until }) => until > hence(2_000))
      expect(standing).toEqual([blocked(SPOT, 3_000)])
    })

    it('keeps the later of two ends of one scope', async () => {
      const { offerings } = await fresh(make)
      await offerings.mark([blocked(D4, 2_000)], NOW, SIGNAL)
      await offerings.mark([blocked(D4, 1_000)], NOW, SIGNAL)
      await offerings.mark([blocked(FAMILY, 1_000)], NOW, SIGNAL)
      await offerings.mark([blocked(FAMILY, 2_000)], NOW, SIGNAL)
      const ends = (await offerings.unavailable(NOW, SIGNAL)).map((offering) => offering.until)
      expect(ends).toEqual([hence(2_000), hence(2_000)])
    })

    it('blocks for longer what is refused again after its block, and says so', async () => {
      const { offerings, other } = await fresh(make)
      expect(await offerings.mark([blocked(D4, 1_000), blocked(SPOT, 9_000)], NOW, SIGNAL)).toEqual([
        blocked(D4, 1_000),
        blocked(SPOT, 9_000),
      ])
      const [again] = await other.mark([blocked(D4, 2_000)], hence(1_000), SIGNAL)
      expect(again).toMatchObject({ scope: D4, until: hence(3_000), again: { times: 2, at: hence(1_000), openedAt: hence(1_000) } })
      expect(await offerings.unavailable(hence(2_000), SIGNAL)).toEqual(expect.arrayContaining([again]))
    })

    it('counts a burst of refusals after a block once', async () => {
      const { offerings, other } = await fresh(make)
      await offerings.mark([blocked(D4, 1_000)], NOW, SIGNAL)
      const marks = Array.from({ length: 16 }, (_, index) =>
        (index % 2 === 0 ? offerings : other).mark([blocked(D4, 2_000)], hence(1_000), SIGNAL),
      )
      const times = (await Promise.all(marks)).map(([each]) => each?.again?.times)
      expect(new Set(times)).toEqual(new Set([2]))
    })

    it('forgets refusals of what was made since', async () => {
      const { offerings, other } = await fresh(make)
      await offerings.mark([blocked(D4, 1_000), blocked(SPOT, 1_000)], NOW, SIGNAL)
      await other.made([{ scope: D4, launchedAt: hence(1_000) }], hence(1_000), SIGNAL)
      expect(await offerings.unavailable(hence(1_000), SIGNAL)).toEqual([blocked(SPOT, 1_000)])
    })

    it('forgets at last what is not refused any more', async () => {
      const { offerings } = await fresh(make)
      await offerings.mark([blocked(D4, 1_000)], NOW, SIGNAL)
      expect(await offerings.unavailable(hence(DAY), SIGNAL)).toEqual([])
    })

    it('loses no mark of two processes at once', async () => {
      const { offerings, other } = await fresh(make)
      await Promise.all([offerings.mark([blocked(D4, 1_000)], NOW, SIGNAL), other.mark([blocked(FAMILY, 1_000)], NOW, SIGNAL)])
      expect(await offerings.unavailable(NOW, SIGNAL)).toHaveLength(2)
    })

    it('grants cores while their quotas have room beside those in flight, for every process', async () => {
      const { offerings, other } = await fresh(make)
      expect(await offerings.ask(cores('a', 8), QUOTA, SIGNAL)).toBe(true)
      expect(await other.ask(cores('b', 4), QUOTA, SIGNAL)).toBe(false)
      expect(await other.ask(cores('c', 2), QUOTA, SIGNAL)).toBe(true)
      expect(await other.ask(cores('d', 16, { family: 'standardEasv6Family' }), QUOTA, SIGNAL)).toBe(false)
      expect(await other.ask(cores('d', 4, { capacityType: 'spot' }), QUOTA, SIGNAL)).toBe(true)
      expect((await offerings.asked(NOW, SIGNAL)).map(({ claim }) => claim)).toEqual(['a', 'c', 'd'])
    })

    it('counts a claim once, and not after it is withdrawn', async () => {
      const { offerings, other } = await fresh(make)
      await offerings.ask(cores('a', 8), QUOTA, SIGNAL)
      expect(await offerings.ask(cores('a', 10), QUOTA, SIGNAL)).toBe(true)
      expect(await other.asked(NOW, SIGNAL)).toEqual([cores('a', 10)])
      await other.withdraw(cores('a', 10, { cluster: clusterId('two') }), NOW, SIGNAL)
      expect(await offerings.asked(NOW, SIGNAL)).toHaveLength(1)
      await other.withdraw(cores('a', 10), NOW, SIGNAL)
      expect(await offerings.asked(NOW, SIGNAL)).toEqual([])
    })

    it('keeps cores in flight beside refusals, and forgets them after a while', async () => {
      const { offerings, other } = await fresh(make)
      await Promise.all([offerings.ask(cores('a', 8), QUOTA, SIGNAL), other.mark([blocked(D4, 1_000)], NOW, SIGNAL)])
      expect([await other.asked(NOW, SIGNAL), await offerings.unavailable(NOW, SIGNAL)]).toEqual([[cores('a', 8)], [blocked(D4, 1_000)]])
      expect(await other.asked(hence(DAY), SIGNAL)).toEqual([])
    })

    it('grants no more than there is, to a burst of two processes', async () => {
      const { offerings, other } = await fresh(make)
      const asks = Array.from({ length: 32 }, (_, index) => (index % 2 === 0 ? offerings : other).ask(cores(`c${index}`, 2), QUOTA, SIGNAL))
      expect((await Promise.all(asks)).filter(Boolean)).toHaveLength(5)
    })

    it('keeps what machines say about sizes, for every process, beside the rest, and counts a machine once', async () => {
      const { offerings, other } = await fresh(make)
      const said = (claim: string): SizeReport => ({
        kind: 'notBooted',
        cluster: clusterId('one'),
        claim: nodeClaimName(claim),
        nodeClass: nodeClassName('default'),
        size: vmSizeName('Standard_D4as_v6'),
        launchedAt: NOW,
        at: hence(1_000),
      })
      await Promise.all([offerings.report([said('a')], NOW, SIGNAL), other.report([said('b')], NOW, SIGNAL)])
      await offerings.mark([blocked(D4, 1_000)], NOW, SIGNAL)
      await other.report([{ ...said('a'), at: hence(9_000), isProven: true }], NOW, SIGNAL)
      const known = await offerings.reports(NOW, SIGNAL)
      expect(known).toHaveLength(2)
      expect(known).toEqual(expect.arrayContaining([{ ...said('a'), isProven: true }, said('b')]))
      expect(await other.unavailable(NOW, SIGNAL)).toHaveLength(1)
      expect(await other.reports(hence(DAY), SIGNAL)).toEqual([])
    })

    it('takes a burst: 128 marks of two processes at once', async () => {
      const { offerings, other } = await fresh(make)
      const sizes = Array.from({ length: 128 }, (_, index) =>
        blocked({ kind: 'offering', size: vmSizeName(`Standard_D${index}as_v6`) }, 1_000),
      )
      await Promise.all(sizes.map((mark, index) => (index % 2 === 0 ? offerings : other).mark([mark], NOW, SIGNAL)))
      expect(await offerings.unavailable(NOW, SIGNAL)).toHaveLength(128)
    })
  })
}
