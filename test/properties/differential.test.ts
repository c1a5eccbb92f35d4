import { describe, expect, it } from 'vitest'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import { checkPlacement } from '../checker/checkPlacement.ts'
import { violationsOf } from '../checker/checkPlan.ts'
import { placementOfOracle } from '../checker/placement.ts'
import { describeViolation } from '../checker/violation.ts'
import { randomSnapshot } from '../generators/randomSnapshot.ts'
import { smallest } from '../generators/smallest.ts'
import { wideSnapshot } from '../generators/wideSnapshot.ts'
import { firstFitOracle } from '../oracle/firstFitOracle.ts'
import type { OracleAnswer } from '../oracle/oracleAnswer.ts'
import { outcomeOf } from './randomCase.ts'

const CASES = Number(process.env['DIFFERENTIAL_SEEDS'] ?? 600)
const FIRST_SEED = Number(process.env['DIFFERENTIAL_FIRST_SEED'] ?? 1)
const seeds = Array.from({ length: CASES }, (_, index) => FIRST_SEED + index)

/** Rounding of a price an hour, in millionths of a dollar. */
const ROUNDING = 20

/**
 * Where the engine costs more or places fewer, and why first fit is not right there. An answer of first fit in which the checker finds
 * fault is no measure and need not be listed.
 */
const DEARER: { readonly [seed: number]: string } = {
  7271: 'first fit counts pods on a machine of another team for a spread over zones; the zone has none of its own, which only the scheduler forgives',
}
const FEWER: { readonly [seed: number]: string } = {}

const SILENT = 'pods are left to nodes that no claim made, and the checker binds them to others of these'

/** Where the checker finds fault, and why it is left. */
const BROKEN: { readonly [seed: number]: string } = {
  22146: SILENT,
  27525: SILENT,
}

/** Of more seeds than the lists were made for (1 to 32,000), at most this share each. */
const MOST_UNLISTED = 0.0005
const LISTED = 32_000

describe('the engine and the first-fit oracle on random clusters', () => {
  it(`place no fewer pods for no more money on ${CASES} of them, and for a tenth less in sum, without breaking a rule`, {
    timeout: 60 * 60_000,
  }, () => {
    const found = { same: 0, cheaper: 0, placesMore: 0, noMeasure: 0 }
    const dearer: number[] = []
    const fewer: number[] = []
    const broken: string[] = []
    /** Where the setting `firstFit` places more or costs less. */
    const lost: number[] = []
    let ours = 0
    let theirs = 0
    for (const seed of seeds) {
      const given = randomSnapshot(seed)
      const { decision, refused, price } = outcomeOf(given)
      const plain = outcomeOf({ ...given, settings: { ...given.settings, placement: 'firstFit' } })
      if (refused.size > plain.refused.size || (refused.size === plain.refused.size && price > plain.price)) lost.push(seed)
      const oracle = firstFitOracle(given)
      const violations = violationsOf(given, decision)
      if (violations.length > 0 && !(seed in BROKEN)) broken.push(story(seed, given))
      const missing = refused.size - keptApart(decision) - oracle.unplaced.size
      const isDearer = missing === 0 && price > oracle.price + ROUNDING
      if ((missing > 0 || isDearer) && !holds(given, oracle)) found.noMeasure++
      else if (missing > 0) fewer.push(seed)
      else if (isDearer) dearer.push(seed)
      else if (missing < 0) found.placesMore++
      else if (price < oracle.price - ROUNDING) found.cheaper++
      else found.same++
      if (missing !== 0) continue
      ours += price
      theirs += oracle.price
    }
    const totals = { ...found, dearer: dearer.length, fewer: fewer.length, broken: broken.length, price: percent(ours / theirs) }
    console.log(`${CASES} random clusters against first fit: ${JSON.stringify(totals)}`)
    if (dearer.length + fewer.length > 0) console.log(`dearer: ${dearer.join(' ')}\nfewer: ${fewer.join(' ')}`)
    expect(broken).toEqual([])
    // Of thousands a few: rules over rare labels are given up in another order there.
    expect(lost.length, `first fit of its own is better: ${lost.join(' ')}`).toBeLessThanOrEqual(CASES * MOST_UNLISTED)
    expect(unlisted(dearer, DEARER), 'dearer and not listed').toEqual([])
    expect(unlisted(fewer, FEWER), 'fewer and not listed').toEqual([])
    expect(dearer.length).toBeLessThanOrEqual(Object.keys(DEARER).length + CASES * MOST_UNLISTED)
    expect(fewer.length).toBeLessThanOrEqual(Object.keys(FEWER).length + CASES * MOST_UNLISTED)
    expect(ours).toBeLessThan(0.9 * theirs)
  })
})

