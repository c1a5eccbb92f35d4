import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { clusterId, vmSizeName, zoneName } from '../../model/ids.ts'
import type { LaunchRefusal } from '../../model/instance.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { problem } from '../../model/problem.ts'
import { withRefusals } from '../../model/refusalGrowth.ts'
import type { SizeReport } from '../../model/sizeReport.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import { avoidedSpot, concernsClass, failedBoot, failedLate, failureReport, furtherReports, refusalsNow } from './sizeReports.ts'

const OWN = clusterId('own')
const FAILED = machine('failed', { size: 'new', launched: 0 })

/** A machine with the minutes at which it was launched and became ready. */
function machine(
  name: string,
  { size, launched, ready, nodeClass = 'default' }: { size: string; launched: number; ready?: number; nodeClass?: string },
): NodeClaim {
  const at = (minute: number) => ({ lastTransitionAt: hence(minute * MINUTE) })
  const conditions = [condition('Launched', at(launched)), ...(ready === undefined ? [] : [condition('Initialized', at(ready))])]
  return nodeClaim({ name, size, nodeClass, status: { conditions } })
}

function failure(cluster = OWN): SizeReport {
  return failureReport(FAILED, { kind: 'notBooted', cluster, at: hence(15 * MINUTE) }) ?? expect.fail('no report')
}

describe('F18: what the other machines of a cluster say about a size that did not boot', () => {
  it.each<[sentence: string, other: Parameters<typeof machine>[1], says: 'proven' | 'booted' | 'nothing']>([
    ['another size that became ready meanwhile proves it', { size: 'old', launched: 1, ready: 3 }, 'proven'],
    ['another size that became ready soon after proves it', { size: 'old', launched: 16, ready: 24 }, 'proven'],
    ['another size that became ready much later proves nothing', { size: 'old', launched: 16, ready: 25 }, 'nothing'],
    ['another size that was ready before proves nothing', { size: 'old', launched: -3, ready: -1 }, 'nothing'],
    ['another size that is not ready proves nothing', { size: 'old', launched: 1 }, 'nothing'],
    ['another size of another NodeClass proves nothing', { size: 'old', launched: 1, ready: 3, nodeClass: 'gpu' }, 'nothing'],
    ['the same size that became ready since refutes it', { size: 'new', launched: 20, ready: 23, nodeClass: 'gpu' }, 'booted'],
    ['the same size that was ready before does not', { size: 'new', launched: -3, ready: -1 }, 'nothing'],
  ])('%s', (_sentence, other, says) => {
    const claims = [FAILED, machine('other', other)]
    const found = furtherReports([failure()], claims, OWN)
    expect(found.map(({ kind, isProven }) => (isProven === true ? 'proven' : kind))).toEqual(says === 'nothing' ? [] : [says])
    // What is known already is not said again.
    expect(furtherReports([...found, ...(says === 'proven' ? [] : [failure()])], claims, OWN)).toEqual([])
  })

  it('a failure in another cluster can be refuted, but not proven', () => {
    const claims = [machine('other', { size: 'old', launched: 1, ready: 3 }), machine('same', { size: 'new', launched: 1, ready: 3 })]
    expect(furtherReports([failure(clusterId('another'))], claims, OWN)).toMatchObject([{ kind: 'booted', claim: 'same', cluster: OWN }])
  })
})

describe('F20: a spot machine that Azure takes', () => {
  it.each([
    [14, 'evicted'],
    [15, undefined],
  ] as const)('%i minutes after its launch says: %s', (minutes, kind) => {
    const claim = machine('taken', { size: 'spot', launched: -minutes })
    expect(failureReport(claim, { kind: 'evicted', cluster: OWN, at: NOW })?.kind).toBe(kind)
  })

  it('says nothing if it was never launched', () => {
    const claim = nodeClaim({ stage: 'created', meta: { createdAt: ago(MINUTE) } })
    expect(failureReport(claim, { kind: 'evicted', cluster: OWN, at: NOW })).toBeUndefined()
  })
})

const SIZE = vmSizeName('Standard_D4as_v6')
const [FIRST, SECOND_ZONE] = [zoneName('eastus-1'), zoneName('eastus-2')]
const IN_ZONE = { kind: 'offering', size: SIZE, zone: FIRST, capacityType: 'spot' }
const IN_ALL = { kind: 'offering', size: SIZE, capacityType: 'spot' }

function taken(zone: typeof FIRST, known: readonly UnavailableOffering[], now: EpochMs) {
  const avoided = avoidedSpot({ size: SIZE, zone, message: 'taken' }, known, now)
  return { scopes: avoided.map(({ scope }) => scope), known: withRefusals(known, avoided, now) }
}

