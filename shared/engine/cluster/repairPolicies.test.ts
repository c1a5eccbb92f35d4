import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import type { Condition } from '../../model/condition.ts'
import { DEFAULT_REPAIR_POLICIES, type RepairAction, type RepairPolicy, type ResolvedRepair } from '../../model/repairPolicy.ts'
import { durationMs, type EpochMs, epochMs } from '../../model/units.ts'
import { createRepairMatcher } from './repairPolicies.ts'

const HARDWARE = 'HardwareHealthy'

/** A policy for `HardwareHealthy=False` with ten minutes of toleration, unless the case says otherwise. */
function policy(over: Partial<RepairPolicy> = {}): RepairPolicy {
  return {
    conditionType: HARDWARE,
    conditionStatus: 'False',
    tolerationDuration: durationMs(10 * MINUTE),
    priority: 0,
    action: 'ReplaceNode',
    ...over,
  }
}

function broken(type: string, reason: string, since: EpochMs, over: Partial<Condition> = {}): Condition {
  return condition(type, { status: 'False', reason, lastTransitionAt: since, ...over })
}

type Sick = { readonly createdAt?: EpochMs; readonly notBefore?: EpochMs; readonly at?: EpochMs }

function resolved(
  policies: readonly RepairPolicy[],
  conditions: readonly Condition[],
  { createdAt = ago(24 * HOUR), notBefore = epochMs(0), at = NOW }: Sick = {},
): ResolvedRepair | undefined {
  const matcher = createRepairMatcher(policies)
  return matcher.resolve(matcher.matchesOf(node({ conditions, meta: { createdAt } }), notBefore), at)
}

const FALLBACK = policy({ conditionType: 'Ready', tolerationDuration: durationMs(MINUTE), priority: 5 })
const GPU = policy({ reasonRegex: '^Gpu', terminationGracePeriod: durationMs(HOUR), priority: 50, action: 'RebootNode' })

describe('the reason of a condition', () => {
  it('RM-02: has its own policy before the fallback', () => {
    const found = resolved([FALLBACK, GPU], [broken(HARDWARE, 'GpuLost', ago(HOUR))])
    expect(found).toMatchObject({ action: 'RebootNode', terminationGracePeriod: HOUR })
  })

  it('RM-02, RM-04: of no policy has the fallback, with its toleration, bound and priority, whatever type it is declared for', () => {
    const found = resolved(
      [{ ...FALLBACK, terminationGracePeriod: durationMs(SECOND) }, GPU],
      [broken(HARDWARE, 'Memory', ago(2 * MINUTE))],
    )
    expect(found).toMatchObject({ action: 'ReplaceNode', terminationGracePeriod: SECOND, boundBy: HARDWARE, eligibleAt: ago(MINUTE) })
    expect(resolved([FALLBACK, GPU], [broken(HARDWARE, 'Memory', ago(SECOND))])).toBeUndefined()
  })

  it('RM-02: whose own policy still waits does not have the fallback instead', () => {
    expect(resolved([FALLBACK, GPU], [broken(HARDWARE, 'GpuLost', ago(5 * MINUTE))])).toBeUndefined()
  })

  it.each(['.*', 'x?', '()'])('RM-02: that the pattern %s matches as any other has no fallback', (reasonRegex) => {
    const found = resolved([FALLBACK, { ...GPU, reasonRegex }], [broken(HARDWARE, 'Whatever', ago(HOUR))])
    expect(found?.action).toBe('RebootNode')
    expect(resolved([FALLBACK, { ...GPU, reasonRegex }], [broken(HARDWARE, '', ago(HOUR))])?.action).toBe('RebootNode')
  })

  it('RM-02: is matched in any part', () => {
    const part = { ...GPU, reasonRegex: 'Lost' }
    expect(resolved([FALLBACK, part], [broken(HARDWARE, 'GpuLostAgain', ago(HOUR))])?.action).toBe('RebootNode')
  })

  it('RM-10: that changes, and a message that does, leave the age of the condition', () => {
    const [first, second] = ['GpuLost', 'GpuBurnt'].map((reason) => broken(HARDWARE, reason, ago(HOUR), { message: reason }))
    expect(first && second && resolved([FALLBACK, GPU], [first])?.eligibleAt).toBe(
      second && resolved([FALLBACK, GPU], [second])?.eligibleAt,
    )
  })
})

