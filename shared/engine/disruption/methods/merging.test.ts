import { describe, expect, it } from 'vitest'
import { disruptionOf } from '../../../../test/builders/decided.ts'
import { instanceType } from '../../../../test/builders/instanceType.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import { poolWith, weighed } from '../../../../test/builders/weighed.ts'
import { bySavingsRatio, priceOf } from '../candidates/candidate.ts'
import { inTurn, turnOf } from '../verdicts/moveTurns.ts'
import { LEAST_SCORE, scoreOf, totalsOf, unbalanced } from './merging.ts'

const NODES = 120
const MOST_TOGETHER = 16

it('SV-16 of more than a hundred nodes that fewer could replace, no move takes more than sixteen together', () => {
  const names = Array.from({ length: NODES }, (_, at) => `default-${String(at).padStart(3, '0')}`)
  const small = instanceType({ price: 0.2, spotPrice: null })
  const large = instanceType({ name: 'Standard_D128as_v6', cpus: 128, memoryGib: 512, price: 1, spotPrice: null })
  const { actions } = disruptionOf(
    snapshot({
      types: [small, large],
      objects: {
        nodePool: [nodePool({ disruption: { budgets: [{ nodes: '100%' }], consolidationPolicy: 'WhenEmptyOrUnderutilized' } })],
        node: names.map((claim) => node({ claim })),
        nodeClaim: names.map((name) => nodeClaim({ name })),
        pod: names.map((name) => pod({ name: `on-${name}`, cpus: 3, nodeName: nodeNameOf(name) })),
      },
    }),
  )
  const together = actions.flatMap((action) => (action.kind === 'startCommand' ? [action.command.candidates.length] : []))
  expect(Math.max(...together)).toBe(MOST_TOGETHER)
  expect(together.reduce((sum, count) => sum + count, 0)).toBe(NODES)
})

const OF_TEN = { price: 58.08, cost: 90 }
const OF_A_HUNDRED = { price: 100, cost: 100 }

/** Karpenter's worked numbers: dollars a day, and costs to move. */
describe('the score of a move', () => {
  it.each([
    ['BA-01 a large saving for few pods', 7.26, 4, OF_TEN, 2.81, true],
    ['BA-02 a saving for as many', 4.84, 5, OF_TEN, 1.5, true],
    ['BA-03 a small saving for many', 2.42, 9, OF_TEN, 0.42, false],
    ['BA-04 no saving', 0, 11, OF_TEN, 0, false],
    ['BA-05 one of nodes that are all alike', 2.42, 9, { price: 48.4, cost: 90 }, 0.5, true],
    ['BA-06 of unlike ones, for few pods', 4.84, 5, { price: 58.08, cost: 117 }, 1.95, true],
    ['BA-06 of unlike ones, for many', 4.84, 32, { price: 58.08, cost: 117 }, 0.3, false],
    ['BA-07 of a pool ten times as large', 72.6, 40, { price: 580.8, cost: 900 }, 2.81, true],
    ['BA-08 nothing is disturbed', 1, 0, { price: 10, cost: 10 }, Number.POSITIVE_INFINITY, true],
    ['BA-09 nothing is disturbed or saved', 0, 0, { price: 10, cost: 10 }, 0, false],
    ['BA-10 a pool that costs nothing', 1, 1, { price: 0, cost: 10 }, 0, false],
    ['BA-12 in a pool of on-demand nodes', 10, 5, { price: 100, cost: 50 }, 1, true],
    ['BA-12 in a pool of spot nodes at three tenths of the price', 3, 5, { price: 30, cost: 50 }, 1, true],
    ['BS-11 a fifth of the price for a twentieth of the pods', 20, 5, OF_A_HUNDRED, 4, true],
    ['BS-11 as much of one as of the other', 10, 10, OF_A_HUNDRED, 1, true],
    ['BS-11 a twentieth of the price for half of the pods', 5, 50, OF_A_HUNDRED, 0.1, false],
    ['BS-11 for no pods', 5, 0, OF_A_HUNDRED, Number.POSITIVE_INFINITY, true],
    ['BS-11 nothing for some', 0, 5, OF_A_HUNDRED, 0, false],
    ['BS-11 a loss', -5, 5, OF_A_HUNDRED, 0, false],
  ])('%s', (_sentence, saving, cost, totals, want, isEnough) => {
    expect(scoreOf(saving, cost, totals)).toBeCloseTo(want, 2)
    expect(scoreOf(saving, cost, totals) >= LEAST_SCORE).toBe(isEnough)
  })
})

