/** The same order chooses among the alternatives of a pod and among NodePools. */
import { describe, expect, it } from 'vitest'
import { explained } from '../../../../test/scenarios/explained.ts'
import type { Verdict } from './verdict.ts'
import { inVerdictOrder, VERDICT_ORDER, verdictRank } from './verdictOrder.ts'

/** Alternatives of required node affinity, and the verdict that each of them alone gets. From least to most telling. */
const ALTERNATIVES: { readonly [alternative: string]: Verdict['kind'] } = {
  'team=a': 'labels',
  'cpus=3': 'sizes',
  'zone=z3, capacity=spot': 'offering',
  'type=small': 'amount',
  'type=arm': 'ports',
  'type=default': 'limit',
}

function verdictOf(needs: readonly string[]): Verdict {
  const given = {
    pools: { default: { limits: { cpu: 3 } } },
    daemons: { proxy: { select: 'type=arm', ports: '80' } },
    pods: { p: { asks: { cpu: 3 }, ports: '80', needs } },
  }
  const found = explained({ given, want: {} })
  const verdict = found.kind === 'refused' ? found.pools[0]?.verdict : undefined
  if (verdict === undefined) throw new Error(`the pod is not refused by a NodePool: ${found.kind}`)
  return verdict
}

const ALL = Object.keys(ALTERNATIVES)
const PAIRS = ALL.flatMap((less, index) => ALL.slice(index + 1).map((more) => [less, more] as const))

describe('the verdict', () => {
  for (const [alternative, kind] of Object.entries(ALTERNATIVES)) {
    it(`of ${alternative} alone is ${kind}`, () => expect(verdictOf([alternative]).kind).toBe(kind))
  }

  for (const [less, more] of PAIRS) {
    it(`of ${more} is told rather than that of ${less}`, () => {
      expect(verdictOf([less, more])).toEqual(verdictOf([more]))
      expect(verdictOf([more, less])).toEqual(verdictOf([more]))
      const pools = [less, more].map((each) => ({ pool: each, verdict: verdictOf([each]) }))
      expect(inVerdictOrder(pools).map(({ pool }) => pool)).toEqual([more, less])
    })
  }
})

describe('the order of verdicts', () => {
  it('has no place twice', () => expect(new Set(VERDICT_ORDER).size).toBe(VERDICT_ORDER.length))

  it('has rooms that are too small in one place, whether or not one instance type alone is large enough for each resource', () => {
    const amount: Verdict = { kind: 'amount', resource: 'cpu', asked: 2, had: 1, shortBy: 1 }
    expect(verdictRank({ kind: 'atOnce', instanceTypes: 2 })).toBe(verdictRank(amount))
  })

  it('puts a code that it does not have last', () => {
    expect(verdictRank({ kind: 'pool', code: 'KUBE.NOT_FOUND', message: '' })).toBe(-1)
  })
})
