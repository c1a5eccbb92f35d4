import { describe, expect, it } from 'vitest'
import { HOUR, hence, MINUTE, NOW } from '../../test/builders/clock.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import { pod } from '../../test/builders/pod.ts'
import { resources } from '../../test/builders/resources.ts'
import { ASK_OF_NOBODY, type ClaimRefusal, claimAskOf, isInForce, withoutTaken, withRefusedClaims } from './claimRefusal.ts'
import { type EpochMs, epochMs } from './units.ts'

const POOL = nodePool()
const refusedAt = (known: readonly ClaimRefusal[], now: EpochMs, asks: readonly string[] = ['a'], pool = POOL) =>
  withRefusedClaims(known, [{ pool, asks, message: 'denied' }], now)

describe('a claim that the API server refuses again and again', () => {
  it('is tried again after one minute, and each time after twice as long, up to an hour', () => {
    let known: readonly ClaimRefusal[] = []
    let now: EpochMs = NOW
    const waits: number[] = []
    for (let times = 1; times <= 9; times++) {
      known = refusedAt(known, now)
      const [refusal] = known
      expect(known).toMatchObject([{ ask: 'a', times, message: 'denied', nodePool: 'default' }])
      waits.push((refusal?.until ?? now) - now)
      now = refusal?.until ?? now
    }
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 32, 60, 60].map((minutes) => minutes * MINUTE))
  })

  it('begins anew once the NodePool has changed, or another one has its name, or two hours have passed', () => {
    const [before] = refusedAt([], NOW)
    const known = before === undefined ? [] : [{ ...before, times: 5 }]
    const changed = nodePool({ meta: { generation: POOL.meta.generation + 1 } })
    const other = nodePool({ meta: { uid: pod().uid } })
    expect(refusedAt(known, hence(HOUR), ['a'], changed)).toMatchObject([{ times: 1 }])
    expect(refusedAt(known, hence(HOUR), ['a'], other)).toMatchObject([{ times: 1 }])
    expect(refusedAt(known, hence(2 * HOUR))).toMatchObject([{ times: 6 }])
    expect(refusedAt(known, hence(2 * HOUR + MINUTE))).toMatchObject([{ times: 1 }])
  })

  it('holds until its time, for the NodePool as it was', () => {
    const [refusal = expect.fail('no refusal')] = refusedAt([], NOW)
    expect(isInForce(refusal, POOL, epochMs(refusal.until - 1))).toBe(true)
    expect(isInForce(refusal, POOL, refusal.until)).toBe(false)
    expect(isInForce(refusal, nodePool({ meta: { generation: 9 } }), NOW)).toBe(false)
    expect(isInForce(refusal, nodePool({ name: 'other' }), NOW)).toBe(false)
  })

  it('is forgotten once such a claim is made', () => {
    const known = refusedAt([], NOW, ['a', 'b'])
    expect(withoutTaken(known, [{ nodePool: POOL.name, asks: ['a'] }])).toMatchObject([{ ask: 'b' }])
    expect(withoutTaken(known, [{ nodePool: nodePool({ name: 'other' }).name, asks: ['a'] }])).toBe(known)
  })
})

describe('a refused claim of different pods', () => {
  it('lets them in one after another, the first at once', () => {
    const untils = new Map(refusedAt([], NOW, ['c', 'a', 'b']).map(({ ask, until }) => [ask, until - NOW]))
    expect(untils).toEqual(
      new Map([
        ['a', 0],
        ['b', 10_000],
        ['c', 20_000],
      ]),
    )
  })

  it('says less than the refusal of one of them alone in the same decision, in whichever order they come', () => {
    const claims = [
      { pool: POOL, asks: ['a', 'b'], message: 'denied' },
      { pool: POOL, asks: ['a'], message: 'denied alone' },
    ]
    for (const refused of [claims, claims.toReversed()]) {
      const found = withRefusedClaims([], refused, NOW)
      expect(found.find(({ ask }) => ask === 'a')).toMatchObject({ until: hence(MINUTE / 2), message: 'denied alone', times: 1 })
      expect(found).toHaveLength(2)
    }
  })

  it('counts once a decision, however many claims of one kind are refused', () => {
    const claims = Array.from({ length: 30 }, () => ({ pool: POOL, asks: ['a'], message: 'denied' }))
    expect(withRefusedClaims([], claims, NOW)).toMatchObject([{ times: 1 }])
  })

  it('leaves no more than a bounded number of refusals', () => {
    const asks = Array.from({ length: 3_000 }, (_, index) => String(index))
    expect(refusedAt([], NOW, asks)).toHaveLength(1_000)
  })
})

describe('what pods add to a claim', () => {
  const one = pod({ requests: resources(1, 1) })

  it('is the same for pods that differ in what no claim shows', () => {
    const other = pod({ name: 'other', labels: { app: 'other' }, annotations: { note: 'x' }, priority: 9, requests: resources(1, 1) })
    expect(claimAskOf(other)).toBe(claimAskOf(one))
  })

  it('differs with amounts and labels of the node, and is never that of a static NodePool', () => {
    const term = { matchExpressions: [{ key: 'team', operator: 'In', values: ['a'] }], matchFields: [] } as const
    const asks = [
      one,
      pod({ requests: resources(2, 1) }),
      pod({ requests: resources(1, 1), nodeSelector: { team: 'a' } }),
      pod({ requests: resources(1, 1), requiredNodeTerms: [term] }),
      pod({ requests: resources(1, 1), preferredNodeTerms: [{ weight: 1, term }] }),
    ].map(claimAskOf)
    expect(new Set([...asks, ASK_OF_NOBODY]).size).toBe(asks.length + 1)
  })
})