describe('a condition', () => {
  it.each<[sentence: string, found: Condition]>([
    ['of another type', broken('Other', 'GpuLost', ago(HOUR))],
    ['of another status', broken(HARDWARE, 'GpuLost', ago(HOUR), { status: 'Unknown' })],
  ])('RM-03: %s matches nothing', (_sentence, found) => {
    expect(resolved([FALLBACK, GPU], [found])).toBeUndefined()
  })

  it.each(['True', 'False', 'Unknown'] as const)('RM-01: of status %s can be asked for', (conditionStatus) => {
    const found = broken(HARDWARE, 'Any', ago(HOUR), { status: conditionStatus })
    expect(resolved([policy({ conditionStatus })], [found])).toBeDefined()
  })

  it('RM-09: asks from its own time on, whenever that is looked at', () => {
    const conditions = [broken(HARDWARE, 'Any', ago(10 * MINUTE))]
    expect(resolved([policy()], conditions)?.eligibleAt).toBe(NOW)
    expect(resolved([policy()], conditions, { at: ago(SECOND) })).toBeUndefined()
    expect(resolved([policy()], conditions, { at: hence(HOUR) })?.eligibleAt).toBe(NOW)
  })

  it('RM-08: that is older than its node, or has no time, is as old as the node', () => {
    for (const lastTransitionAt of [epochMs(0), ago(48 * HOUR)]) {
      const conditions = [broken(HARDWARE, 'Any', lastTransitionAt)]
      expect(resolved([policy()], conditions, { createdAt: ago(10 * MINUTE) })?.eligibleAt).toBe(NOW)
      expect(resolved([policy()], conditions, { createdAt: ago(9 * MINUTE) })).toBeUndefined()
    }
  })

  it('RM-11: has its whole toleration after the end of the last reboot', () => {
    const conditions = [broken(HARDWARE, 'Any', ago(HOUR))]
    expect(resolved([policy()], conditions, { notBefore: ago(9 * MINUTE) })).toBeUndefined()
    expect(resolved([policy()], conditions, { notBefore: ago(10 * MINUTE) })?.eligibleAt).toBe(NOW)
  })
})

describe('several conditions of one node', () => {
  const reboot = (over: Partial<RepairPolicy>): RepairPolicy => policy({ reasonRegex: '.*', action: 'RebootNode', ...over })
  const replace = (over: Partial<RepairPolicy>): RepairPolicy => policy({ reasonRegex: '.*', ...over })
  const governing = (policies: readonly RepairPolicy[], conditions: readonly Condition[]) => {
    const found = resolved(policies, conditions)
    return found && `${found.action} ${found.condition.type}`
  }
  const both = [broken('A', 'Any', ago(HOUR)), broken('B', 'Any', ago(2 * HOUR))]

  it('RM-05, RM-13: are replaced where one of them asks for it, whatever its priority', () => {
    expect(governing([replace({ conditionType: 'A' }), reboot({ conditionType: 'B', priority: 100 })], both)).toBe('ReplaceNode A')
  })

  it('RM-05: have the action of the higher priority, then of the earlier time, then of the smaller type', () => {
    expect(governing([reboot({ conditionType: 'A', priority: 2 }), reboot({ conditionType: 'B', priority: 1 })], both)).toBe('RebootNode A')
    expect(governing([reboot({ conditionType: 'A' }), reboot({ conditionType: 'B' })], both)).toBe('RebootNode B')
    const together = both.map((each) => ({ ...each, lastTransitionAt: ago(HOUR) })).reverse()
    expect(governing([reboot({ conditionType: 'A' }), reboot({ conditionType: 'B' })], together)).toBe('RebootNode A')
  })

  it('RM-05: do not count before their time', () => {
    const policies = [replace({ conditionType: 'A', tolerationDuration: durationMs(2 * HOUR) }), reboot({ conditionType: 'B' })]
    expect(governing(policies, both)).toBe('RebootNode B')
  })

  it('RM-06: have the shortest bound that any of them states, of whatever action', () => {
    const bounds = (first: number | undefined, second: number | undefined) => {
      const bound = (ms: number | undefined) => (ms === undefined ? {} : { terminationGracePeriod: durationMs(ms) })
      const found = resolved([replace({ conditionType: 'A', ...bound(first) }), reboot({ conditionType: 'B', ...bound(second) })], both)
      return found && [found.terminationGracePeriod, found.boundBy]
    }
    expect(bounds(HOUR, MINUTE)).toEqual([MINUTE, 'B'])
    expect(bounds(MINUTE, HOUR)).toEqual([MINUTE, 'A'])
    expect(bounds(HOUR, undefined)).toEqual([HOUR, 'A'])
    expect(bounds(undefined, undefined)).toEqual([undefined, undefined])
    // A tie goes to the condition that asked first.
    expect(bounds(HOUR, HOUR)).toEqual([HOUR, 'B'])
  })
})

