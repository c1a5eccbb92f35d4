import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ago, HOUR, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { type NodePoolShape, nodePool } from '../../../test/builders/nodePool.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import type { Decision } from '../../model/decision.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { fleetSnapshotOf } from '../cluster/fleet.ts'
import { decideStaticPools } from './decideStaticPools.ts'
import { decideStaticDrift } from './staticDrift.ts'
import { whyNotFirst } from './terminateFirst.ts'

const NOTHING: Decision = { actions: [], reasons: [] }
const DRIFTED = condition('Drifted', { lastTransitionAt: ago(MINUTE) })
const DRIFT = { terminateFirst: ['Drifted'] } as const

function decided(shape: SnapshotShape): Decision {
  return decideStaticDrift(fleetSnapshotOf(snapshot(shape)), { expecting: () => new Map(), ending: new Set(), others: NOTHING })
}

function fullPool(shape: NodePoolShape = {}): NodePool {
  return nodePool({ replicas: 3, limits: { nodes: 3 }, disruption: { budgets: [{ nodes: '100%' }] }, ...shape })
}

/** Drifted claims that are up. */
function driftedClaims(count: number, shape: NodeClaimShape = {}): readonly NodeClaim[] {
  const conditions = [condition('Initialized', { lastTransitionAt: ago(HOUR) }), DRIFTED]
  return Array.from({ length: count }, (_, index) => nodeClaim({ name: `default-${index}`, status: { conditions }, ...shape }))
}

function world(pool: NodePool, claims: readonly NodeClaim[], coming: readonly NodeClaim[] = []): NonNullable<SnapshotShape['objects']> {
  return { nodePool: [pool], nodeClaim: [...claims, ...coming], node: claims.map(({ name }) => node({ claim: name })) }
}

const ended = ({ actions }: Decision): readonly string[] =>
  actions.flatMap((action) => (action.kind === 'deleteClaim' && action.terminatesFirst !== undefined ? [action.claim] : []))
const replaced = ({ actions }: Decision): number => actions.filter(({ kind }) => kind === 'startCommand').length
const codes = ({ reasons }: Decision): readonly string[] => [...new Set(reasons.map(({ code }) => code))]

const UNREADY: NodePoolShape = { status: { ...nodePool().status, conditions: [condition('Ready', { status: 'False' })] } }

type Want = { readonly ended?: number; readonly replaced?: number; readonly codes?: readonly string[] }

const CASES: { readonly [sentence: string]: readonly [given: SnapshotShape, want: Want] } = {
  'TF-01 no room under the limit': [{ objects: world(fullPool(), driftedClaims(3)), settings: DRIFT }, { ended: 3 }],
  'TF-01 as many as the budget lets go': [
    { objects: world(fullPool({ disruption: { budgets: [{ nodes: '1' }] } }), driftedClaims(3)), settings: DRIFT },
    { ended: 1, codes: ['DISRUPTION.BUDGET'] },
  ],
  'TF-02 room for one: its replacement comes first, and the others wait for it': [
    { objects: world(fullPool({ limits: { nodes: 4 } }), driftedClaims(3)), settings: DRIFT },
    { replaced: 1, codes: ['DISRUPTION.NO_ROOM'] },
  ],
  'TF-03 without the setting': [{ objects: world(fullPool(), driftedClaims(3)) }, { codes: ['DISRUPTION.NO_ROOM'] }],
  'TF-12 with the setting for repair alone': [
    { objects: world(fullPool(), driftedClaims(3)), settings: { terminateFirst: ['Unhealthy'] } },
    { codes: ['DISRUPTION.NO_ROOM'] },
  ],
  'TF-04 a pool that is not ready': [
    { objects: world(fullPool(UNREADY), driftedClaims(3)), settings: DRIFT },
    { codes: ['DISRUPTION.NO_ROOM'] },
  ],
  'TF-04 a pool that is being deleted': [{ objects: world(fullPool({ meta: { deletedAt: NOW } }), driftedClaims(3)), settings: DRIFT }, {}],
  'TF-05 a machine too many, which goes first': [
    { objects: world(fullPool({ replicas: 2 }), driftedClaims(3)), settings: DRIFT },
    { codes: ['DISRUPTION.PENDING'] },
  ],
  'a machine that is still to come up': [
    { objects: world(fullPool(), driftedClaims(2), [nodeClaim({ name: 'default-x', stage: 'launched' })]), settings: DRIFT },
    { codes: ['DISRUPTION.PENDING'] },
  ],
  'TF-11 nothing for sale in its place, as where its reservations are full': [
    { objects: world(fullPool(), driftedClaims(3)), settings: DRIFT, types: [] },
    { codes: ['DISRUPTION.NO_ROOM'] },
  ],
}

