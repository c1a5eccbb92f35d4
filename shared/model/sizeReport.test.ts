import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOUR, hence, MINUTE, NOW } from '../../test/builders/clock.ts'
import { clusterId, nodeClaimName, nodeClassName, vmSizeName } from './ids.ts'
import { demotedSizes, demotionOf, type SizeReport, withReports } from './sizeReport.ts'
import { epochMs } from './units.ts'

const SIZE = vmSizeName('Standard_D4as_v6')
let machines = 0

function said(cluster: string, minute: number, over: Partial<SizeReport> = {}): SizeReport {
  const at = hence(minute * MINUTE)
  return {
    kind: 'notBooted',
    cluster: clusterId(cluster),
    claim: nodeClaimName(`default-${machines++}`),
    nodeClass: nodeClassName('default'),
    size: SIZE,
    launchedAt: epochMs(at - 15 * MINUTE),
    at,
    ...over,
  }
}

const proven = { isProven: true } as const
const untilOf = (reports: readonly SizeReport[], now = hence(HOUR)) =>
  demotedSizes(withReports([], reports, now), now).map((each) => each.until)

describe('a size is demoted for the region', () => {
  it.each<[sentence: string, reports: readonly SizeReport[], until: readonly number[]]>([
    ['not by one machine', [said('a', 0, proven)], []],
    ['by two machines that prove it, from the earlier one on for three hours', [said('a', 0, proven), said('a', 9, proven)], [3 * HOUR]],
    ['not by many machines of one cluster that prove nothing', Array.from({ length: 9 }, (_, at) => said('a', at)), []],
    ['by machines of two clusters', [said('a', 5), said('b', 9), said('a', 7)], [3 * HOUR + 7 * MINUTE]],
    ['by the last two of many', [0, 10, 20].map((at) => said('a', at, proven)), [3 * HOUR + 10 * MINUTE]],
    ['not by two machines of two sizes', [said('a', 0, proven), said('a', 1, { ...proven, size: vmSizeName('other') })], []],
    ['not by a failed and an evicted machine', [said('a', 0, proven), said('a', 1, { ...proven, kind: 'evicted' })], []],
    ['by two evicted machines, for an hour', [1, 9].map((at) => said('a', at, { ...proven, kind: 'evicted' })), [HOUR + MINUTE]],
    [
      'not if a machine of the size, of any cluster, has booted since',
      [said('a', 0, proven), said('a', 9, proven), said('b', 9, { kind: 'booted' })],
      [],
    ],
    [
      'by machines that were launched after one had booted',
      [said('b', 0, { kind: 'booted' }), said('a', 20, proven), said('a', 30, proven)],
      [3 * HOUR + 20 * MINUTE],
    ],
  ])('%s', (_sentence, reports, until) => {
    expect(untilOf(reports)).toEqual(until.map(hence))
    expect(untilOf([...reports].reverse())).toEqual(until.map(hence))
  })

  it('until the time, and again by one more failure', () => {
    const reports = [said('a', 0, proven), said('a', 60, proven)]
    expect([untilOf(reports, hence(3 * HOUR - 1)).length, untilOf(reports, hence(3 * HOUR)).length]).toEqual([1, 0])
    expect(untilOf([...reports, said('a', 3 * 60, proven)], hence(3 * HOUR))).toEqual([hence(4 * HOUR)])
  })

  it('as spot only, if Azure took its machines', () => {
    const [taken = expect.fail('not demoted'), ...others] = demotedSizes(
      [said('a', 0, { ...proven, kind: 'evicted' }), said('b', 0, { kind: 'evicted' })],
      NOW,
    )
    expect(others).toEqual([])
    expect((['spot', 'on-demand', 'reserved'] as const).map((capacityType) => demotionOf({ size: SIZE, capacityType }, [taken]))).toEqual([
      taken,
      undefined,
      undefined,
    ])
  })
})

describe('reports', () => {
  it('of one machine count once, also when it proves something later', () => {
    const first = said('a', 0)
    const again = { ...first, at: hence(5 * MINUTE), ...proven }
    expect(withReports([first], [{ ...first, at: hence(MINUTE) }], NOW)).toEqual([first])
    expect(withReports([first], [again, again], NOW)).toEqual([{ ...first, ...proven }])
  })

  it('that say nothing new change nothing', () => {
    const known = [said('a', 0, proven)]
    expect(withReports(known, known, NOW)).toBe(known)
    expect(withReports(known, [{ ...(known[0] ?? expect.fail('none')), isProven: true }], NOW)).toBe(known)
  })

  it('of a thousand machines of one cluster are few', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => said('a', at / 100))
    expect(withReports([], many, NOW)).toHaveLength(2)
  })

  it('decide the same in any order, alone or together, and however often they are told', () => {
    const some = fc.record({
      kind: fc.constantFrom('notBooted', 'evicted', 'booted'),
      cluster: fc.constantFrom('a', 'b', 'c').map(clusterId),
      claim: fc.integer({ min: 0, max: 20 }).map((number) => nodeClaimName(`c${number}`)),
      size: fc.constantFrom('x', 'y').map(vmSizeName),
      minute: fc.integer({ min: 0, max: 100 }),
      isProven: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(some, { maxLength: 12 }), fc.array(fc.nat(11)), (rows, order) => {
        const unique = [...new Map(rows.map((row) => [`${row.kind} ${row.cluster} ${row.claim}`, row])).values()]
        const reports = unique.map(({ minute, isProven, ...row }) => said(row.cluster, minute, { ...row, ...(isProven ? proven : {}) }))
        const shuffled = [...order.flatMap((at) => reports[at] ?? []), ...[...reports].reverse()]
        const told = shuffled.reduce((known, each) => withReports(known, [each], NOW), [] as readonly SizeReport[])
        const decided = (known: readonly SizeReport[]) =>
          new Set(demotedSizes(known, hence(100 * MINUTE)).map((each) => JSON.stringify(each)))
        expect(decided(told)).toEqual(decided(reports))
        // One cluster alone hides nothing from the others unless the cause is proven.
        const ofA = reports.filter(({ cluster, isProven }) => cluster === 'a' && isProven === undefined)
        expect(demotedSizes(ofA, NOW)).toEqual([])
      }),
    )
  })
})
