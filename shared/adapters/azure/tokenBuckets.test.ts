import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTokenBuckets, type LimitName, limitsOf } from './tokenBuckets.ts'

const GROUP = 'https://management.azure.com/subscriptions/s/resourceGroups/g/providers'
const VMS = `${GROUP}/Microsoft.Compute/virtualMachines`
const NIC = `${GROUP}/Microsoft.Network/networkInterfaces/a`

function answer(headers: Readonly<Record<string, string>> = {}) {
  return { headers: new Map(Object.entries(headers)) }
}

function counted() {
  let now = 0
  const ticketOf = createTokenBuckets(() => now)
  let calls = 0
  const come = (name = `m-${++calls}`) => ticketOf({ method: 'PUT', url: `${VMS}/${name}?api-version=1` }, 's')
  return {
    come,
    pass: (ms: number) => void (now += ms),
    use: (count: number, headers?: Readonly<Record<string, string>>) => {
      for (let n = 0; n < count; n++) {
        const ticket = come()
        expect([ticket.waitMs(), ticket.take()]).toEqual([0, true])
        ticket.end(answer(headers))
      }
    },
  }
}

describe('the limits that a call counts against', () => {
  it.each<[method: string, url: string, want: readonly LimitName[]]>([
    ['GET', 'https://management.azure.com/subscriptions/s/resourceGroups/g', ['reads']],
    ['GET', `${VMS}?api-version=1`, ['reads', 'listVms']],
    ['GET', `${VMS}/a?api-version=1`, ['reads', 'getVm']],
    ['GET', `${VMS}/a/instanceView?api-version=1`, ['reads', 'getVm']],
    ['PUT', `${VMS}/a`, ['writes', 'putVm']],
    ['PATCH', `${VMS}/a`, ['writes', 'updateVm']],
    ['PUT', `${VMS}/a/extensions/x`, ['writes', 'updateVm']],
    ['DELETE', `${VMS}/a/extensions/x`, ['deletes', 'updateVm']],
    ['POST', `${VMS}/a/simulateEviction`, ['writes', 'deleteVm']],
    ['DELETE', `${VMS}/a?forceDeletion=true`, ['deletes', 'deleteVm']],
    ['GET', `${GROUP}/Microsoft.Compute/locations/eastus/operations/o`, ['reads', 'getVmOperation']],
    ['GET', `${GROUP}/Microsoft.Compute/locations/eastus/usages`, ['reads']],
    ['PATCH', `${GROUP}/Microsoft.Compute/disks/a`, ['writes']],
    ['PUT', NIC, ['writes', 'networkWrites']],
    ['DELETE', NIC, ['deletes', 'networkWrites']],
    ['GET', `${GROUP}/Microsoft.Network/locations/eastus/operations/o`, ['reads', 'networkReads']],
  ])('%s %s', (method, url, want) => {
    expect(limitsOf({ method, url })).toEqual(want)
  })
})