describe('drifted machines of a full static pool', () => {
  it.each(Object.entries(CASES))('%s', (_, [given, want]) => {
    const decision = decided(given)
    expect({ ended: ended(decision).length, replaced: replaced(decision), codes: codes(decision) }).toEqual({
      ended: 0,
      replaced: 0,
      codes: [],
      ...want,
    })
  })

  it('a broken machine that never came up does not wait for itself', () => {
    const coming = nodeClaim({ name: 'default-x', stage: 'registered' })
    const other = nodeClaim({ name: 'default-y', stage: 'registered' })
    const pool = fullPool()
    const whyNot = (claims: readonly NodeClaim[], late: readonly NodeClaim[]) =>
      whyNotFirst(
        { claim: coming },
        { pool: { ...pool, replicas: 3 }, reason: 'Unhealthy' },
        fleetSnapshotOf(snapshot({ objects: world(pool, claims, late), settings: { terminateFirst: ['Unhealthy'] } })),
      )?.code
    expect(whyNot(driftedClaims(2), [coming])).toBeUndefined()
    expect(whyNot(driftedClaims(1), [coming, other])).toBe('DISRUPTION.PENDING')
  })

  it('say why they go, and save nothing', () => {
    const { actions } = decided({ objects: world(fullPool({ replicas: 1, limits: { nodes: 1 } }), driftedClaims(1)), settings: DRIFT })
    expect(actions[0]).toMatchObject({ because: 'Drifted', terminatesFirst: { pool: 'default', why: 'static-at-limit' } })
    expect(actions[0]).not.toHaveProperty('saves')
    const messages = actions.flatMap((action) => (action.kind === 'publish' ? [action.event.message] : []))
    const message = 'Drifted: nodeclaim default-0 ends before another one comes: nodepool default has no room for both'
    expect(messages).toEqual([message, message])
  })
})

/** A static pool, step by step: machines go, others come, in any order. */
function life(replicas: number, budget: number, picks: readonly number[]) {
  const pool = fullPool({ replicas, limits: { nodes: replicas }, disruption: { budgets: [{ nodes: String(budget) }] } })
  let up = driftedClaims(replicas)
  let coming: readonly NodeClaim[] = []
  let going: readonly NodeClaim[] = []
  const seen = { most: 0, least: replicas, steps: 0 }
  for (const pick of picks) {
    const objects = { ...world(pool, [...up, ...going], coming) }
    const given = { objects, settings: DRIFT, decision: ++seen.steps }
    const leaving = new Set(ended(decided(given)))
    const created = decideStaticPools(fleetSnapshotOf(snapshot(given)), NOTHING).actions.flatMap((action) =>
      action.kind === 'createClaim' ? [nodeClaim({ name: action.draft.name, stage: 'launched' })] : [],
    )
    going = [...going, ...up.filter(({ name }) => leaving.has(name)).map((each) => ({ ...each, meta: { ...each.meta, deletedAt: NOW } }))]
    up = up.filter(({ name }) => !leaving.has(name))
    coming = [...coming, ...created]
    seen.most = Math.max(seen.most, up.length + coming.length + going.length)
    seen.least = Math.min(seen.least, up.length)
    if (pick % 2 === 0) going = going.slice(1)
    else if (coming.length > 0) {
      up = [...up, ...coming.slice(0, 1).map(({ name }) => nodeClaim({ name }))]
      coming = coming.slice(1)
    }
  }
  const drifted = up.filter(({ status }) => status.conditions.includes(DRIFTED)).length + going.length
  return { ...seen, drifted, up: up.length }
}

describe('a full static pool whose machines go first', () => {
  it('is never above its limit, never lacks more machines than its budget, and ends with new ones', () => {
    const inputs = [fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 }), fc.array(fc.nat(9), { maxLength: 12 })] as const
    fc.assert(
      fc.property(...inputs, (replicas, budget, random) => {
        const rest = Array.from({ length: 6 * replicas }, (_, index) => index)
        const { most, least, drifted, up } = life(replicas, budget, [...random, ...rest])
        expect(most).toBeLessThanOrEqual(replicas)
        expect(least).toBeGreaterThanOrEqual(replicas - budget)
        expect({ drifted, up }).toEqual({ drifted: 0, up: replicas })
      }),
      { numRuns: 40 },
    )
  })

  it('stops once a machine in the place of another had drifted when it came up', () => {
    const pool = fullPool({ replicas: 1, limits: { nodes: 1 } })
    const made = decideStaticPools(fleetSnapshotOf(snapshot({ objects: { nodePool: [pool] }, settings: DRIFT })), NOTHING)
    const [annotations] = made.actions.flatMap((action) => (action.kind === 'createClaim' ? [action.draft.annotations] : []))
    const born = (since: number) => [condition('Initialized', { lastTransitionAt: ago(since) }), DRIFTED]
    const after = (since: number) => driftedClaims(1, { meta: { annotations: annotations ?? {} }, status: { conditions: born(since) } })
    expect(codes(decided({ objects: world(pool, after(2 * MINUTE)), settings: DRIFT }))).toEqual(['DISRUPTION.DRIFT_PAUSED'])
    expect(ended(decided({ objects: world(pool, after(HOUR)), settings: DRIFT }))).toEqual(['default-0'])
  })
})
