import { describe, expect, it } from 'vitest'
import { hence, NOW } from '../../../test/builders/clock.ts'
import type { AskedCores, QuotaUsages } from '../../model/askedCores.ts'
import { clusterId, nodeClaimName, vmSizeName } from '../../model/ids.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import type { OfferingStore } from '../../ports/offeringStore.ts'
import { RECENT_MS, withQuotaInFlight, withRecentReads } from './recentOfferings.ts'

const SIGNAL = new AbortController().signal

function refusal(size: string, ms = 600_000): UnavailableOffering {
  return { scope: { kind: 'offering', size: vmSizeName(size) }, until: hence(ms), code: 'AZURE.QUOTA.FAMILY', message: 'no quota' }
}

/** A store whose content another process can change. */
function sharedStore() {
  let content: readonly UnavailableOffering[] = []
  let reads = 0
  const store: OfferingStore = {
    unavailable: () => {
      reads++
      return Promise.resolve(content)
    },
    mark: (refusals) => {
      content = [...content, ...refusals]
      return Promise.resolve(refusals)
    },
    made: () => {
      content = []
      return Promise.resolve()
    },
    asked: () => Promise.resolve([]),
    ask: (machine) => Promise.resolve(machine.cpus <= 2),
    withdraw: () => Promise.resolve(),
    reports: () => Promise.resolve([]),
    report: () => Promise.resolve(),
  }
  return { store, reads: () => reads, refuseElsewhere: (offering: UnavailableOffering) => void (content = [...content, offering]) }
}

describe('recent reads of unavailable offerings', () => {
  it('serve a burst with one read', async () => {
    const { store, reads } = sharedStore()
    const recent = withRecentReads(store)
    for (let ms = 0; ms < RECENT_MS; ms += 10) await recent.unavailable(hence(ms), SIGNAL)
    expect(reads()).toBe(1)
  })

  it('serve claims that read at the same time with one read, and each by itself if that fails', async () => {
    const { store, reads } = sharedStore()
    const recent = withRecentReads(store)
    await Promise.all(Array.from({ length: 50 }, () => recent.unavailable(NOW, SIGNAL)))
    expect(reads()).toBe(1)
    let calls = 0
    const failsOnce = { ...store, asked: () => (calls++ === 0 ? Promise.reject(new Error('out of time')) : Promise.resolve([])) }
    const other = withRecentReads(failsOnce)
    const [first, second] = await Promise.allSettled([other.unavailable(NOW, SIGNAL), other.unavailable(NOW, SIGNAL)])
    expect([first.status, second.status]).toEqual(['rejected', 'fulfilled'])
  })

  it('show what another process was refused once they are two seconds old', async () => {
    const { store, refuseElsewhere } = sharedStore()
    const recent = withRecentReads(store)
    await recent.unavailable(NOW, SIGNAL)
    refuseElsewhere(refusal('Standard_D4as_v6'))
    expect(await recent.unavailable(hence(RECENT_MS - 1), SIGNAL)).toEqual([])
    expect(await recent.unavailable(hence(RECENT_MS), SIGNAL)).toEqual([refusal('Standard_D4as_v6')])
  })

  it.each<[string, (store: OfferingStore) => Promise<unknown>, readonly UnavailableOffering[]]>([
    ['mark', (store) => store.mark([refusal('Standard_D8as_v6')], NOW, SIGNAL), [refusal('Standard_D4as_v6'), refusal('Standard_D8as_v6')]],
    ['made', (store) => store.made([], NOW, SIGNAL), []],
  ])('are not used after a %s of this process', async (_, write, expected) => {
    const { store, refuseElsewhere } = sharedStore()
    const recent = withRecentReads(store)
    refuseElsewhere(refusal('Standard_D4as_v6'))
    await recent.unavailable(NOW, SIGNAL)
    await write(recent)
    expect(await recent.unavailable(NOW, SIGNAL)).toEqual(expected)
  })

  it('are not kept if a write ended while they were under way', async () => {
    const { store } = sharedStore()
    const { promise: late, resolve: answer } = Promise.withResolvers<readonly UnavailableOffering[]>()
    const slow = { ...store, unavailable: () => late }
    const recent = withRecentReads(slow)
    const reading = recent.unavailable(NOW, SIGNAL)
    await recent.mark([refusal('Standard_D4as_v6')], NOW, SIGNAL)
    answer([])
    await reading
    slow.unavailable = store.unavailable as typeof slow.unavailable
    expect(await recent.unavailable(NOW, SIGNAL)).toEqual([refusal('Standard_D4as_v6')])
  })

  it('are not used if the clock was set back', async () => {
    const { store, reads, refuseElsewhere } = sharedStore()
    const recent = withRecentReads(store)
    refuseElsewhere(refusal('Standard_D4as_v6'))
    await recent.unavailable(NOW, SIGNAL)
    await recent.unavailable(hence(-1), SIGNAL)
    expect(reads()).toBe(2)
  })

  it('are not kept if they fail', async () => {
    const { store } = sharedStore()
    let fails = true
    const recent = withRecentReads({
      ...store,
      unavailable: (now, signal) => (fails ? Promise.reject(new Error('away')) : store.unavailable(now, signal)),
    })
    await expect(recent.unavailable(NOW, SIGNAL)).rejects.toThrow('away')
    fails = false
    expect(await recent.unavailable(NOW, SIGNAL)).toEqual([])
  })
})