describe('calls within the limits of Azure', () => {
  it('go at once until the bucket is empty, then as it fills, in the order of arrival', () => {
    const { use, come, pass } = counted()
    use(200)
    const [first, second] = [come(), come()]
    expect([first.waitMs(), second.waitMs(), first.take()]).toEqual([100, 200, false])
    pass(100)
    expect([first.waitMs(), second.waitMs(), first.take(), second.take()]).toEqual([0, 100, true, false])
    pass(100)
    expect(second.take()).toBe(true)
  })

  it('are told to come again one after the other', () => {
    const { use, come } = counted()
    use(200)
    for (let n = 0; n < 50; n++) expect(come().waitMs()).toBe((n + 1) * 100)
    const late = [come(), come(), come()]
    expect(late.map((each) => each.comeAgain().waitMs).map((ms) => ms >= 5_100)).toEqual([true, true, true])
    expect(come().comeAgain().waitMs).toBe(5_400)
  })

  it('that were told to come again keep their place, whoever comes meanwhile', () => {
    const { use, come, pass } = counted()
    use(200)
    const told = ['a', 'b'].map((name) => come(name).comeAgain().waitMs)
    expect(told).toEqual([100, 200])
    pass(100)
    const late = come()
    expect([late.take(), late.waitMs()]).toEqual([false, 200])
    expect(come('a').take()).toBe(true)
    pass(100)
    expect([late.take(), late.waitMs()]).toEqual([false, 100])
    expect(come('b').take()).toBe(true)
    pass(100)
    expect(late.take()).toBe(true)
  })

  it('that were told to come again by one limit hold back no call of another limit', () => {
    let now = 0
    const ticketOf = createTokenBuckets(() => now)
    const come = (url: string) => ticketOf({ method: 'PUT', url }, 's')
    for (let n = 0; n < 1_600; n++) {
      // All writes fill as fast as this, interfaces do not.
      now += 100
      const ticket = come(`${NIC}-${n}`)
      if (ticket.take()) ticket.end(answer())
      else ticket.comeAgain()
    }
    for (let n = 0; n < 300; n++) come(`${NIC}-later-${n}`).comeAgain()
    now += 20_000
    const machine = come(`${VMS}/m`)
    expect([machine.waitMs() <= 0, machine.take()]).toEqual([true, true])
  })

  it('that were told to come again and stay away lose their place', () => {
    const { use, come, pass } = counted()
    use(200)
    expect(come('a').comeAgain().waitMs).toBe(100)
    pass(100)
    const late = come()
    expect(late.take()).toBe(false)
    late.end()
    pass(10_000)
    use(101)
    expect(come().take()).toBe(false)
  })

  it('are fewer if Azure says that others made calls, also for calls that wait, and more if it allows more than it publishes', () => {
    const { use, come, pass } = counted()
    const waiting = come()
    use(1, { 'x-ms-ratelimit-remaining-subscription-writes': '0' })
    expect([waiting.take(), waiting.waitMs()]).toEqual([false, 100])
    pass(100)
    expect(waiting.take()).toBe(true)
    waiting.end(answer({ 'x-ms-ratelimit-remaining-subscription-writes': '1199' }))
    use(1_199)
    expect(come().waitMs()).toBe(100)
  })

  it('that Azure may not have counted yet are counted here', () => {
    const { come } = counted()
    const [first, second, third] = [come(), come(), come()]
    expect([first.take(), second.take(), third.take()]).toEqual([true, true, true])
    first.end(answer({ 'x-ms-ratelimit-remaining-subscription-writes': '2' }))
    expect(come().waitMs()).toBe(100)
  })

  it('are fewer if Microsoft.Compute says so, whatever it allows for one machine', () => {
    const { use, come, pass } = counted()
    use(1, { 'x-ms-ratelimit-remaining-resource': 'Microsoft.Compute/PutVM3Min;237,Microsoft.Compute/PutVMResource;0' })
    use(1, { 'x-ms-ratelimit-remaining-resource': 'Microsoft.Compute/PutVM3Min;1,Microsoft.Compute/PutVM30Min;1197' })
    use(1)
    expect(come().waitMs()).toBe(120)
    pass(240)
    expect(come().waitMs()).toBe(0)
  })

  it.each([
    ['PUT', '', 12, 15_000],
    ['PATCH', '', 12, 15_000],
    ['POST', '/restart', 12, 15_000],
    ['DELETE', '', 12, 15_000],
    ['GET', '/instanceView', 36, 5_000],
  ])('are not more than one machine takes, and hold back no call for another one: %s%s', (method, part, size, waitMs) => {
    let now = 0
    const ticketOf = createTokenBuckets(() => now)
    const come = (name: string) => ticketOf({ method, url: `${VMS}/${name}${part}?api-version=1` }, 's')
    for (let n = 0; n < size; n++) {
      const ticket = come(n % 2 === 0 ? 'a' : 'A')
      expect([ticket.waitMs(), ticket.take()]).toEqual([0, true])
      ticket.end(answer())
    }
    const next = come('a')
    expect([next.waitMs(), next.take(), next.comeAgain()]).toEqual([waitMs, false, { waitMs, isOfOneMachine: true }])
    expect(come('b').take()).toBe(true)
    now += waitMs
    expect(come('a').take()).toBe(true)
  })

  it('are fewer for one machine if Microsoft.Compute says so of it', () => {
    const { come } = counted()
    const first = come('a')
    expect(first.take()).toBe(true)
    first.end(answer({ 'x-ms-ratelimit-remaining-resource': 'Microsoft.Compute/PutVM3Min;237,Microsoft.Compute/PutVMResource;0' }))
    expect([come('a').waitMs(), come('b').waitMs()]).toEqual([15_000, 0])
  })

  it('keep their token if they were not sent, and not if they have no answer', () => {
    const { use, come } = counted()
    use(199)
    come().end()
    const lost = come()
    expect(lost.take()).toBe(true)
    lost.end()
    expect(come().waitMs()).toBe(100)
  })

  it('never exceed what Azure has, whoever else calls, once an answer says what is left', () => {
    const step = fc.record({ pass: fc.nat(2_000), calls: fc.nat(40), others: fc.nat(40) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { come, pass } = counted()
        let left = 200
        for (const { pass: ms, calls, others } of steps) {
          pass(ms)
          left = Math.max(0, Math.min(200, left + ms / 100) - others)
          let hasHeard = false
          for (let n = 0; n < calls; n++) {
            const ticket = come()
            if (ticket.take()) {
              // The first call since others called may find that nothing is left.
              expect(left >= 1 || !hasHeard).toBe(true)
              left = Math.max(0, left - 1)
              hasHeard = true
            }
            ticket.end(answer({ 'x-ms-ratelimit-remaining-subscription-writes': String(Math.floor(left)) }))
          }
        }
      }),
    )
  })
})
