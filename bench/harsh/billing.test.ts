import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HarshReport } from '../../local/host/reportToParent.ts'
import { beyondIdle, billedMonth, billedSeconds, outsideInvocations } from './billing.ts'

const began = (at: number, id: string, pid = 1): HarshReport => ({ kind: 'began', at, id, pid, group: 'g', name: 'f' })
const ended = (at: number, id: string, pid = 1): HarshReport => ({ kind: 'ended', at, id, pid, group: 'g', name: 'f' })

describe('billed seconds', () => {
  it.each([
    ['nothing', [], 0],
    ['a short execution', [began(0, 'a'), ended(26, 'a')], 1],
    ['a long execution', [began(0, 'a'), ended(2_500, 'a')], 2.5],
    ['two at a time on one instance', [began(0, 'a'), began(500, 'b'), ended(2_000, 'a'), ended(2_500, 'b')], 2.5],
    ['two at a time on two instances', [began(0, 'a', 1), began(0, 'b', 2), ended(10, 'a', 1), ended(10, 'b', 2)], 2],
    ['two short ones beside each other', [began(0, 'a'), ended(10, 'a'), began(200, 'b'), ended(210, 'b')], 1.2],
    ['one that still runs', [began(1_000, 'a')], 9],
  ])('of %s', (_what, reports, want) => {
    expect(billedSeconds(reports, 10_000)).toBeCloseTo(want)
  })

  it('are never less than the longest execution, and never more than all executions one after another', () => {
    const execution = fc.record({ from: fc.nat(10_000), ms: fc.nat(5_000), pid: fc.integer({ min: 1, max: 3 }) })
    fc.assert(
      fc.property(fc.array(execution), (executions) => {
        const reports = executions.flatMap(({ from, ms, pid }, id) => [began(from, String(id), pid), ended(from + ms, String(id), pid)])
        const each = executions.map(({ ms }) => Math.max(1, ms / 1_000))
        const billed = billedSeconds(reports, 0)
        expect(billed).toBeGreaterThanOrEqual(Math.max(0, ...each) - 1e-9)
        expect(billed).toBeLessThanOrEqual(each.reduce((sum, ms) => sum + ms, 0) + 1e-9)
      }),
    )
  })
})

it('calls outside an invocation are counted by what they do', () => {
  const call = (what: 'creation' | 'eviction' | 'ledger', isCovered: boolean): HarshReport => ({
    kind: 'call',
    what,
    isCovered,
    at: 0,
    group: 'g',
    pid: 1,
  })
  expect(outsideInvocations([call('creation', false), call('ledger', true), call('ledger', false), began(0, 'a')])).toEqual({
    creation: { outside: 1, all: 1 },
    eviction: { outside: 0, all: 0 },
    ledger: { outside: 1, all: 2 },
  })
})

describe('the billed seconds of a month', () => {
  it('are those of its idle hours and of its machines', () => {
    expect(billedMonth({ idleHour: 72, comes: 20, goes: 10 })).toBe(730 * 72 + 3_042 * 30)
  })

  it('do not count what an idle app is billed while a machine comes or goes', () => {
    const bill = (billed: number) => ({ billed, seconds: 100 })
    const bills = [
      { comes: bill(22), goes: bill(12) },
      { comes: bill(26), goes: bill(1) },
    ]
    expect(beyondIdle(bills, 72)).toEqual({ comes: 22, goes: 5 })
  })
})