describe('cores in flight', () => {
  const machine = (cpus: number): AskedCores => ({
    ...{ cluster: clusterId('c'), claim: nodeClaimName('n'), family: 'f', capacityType: 'spot', at: NOW },
    cpus,
  })
  const quota: QuotaUsages = { readAt: NOW, usages: { lowprioritycores: { limit: 4, used: 0 } } }

  it('cost no further read while they are granted, and a read once they are not', async () => {
    const { store, reads } = sharedStore()
    const recent = withRecentReads(store)
    await recent.unavailable(NOW, SIGNAL)
    for (let times = 0; times < 10; times++) expect(await recent.ask(machine(2), quota, SIGNAL)).toBe(true)
    await recent.unavailable(NOW, SIGNAL)
    expect(reads()).toBe(1)
    expect(await recent.ask(machine(4), quota, SIGNAL)).toBe(false)
    await recent.unavailable(NOW, SIGNAL)
    expect(reads()).toBe(2)
  })

  it('are read with the refusals, and not read after they were withdrawn', async () => {
    const { store } = sharedStore()
    let asked = [machine(2)]
    const recent = withRecentReads({ ...store, asked: () => Promise.resolve(asked) })
    await recent.unavailable(NOW, SIGNAL)
    asked = []
    expect(await recent.asked(NOW, SIGNAL)).toEqual([machine(2)])
    await recent.withdraw(machine(2), NOW, SIGNAL)
    expect(await recent.asked(NOW, SIGNAL)).toEqual([])
  })

  it('are read with what machines say about sizes, and not read after a report', async () => {
    const { store, reads } = sharedStore()
    const recent = withRecentReads(store)
    await recent.unavailable(NOW, SIGNAL)
    expect(await recent.reports(NOW, SIGNAL)).toEqual([])
    expect(reads()).toBe(1)
    await recent.report([], NOW, SIGNAL)
    await recent.reports(NOW, SIGNAL)
    expect(reads()).toBe(2)
  })

  it.each([
    ['beside the refusals, if a quota has no room', [machine(4)], quota, ['AZURE.QUOTA.FAMILY', 'AZURE.QUOTA.SPOT']],
    ['not at all if there are none', [], quota, ['AZURE.QUOTA.FAMILY']],
    ['not at all if the quota is not known', [machine(4)], undefined, ['AZURE.QUOTA.FAMILY']],
  ])('keep offerings from being planned %s', async (_sentence, asked, known, expected) => {
    const { store, refuseElsewhere } = sharedStore()
    refuseElsewhere(refusal('Standard_D4as_v6'))
    const counted = withQuotaInFlight({ ...store, asked: () => Promise.resolve(asked) }, { quota: () => Promise.resolve(known) })
    expect((await counted.unavailable(NOW, SIGNAL)).map(({ code }) => code)).toEqual(expected)
  })
})