/** First fit knows nothing of several terms at once nor of daemons that pods avoid: where pods are not the same ones, prices say little. */
const MOST_WIDE_WORSE = 0.005

describe('the engine and the first-fit oracle on clusters of rare mixtures', () => {
  it(`hardly ever place fewer pods or pay more on ${CASES} of them`, { timeout: 60 * 60_000 }, () => {
    const worse = seeds.filter((seed) => {
      const wide = wideSnapshot(seed)
      // The oracle does not know overlays.
      const given = { ...wide, objects: { ...wide.objects, nodeOverlay: [] } }
      const { decision, refused, price } = outcomeOf(given)
      const oracle = firstFitOracle(given)
      const missing = refused.size - keptApart(decision) - oracle.unplaced.size
      return (missing > 0 || (missing === 0 && price > oracle.price + ROUNDING)) && holds(given, oracle)
    })
    expect(worse.length, worse.join(' ')).toBeLessThanOrEqual(CASES * MOST_WIDE_WORSE)
  })
})

/** Pods that anti-affinity keeps from daemons: first fit places them where the scheduler will not. */
function keptApart({ reasons }: Decision): number {
  return reasons.filter(({ code, message }) => code === 'SCHEDULING.ANTI_AFFINITY' && message.includes('apart from DaemonSet')).length
}

/** Whether the scheduler can carry the answer of first fit out. */
function holds(given: ClusterSnapshot, answer: OracleAnswer): boolean {
  return checkPlacement(given, placementOfOracle(given, answer)).length === 0
}

/** Of each cause some. */
const ONCE_WORSE = [
  209, 1004, 1100, 1244, 1329, 1881, 2054, 2254, 2637, 2861, 3029, 3525, 3763, 4116, 4751, 4883, 5744, 6290, 6693, 7101, 7154, 7638, 8518,
  8805, 9629, 9818, 10483, 10957, 14047, 14268, 15796, 16922, 17350, 18421, 21673, 35806, 38476,
]

describe('an excuse', () => {
  it.each(Object.keys(DEARER).map(Number))('is needed for seed %i, which is dearer', (seed) => {
    const given = randomSnapshot(seed)
    const oracle = firstFitOracle(given)
    expect(outcomeOf(given).price).toBeGreaterThan(oracle.price + ROUNDING)
    expect(holds(given, oracle)).toBe(true)
  })

  it.each(Object.keys(BROKEN).map(Number))('is needed for seed %i, in which the checker finds fault', (seed) => {
    const given = randomSnapshot(seed)
    expect(violationsOf(given, outcomeOf(given).decision)).not.toEqual([])
  })
})

describe('clusters whose plans were dearer or placed fewer once', () => {
  it.each(ONCE_WORSE)('seed %i', (seed) => expectNoWorse(seed))
})

function expectNoWorse(seed: number): void {
  const given = randomSnapshot(seed)
  const { decision, refused, price } = outcomeOf(given)
  const oracle = firstFitOracle(given)
  const missing = refused.size - keptApart(decision) - oracle.unplaced.size
  expect(missing).toBeLessThanOrEqual(0)
  if (missing === 0) expect(price).toBeLessThanOrEqual(oracle.price + ROUNDING)
}

describe('clusters whose plans broke a rule once', () => {
  it.each([
    310, 537, 623, 656, 840, 904, 1421, 2672, 2980, 3213, 3351, 3916, 4725, 5036, 6070, 6229, 6750, 8507, 5409, 5627, 10582, 12374, 18070,
    29695, 36972, 40833, 24725, 22950, 28774,
  ])('seed %i keeps them all', (seed) => {
    const given = randomSnapshot(seed)
    expect(violationsOf(given, outcomeOf(given).decision).map(describeViolation)).toEqual([])
  })
})

function unlisted(these: readonly number[], listed: { readonly [seed: number]: string }): readonly number[] {
  return these.filter((seed) => seed <= LISTED && !(seed in listed))
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`
}

/** The smallest cluster that shows the same, for whoever has to understand it. */
function story(seed: number, given: ClusterSnapshot): string {
  const of = (snapshot: ClusterSnapshot) => violationsOf(snapshot, outcomeOf(snapshot).decision)
  const [first] = of(given)
  const least = smallest(given, (each) => of(each).some(({ rule }) => rule === first?.rule))
  return `seed ${seed}, at its smallest:\n${JSON.stringify(least.objects, undefined, 1)}\n${of(least).map(describeViolation).join('\n')}`
}
