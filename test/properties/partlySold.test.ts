import { describe, expect, it } from 'vitest'
import { violationsOf } from '../checker/checkPlan.ts'
import { checkSpreadRefusals } from '../checker/checkSpreadRefusals.ts'
import { describeViolation, type Rule, type Violation } from '../checker/violation.ts'
import { type PartlySold, partlySold } from '../generators/partlySold.ts'
import { outcomeOf } from './randomCase.ts'

const SEEDS = Array.from({ length: 400 }, (_, index) => index + 1)
const PLACEMENTS = ['price', 'firstFit'] as const

/** Rules that first fit breaks by itself: it does not look for an order in which kube-scheduler can bind the pods. */
const NOT_OF_FIRST_FIT: readonly Rule[] = ['spread']

/** Seeds of which a plan by price has no binding order: two spreads, one with minDomains, count the pods of each other and no order suits both. */
const WITHOUT_ORDER: readonly number[] = [149]

describe.each(PLACEMENTS)('pods among zones, sizes and capacity types that they cannot use, placed by %s', (placement) => {
  const faultsOf = (seed: number, world: PartlySold): readonly string[] => {
    const plain = partlySold(seed, world)
    const given = { ...plain, settings: { ...plain.settings, placement } }
    const { decision } = outcomeOf(given)
    const refusals = world.minValues ? [] : checkSpreadRefusals(given, decision)
    const isKnown = ({ rule }: Violation): boolean =>
      placement === 'price' ? rule === 'spread' && WITHOUT_ORDER.includes(seed) : NOT_OF_FIRST_FIT.includes(rule)
    return [...violationsOf(given, decision).filter((each) => !isKnown(each)), ...refusals].map(
      (each) => `seed ${seed}: ${describeViolation(each)}`,
    )
  }

  it('are refused for a spread only where kube-scheduler would refuse them on each machine that can be bought', () => {
    expect(SEEDS.flatMap((seed) => faultsOf(seed, { minValues: false, policy: 'Strict' }))).toEqual([])
  }, 120_000)

  it.each(['Strict', 'BestEffort'] as const)(
    'get only claims that the API server accepts, whatever minValues are asked for (%s)',
    (policy) => {
      expect(SEEDS.flatMap((seed) => faultsOf(seed, { minValues: true, policy }))).toEqual([])
    },
    120_000,
  )
})