describe('the totals of a pool', () => {
  const priced = weighed({ name: 'a', price: 2, cost: 3 })
  const unpriced = weighed({ name: 'b', price: null, cost: 4 })

  it('BS-01 BV-03 count every candidate, and one without a known size as nothing', () => {
    expect(totalsOf([priced, unpriced], [])).toEqual({ price: 2_000_000, cost: 7 })
    expect(totalsOf([unpriced], [])).toEqual({ price: 0, cost: 4 })
  })

  it('BS-02 count the pods of nodes without a price, and of nodes that are no candidates', () => {
    const other = { ...unpriced.machine, name: 'c', pods: [pod({ nodeName: nodeNameOf('c'), phase: 'Running' })] }
    expect(totalsOf([priced, unpriced], [priced.machine, unpriced.machine, other])).toEqual({ price: 2_000_000, cost: 9 })
  })

  it('BS-09 take a node at its price, and one without a known size at nothing', () => {
    expect([priceOf(priced), priceOf(unpriced)]).toEqual([2_000_000, 0])
  })

  it('BV-05 BS-06 of its only node are all that its deletion saves and disturbs: the score is 1', () => {
    const totals = totalsOf([priced], [priced.machine])
    expect(scoreOf(priceOf(priced), priced.cost, totals)).toBe(1)
    expect(unbalanced([priced], priceOf(priced), () => totals)).toBeUndefined()
  })
})

const TOTALS = () => ({ price: 10_000_000, cost: 10 })

describe('a move of several pools', () => {
  it.each([
    ['BA-13 of a pool that is Balanced is weighed', 'Balanced', true],
    ['BA-13 BS-04 of a pool that is not is made whatever it disturbs', 'WhenEmptyOrUnderutilized', false],
    ['BA-13 BS-04 so is one of a pool that lets empty nodes go', 'WhenEmpty', false],
  ] as const)('%s', (_sentence, policy, isWeighed) => {
    const refused = unbalanced([weighed({ pool: poolWith(policy), cost: 100 })], 1, TOTALS)
    expect(refused !== undefined).toBe(isWeighed)
  })

  it('BS-07 BS-08 splits what it saves by what the nodes cost, and one pool that it does not pay for refuses it', () => {
    const [one, two] = [poolWith('Balanced', 'one'), poolWith('Balanced', 'two')]
    const first = weighed({ name: 'a', pool: one, price: 3, cost: 1 })
    const move = [first, weighed({ name: 'b', pool: two, price: 1, cost: 9 })]
    expect(unbalanced(move, 4_000_000, TOTALS)).toMatchObject({ pool: { name: 'two' }, score: 0.1 / 0.9 })
    expect(unbalanced([first], 4_000_000, TOTALS)).toBeUndefined()
  })
})

describe('the turns of nodes', () => {
  it.each([
    ['a dear node that few pods hold', 10, 2, 5],
    ['one that many hold', 10, 20, 0.5],
    ['a cheap one', 1, 2, 0.5],
    ['one without a price', null, 2, 0],
  ])('BS-10 come by what is saved for each pod that moves: %s', (_sentence, price, cost, ratio) => {
    expect(-turnOf(weighed({ price, cost })).rank).toBeCloseTo(ratio * 1_000_000)
  })

  it.each([
    ['Balanced', 'Balanced'],
    ['WhenEmptyOrUnderutilized', 'WhenEmptyOrUnderutilized'],
    ['Balanced', 'WhenEmptyOrUnderutilized'],
  ] as const)('BS-14 SN-01 SN-03 are the same in pools that are %s and %s', (first, second) => {
    const [one, two] = [poolWith(first, 'one'), poolWith(second, 'two')]
    const nodes = [
      weighed({ name: 'least', pool: one, price: 1, cost: 4 }),
      weighed({ name: 'most', pool: two, price: 4, cost: 1 }),
      weighed({ name: 'more', pool: one, price: 4, cost: 2 }),
      weighed({ name: 'less', pool: two, price: 2, cost: 4 }),
    ]
    const wanted = ['most', 'more', 'less', 'least']
    expect(nodes.toSorted(bySavingsRatio).map(({ claim }) => claim.name)).toEqual(wanted)
    expect(
      nodes
        .map(turnOf)
        .sort(inTurn)
        .map(({ claim }) => claim),
    ).toEqual(wanted)
  })
})
