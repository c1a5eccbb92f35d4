/** What budgets allow at one moment. The ids are those in the list of Karpenter's own tests. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { NOW, SECOND } from '../../../../test/builders/clock.ts'
import { condition } from '../../../../test/builders/condition.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import type { Budget, DisruptionReason } from '../../../model/nodePool.ts'
import { durationMs, epochMs } from '../../../model/units.ts'
import { fleetSnapshotOf } from '../../cluster/fleet.ts'
import { allowanceOf, nextEdge, problemOfBudget } from './budgets.ts'

type Machine = 'up' | 'deleting' | 'moving' | 'not ready' | 'coming up' | 'ended by Azure' | 'without a claim'

const STAGES = ['Launched', 'Registered', 'Initialized'] as const
const REASONS = ['Empty', 'Drifted', 'Underutilized'] as const
const MINUTES_30 = durationMs(30 * 60 * SECOND)

/** A cluster of one pool, with so many machines of each kind. */
function clusterOf(counts: { readonly [kind in Machine]?: number }, at = NOW) {
  const kinds = Object.entries(counts).flatMap(([kind, count]) => Array.from({ length: count }, () => kind as Machine))
  const machines = kinds.map((kind, index) => ({ kind, name: `default-${index}` }))
  const owned = machines.filter(({ kind }) => kind !== 'without a claim')
  const claims = owned.map(({ kind, name }) => ({
    kind,
    claim: nodeClaim({
      name,
      ...(kind === 'deleting' ? { meta: { deletedAt: at } } : {}),
      ...(kind === 'ended by Azure' ? { status: { conditions: [...STAGES, 'InstanceTerminating'].map((type) => condition(type)) } } : {}),
    }),
  }))
  const nodes = machines.map(({ kind, name }) =>
    node({
      ...(kind === 'without a claim' ? { name } : { claim: name }),
      initialized: kind !== 'coming up',
      ready: kind !== 'not ready',
    }),
  )
  const moving = claims.filter(({ kind }) => kind === 'moving').map(({ claim }) => claim)
  const commands = moving.length === 0 ? [] : [disruptionCommand(moving)]
  const objects = { node: nodes, nodeClaim: claims.map(({ claim }) => claim) }
  return fleetSnapshotOf({ ...snapshot({ objects, commands }), takenAt: at })
}

/** How many machines of ten may go for each reason. Infinity without a budget that applies. */
function allowed(budgets: readonly Budget[], counts = { up: 10 }, at = NOW): { readonly [reason in DisruptionReason]: number } {
  const pool = nodePool({ disruption: { budgets } })
  const cluster = clusterOf(counts, at)
  const of = (reason: DisruptionReason): number => allowanceOf(pool, reason, cluster)?.remaining ?? Number.POSITIVE_INFINITY
  return { Empty: of('Empty'), Drifted: of('Drifted'), Underutilized: of('Underutilized'), Unhealthy: of('Unhealthy') }
}

const all = (count: number) => ({ Empty: count, Drifted: count, Underutilized: count, Unhealthy: count })
const UNLIMITED = all(Number.POSITIVE_INFINITY)
/** Never active at the time of the tests, which is a January. */
const YEARLY = { schedule: '0 0 1 7 *', duration: MINUTES_30 } as const

describe('the machines that a budget counts', () => {
  it.each<[line: string, counts: Parameters<typeof clusterOf>[0], nodes: string, left: number]>([
    ['BM-01 no node without a claim', { up: 10, 'without a claim': 1 }, '100%', 10],
    ['BM-02 no node that is not initialized', { up: 10, 'coming up': 1 }, '100%', 10],
    ['BM-03 no machine that Azure has ended', { up: 10, 'ended by Azure': 1 }, '100%', 10],
    ['BM-04 machines that are being deleted leave nothing, and never less', { deleting: 10 }, '10%', 0],
    ['BM-05 one that is being deleted and one that moves are two', { up: 8, deleting: 1, moving: 1 }, '100%', 8],
    ['BM-06 two that are not ready are two', { up: 8, 'not ready': 2 }, '100%', 8],
  ])('%s', (_line, counts, nodes, left) => {
    const pool = nodePool({ disruption: { budgets: [{ nodes }] } })
    for (const reason of REASONS) expect(allowanceOf(pool, reason, clusterOf(counts))?.remaining).toBe(left)
  })

  it('RP-11 nodes that are not ready leave all to their repair', () => {
    const pool = nodePool({ disruption: { budgets: [{ nodes: '100%' }] } })
    expect(allowanceOf(pool, 'Unhealthy', clusterOf({ up: 7, 'not ready': 2, deleting: 1 }))?.remaining).toBe(9)
  })
})