describe('the score', () => {
  const levels = [1, 40, 41].map((priority, index) => policy({ conditionType: `C${index}`, reasonRegex: '.*', priority }))
  const score = (type: string, minutesEligible: number): number =>
    resolved(levels, [broken(type, 'Any', ago((10 + minutesEligible) * MINUTE))])?.score ?? -1

  it('RM-07: follows the order of priorities, not their distance, and half an hour of waiting is worth one step', () => {
    expect(score('C1', 0) - score('C0', 0)).toBe(1)
    expect(score('C2', 0) - score('C1', 0)).toBe(1)
    expect(score('C0', 30)).toBe(score('C1', 0))
    expect(score('C0', 31)).toBeGreaterThan(score('C1', 0))
  })

  it('RM-07: is that of the most urgent condition, and others of the node do not count before their time', () => {
    const [slow, fast] = [broken('C0', 'Any', ago(40 * MINUTE)), broken('C2', 'Any', ago(10 * MINUTE))]
    expect(resolved(levels, [slow, fast])?.score).toBe(score('C2', 0))
    expect(resolved(levels, [slow, { ...fast, lastTransitionAt: ago(MINUTE) }])?.score).toBe(score('C0', 30))
  })
})

describe('a sick node', () => {
  it('is one with a covered condition, whatever its reason and age', () => {
    const { isSick } = createRepairMatcher([FALLBACK, { ...GPU, reasonRegex: '^never$' }])
    expect(isSick(node({ conditions: [broken(HARDWARE, 'Memory', NOW)] }))).toBe(true)
    expect(isSick(node({ conditions: [condition(HARDWARE)] }))).toBe(false)
  })

  it('is looked at again when the first of its conditions asks for a repair', () => {
    const matcher = createRepairMatcher([FALLBACK, GPU])
    const conditions = [broken(HARDWARE, 'GpuLost', ago(4 * MINUTE)), broken('Ready', 'Any', ago(SECOND))]
    const matches = matcher.matchesOf(node({ conditions }), epochMs(0))
    expect(matcher.nextAt(matches, NOW)).toBe(hence(59 * SECOND))
    expect(matcher.nextAt(matches, hence(MINUTE))).toBe(hence(6 * MINUTE))
    expect(matcher.nextAt(matches, hence(HOUR))).toBeUndefined()
  })
})

describe('any policies and conditions', () => {
  const types = ['A', 'B', 'C']
  const anyPolicy = fc.record({
    conditionType: fc.constantFrom(...types),
    conditionStatus: fc.constantFrom('True', 'False', 'Unknown'),
    reasonRegex: fc.constantFrom('.*', '^X', 'Y$'),
    tolerationDuration: fc.constantFrom(0, MINUTE, HOUR).map(durationMs),
    terminationGracePeriod: fc.constantFrom(0, MINUTE, HOUR).map(durationMs),
    priority: fc.integer({ min: 0, max: 100 }),
    action: fc.constantFrom<RepairAction>('ReplaceNode', 'RebootNode'),
  })
  const anyConditions = fc.uniqueArray(
    fc.record({
      type: fc.constantFrom(...types),
      status: fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const),
      reason: fc.constantFrom('XY', 'X', 'Z'),
      lastTransitionAt: fc.constantFrom(ago(2 * HOUR), ago(MINUTE), NOW),
      message: fc.constant(''),
      observedGeneration: fc.constant(1),
    }),
    { selector: ({ type }) => type },
  )

  it('resolve the same in any order', () => {
    fc.assert(
      fc.property(fc.array(anyPolicy, { maxLength: 5 }), anyConditions, (others, conditions) => {
        const policies = [FALLBACK, ...others]
        const found = resolved(policies, conditions)
        expect(resolved(policies.toReversed(), conditions.toReversed())).toEqual(found)
        if (found === undefined) return
        expect(found.eligibleAt).toBeLessThanOrEqual(NOW)
        expect(createRepairMatcher(policies).isSick(node({ conditions }))).toBe(true)
      }),
    )
  })
})

describe('the default policies', () => {
  it.each<[type: string, status: Condition['status'], toleration: number]>([
    ['Ready', 'False', 10 * MINUTE],
    ['Ready', 'Unknown', 10 * MINUTE],
    ['kubernetes.azure.com/NodeHealthy', 'False', 0],
  ])('replace a node with %s=%s, and state a bound', (type, status, toleration) => {
    const found = resolved(DEFAULT_REPAIR_POLICIES, [broken(type, 'Any', ago(toleration), { status })])
    expect(found).toMatchObject({ action: 'ReplaceNode', eligibleAt: NOW, boundBy: type })
  })
})