describe('after Azure took spot machines of a size', () => {
  it('the size is avoided in the zone of the first', () => {
    expect(taken(FIRST, [], NOW).scopes).toEqual([IN_ZONE])
  })

  it.each<[string, typeof FIRST, EpochMs, readonly object[]]>([
    ['together in one zone, in this zone', FIRST, later(NOW, durationMs(MINUTE)), [IN_ZONE]],
    ['again in one zone, in all zones', FIRST, later(NOW, durationMs(10 * MINUTE)), [IN_ZONE, IN_ALL]],
    ['again after more than an hour, in all zones', FIRST, later(NOW, durationMs(90 * MINUTE)), [IN_ZONE, IN_ALL]],
    ['in two zones, in all zones', SECOND_ZONE, later(NOW, durationMs(MINUTE)), [{ ...IN_ZONE, zone: SECOND_ZONE }, IN_ALL]],
    [
      'in two zones, the first of which is open again, in this zone',
      SECOND_ZONE,
      later(NOW, durationMs(10 * MINUTE)),
      [{ ...IN_ZONE, zone: SECOND_ZONE }],
    ],
  ])('%s', (_sentence, zone, at, expected) => {
    const { known } = taken(FIRST, [], NOW)
    expect(taken(zone, known, at).scopes).toEqual(expected)
  })

  it('and the size comes back later, each time later than before', () => {
    let known: readonly UnavailableOffering[] = []
    let now: EpochMs = NOW
    const pauses: number[] = []
    for (let times = 0; times < 5; times++) {
      known = taken(FIRST, known, now).known
      const open = Math.max(...known.map(({ until }) => until))
      pauses.push((open - now) / MINUTE)
      // The size is bought again, and taken after four minutes.
      now = later(now, durationMs(open - now + 4 * MINUTE))
    }
    expect(pauses).toEqual([10, 20, 40, 80, 80])
  })

  it.each<[string, UnavailableOffering['scope'], EpochMs]>([
    ['another size', { kind: 'offering', size: vmSizeName('Standard_D8as_v6'), zone: FIRST, capacityType: 'spot' }, ago(SECOND)],
    ['the size on demand', { kind: 'offering', size: SIZE, zone: FIRST, capacityType: 'on-demand' }, ago(SECOND)],
    ['all spot machines', { kind: 'capacityType', capacityType: 'spot' }, hence(MINUTE)],
  ])('what is known of %s does not count', (_sentence, scope, until) => {
    const known: readonly UnavailableOffering[] = [{ scope, until, code: 'AZURE.ALLOCATION.ZONE', message: 'm' }]
    expect(taken(FIRST, known, NOW).scopes).toEqual([IN_ZONE])
  })
})

const CLASS = nodeClass()
const { uid, generation } = CLASS.meta
const scope = { kind: 'offering', size: SIZE, nodeClass: { name: CLASS.name, uid, generation } }

function boots(machines: readonly string[], every: number): readonly UnavailableOffering[] {
  return machines.reduce<readonly UnavailableOffering[]>((unavailable, machine, index) => {
    const now = hence(index * every)
    const failed = { size: SIZE, code: 'AZURE.FAILED', message: `machine ${machine} failed` } as const
    return withRefusals(unavailable, failedBoot(failed, { nodeClass: CLASS, unavailable, now }), now)
  }, [])
}

describe('F18: machines of one size that do not boot', () => {
  it.each([
    ['one leaves the size out for two minutes', ['one'], 0, 2 * MINUTE],
    ['a second leaves the size out for an hour', ['one', 'two'], MINUTE, MINUTE + HOUR],
    ['a second after the first block counts as well, for twice as long', ['one', 'two'], 10 * MINUTE, 10 * MINUTE + 2 * HOUR],
    ['one that is looked at twice is one', ['one', 'one'], 0, 2 * MINUTE],
  ])('%s', (_sentence, machines, every, until) => {
    expect(boots(machines, every)).toMatchObject([{ scope, until: hence(until) }])
  })

  it('are those of one generation of one NodeClass', () => {
    const known = boots(['one', 'two'], MINUTE)
    const next = { ...CLASS, meta: { ...CLASS.meta, generation: generation + 1 } }
    expect([refusalsNow(known, [CLASS]).length, refusalsNow(known, [next]).length, refusalsNow(known, []).length]).toEqual([1, 0, 0])
    expect(known.map((each) => [concernsClass(each, CLASS.name), concernsClass(each, nodeClass({ name: 'other' }).name)])).toEqual([
      [true, false],
    ])
  })

  it('teach nothing if the NodeClass is gone', () => {
    expect(failedBoot({ size: SIZE, code: 'AZURE.FAILED', message: '' }, { nodeClass: undefined, unavailable: [], now: NOW })).toEqual([])
  })
})

describe('a machine that fails after Azure took it', () => {
  const known = { nodeClass: CLASS, unavailable: [], now: NOW }
  const block = {
    scope: { kind: 'capacityType', capacityType: 'spot' },
    until: hence(MINUTE),
    code: 'AZURE.QUOTA.SPOT',
    message: '',
  } as const
  const late = (over: Partial<LaunchRefusal>, retryAfterMs?: number) =>
    failedLate(
      {
        problem: problem('AZURE.FAILED', 'no', retryAfterMs === undefined ? {} : { retryAfterMs }),
        unavailable: [],
        then: 'next',
        ...over,
      },
      { size: SIZE, message: 'machine one failed' },
      known,
    )

  it.each<[sentence: string, over: Partial<LaunchRefusal>, blocked: readonly object[]]>([
    ['for lack of capacity blocks what Azure said', { unavailable: [block] }, [block]],
    ['for an unknown reason blocks its size', { own: [block] }, [{ scope, until: hence(2 * MINUTE) }]],
    ['for a passing reason blocks its size', { then: 'retry' }, [{ scope, until: hence(2 * MINUTE) }]],
  ])('%s', (_sentence, over, blocked) => {
    expect(late(over)).toMatchObject(blocked)
  })

  it.each([
    [undefined, MINUTE],
    [5 * MINUTE, 5 * MINUTE],
  ])('for a reason that no other size avoids lets the NodeClass rest: asked to wait %s ms', (asked, rests) => {
    const { nodeClass: ofClass } = scope
    expect(late({ then: 'stop' }, asked)).toMatchObject([
      { scope: { kind: 'capacityType', capacityType: 'spot', nodeClass: ofClass }, until: hence(rests) },
      { scope: { kind: 'capacityType', capacityType: 'on-demand', nodeClass: ofClass }, until: hence(rests) },
    ])
  })
})