describe('what several budgets allow', () => {
  it.each<[line: string, budgets: readonly Budget[], want: ReturnType<typeof allowed>]>([
    [
      'BG-01 nothing, where one of them allows nothing',
      [{ nodes: '10' }, { nodes: '0', schedule: '* * * * *', duration: MINUTES_30 }],
      all(0),
    ],
    ['BG-02 everything, where none applies', [{ nodes: '1', ...YEARLY }], UNLIMITED],
    [
      'BG-03 what the general one says, where those for reasons do not apply',
      [{ nodes: '10' }, { nodes: '4', reasons: ['Empty'], ...YEARLY }, { nodes: '5', reasons: ['Drifted'], ...YEARLY }],
      all(10),
    ],
    ['BG-04 one without reasons is for all of them', [{ nodes: '3' }], all(3)],
    [
      'BG-05 the least for each reason',
      [{ nodes: '10' }, { nodes: '4', reasons: ['Empty'] }, { nodes: '5', reasons: ['Drifted'] }],
      { Empty: 4, Drifted: 5, Underutilized: 10, Unhealthy: 10 },
    ],
    [
      'AP-05 nothing for any reason, where one of them has a reason of a later version',
      [
        { nodes: '10', reasons: ['Empty'] },
        { nodes: '10', unknownReasons: ['Later'] },
      ],
      all(0),
    ],
    [
      'what the others say, while one with a reason of a later version does not apply',
      [{ nodes: '4' }, { nodes: '10', unknownReasons: ['Later'], ...YEARLY }],
      all(4),
    ],
  ])('%s', (_line, budgets, want) => expect(allowed(budgets)).toEqual(want))
})

describe('what one budget allows', () => {
  it.each<[line: string, budget: Budget, problem: RegExp]>([
    ['BG-06 nothing with a schedule that nobody can read', { nodes: '10', schedule: '@', duration: MINUTES_30 }, /^schedule: /],
    ['nothing with a schedule and no duration', { nodes: '10', schedule: '@hourly' }, /^set both schedule and duration, or neither$/],
    ['BG-07 nothing with a number that nobody can read', { nodes: 'some' }, /^nodes: "some" is neither/],
    [
      'BG-18 nothing on a range of weekdays that ends before it begins',
      { nodes: '10', schedule: '0 9 * * FRI-MON', duration: MINUTES_30 },
      /larger/,
    ],
  ])('%s, and it says why', (_line, budget, problem) => {
    expect(allowed([budget])).toEqual(all(0))
    const [read = budget] = nodePool({ disruption: { budgets: [budget] } }).disruption.budgets
    expect(problemOfBudget(read)).toMatch(problem)
  })

  it('BG-08 everything while it is not active', () => expect(allowed([{ nodes: '1', ...YEARLY }])).toEqual(UNLIMITED))
  it('BG-09 as many as it says', () => expect(allowed([{ nodes: '10' }], { up: 100 })).toEqual(all(10)))
  it('BG-10 its share of all', () => expect(allowed([{ nodes: '100%' }], { up: 100 })).toEqual(all(100)))
})

describe('when a budget is active', () => {
  afterEach(() => vi.unstubAllEnvs())

  const isActive = (schedule: string | undefined, ms: number, at: string): boolean => {
    const window = schedule === undefined ? {} : { schedule, duration: durationMs(ms) }
    return allowed([{ nodes: '0', ...window }], { up: 10 }, epochMs(Date.parse(at))).Empty === 0
  }
  const MINUTE_MS = 60_000
  const HOUR_MS = 3_600_000

  it('BG-11 not at midnight of a clock that is ahead of UTC', () => {
    vi.stubEnv('TZ', 'Etc/GMT-1')
    expect(isActive('@daily', 30 * MINUTE_MS, '2025-12-31T23:00:00Z')).toBe(false)
    expect(isActive('@daily', 30 * MINUTE_MS, '2026-01-01T00:00:00Z')).toBe(true)
  })

  it.each<[line: string, schedule: string | undefined, ms: number, at: string, want: boolean]>([
    ['BG-12 always, without a schedule', undefined, 0, '2026-01-01T12:00:00Z', true],
    ['BG-13 in each minute that it names', '* * * * *', 20 * MINUTE_MS, '2026-01-01T12:34:56Z', true],
    ['BG-14 not in the other months of a year', '0 0 1 7 *', 20 * MINUTE_MS, '2026-01-01T12:00:00Z', false],
    ['BG-15 in the middle of its window', '0 12 * * *', HOUR_MS, '2026-01-01T12:30:00Z', true],
    ['BG-16 always, if its windows overlap', '@daily', 48 * HOUR_MS, '2026-01-01T23:59:59Z', true],
    ['BG-17 not before its window begins', '0 12 * * *', HOUR_MS, '2026-01-01T11:59:59Z', false],
  ])('%s', (_line, schedule, ms, at, want) => expect(isActive(schedule, ms, at)).toBe(want))
})

describe('the next time at which a budget begins or ends', () => {
  const edgeOf = (...budgets: readonly Budget[]) => nextEdge(nodePool({ disruption: { budgets } }), NOW)
  const hourly = { schedule: '@hourly', duration: MINUTES_30 } as const

  it('is the first of all budgets that can be read', () => {
    const next = edgeOf({ nodes: '1', ...hourly })
    expect(next).toBeGreaterThan(NOW)
    expect(edgeOf({ nodes: '1', ...YEARLY }, { nodes: '1', ...hourly })).toBe(next)
    expect(
      edgeOf({ nodes: '1', schedule: '@hourly' }, { nodes: '1', schedule: '@', duration: MINUTES_30 }, { nodes: '1', ...hourly }),
    ).toBe(next)
  })

  it.each<[what: string, budget: Budget]>([
    ['has no schedule', { nodes: '1' }],
    ['lacks a duration', { nodes: '1', schedule: '@hourly' }],
    ['has a schedule that nobody can read', { nodes: '1', schedule: '@', duration: MINUTES_30 }],
  ])('is undefined for a budget that %s', (_, budget) => expect(edgeOf(budget)).toBeUndefined())
})
