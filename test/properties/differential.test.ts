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
import { casesOf, seedsOf } from './cases.ts'
import { outcomeOf } from './randomCase.ts'

const CASES = casesOf(600)
const seeds = seedsOf(CASES)

/** The tolerance for rounding of an hourly price, in millionths of a dollar. */
const ROUNDING = 20

/**
 * How much more than first fit the engine may pay in the clusters where it pays more, as a share of first fit's price for all clusters. First fit can
 * be lucky: it settles a preference by the name of a zone, or counts pods wherever they may end up. To match that luck, each decision would need a
 * third and a fourth plan. Measured: 0.013 % over seeds 1 to 600.
 */
const TOLERANCE = 0.000_16
/** The same for more than 600 clusters: a few of thousands have one machine that outweighs the rest. Measured: 0.18 % over seeds 1 to 3,000. */
const TOLERANCE_OF_MANY = 0.002

/** The engine's price for all clusters as a share of first fit's. Measured: 0.840 over seeds 1 to 600, 0.852 over seeds 1 to 3,000. */
const MOST_PRICE = 0.875

/** Seeds at which the engine places fewer pods than first fit, and why first fit is no measure. Answers that break a rule are not listed. */
const FEWER: { readonly [seed: number]: string } = {
  1244: 'the last machine of a pool goes to one pod of a spread, where first fit happens to give it to two pods without one',
}

/** The largest share of clusters in which the setting `firstFit` is better: it tries the terms of node affinity one by one. Two of seeds 1 to 600. */
const MOST_LOST = 0.004

/** The share of seeds that may place fewer pods without being listed. FEWER is complete for seeds 1 to LISTED. */
const MOST_UNLISTED = 0.0005
const LISTED = 32_000

describe('the engine and the first-fit oracle on random clusters', () => {
  it(`differ: the engine pays an eighth less for ${CASES} of them in sum and breaks no rule; where it pays more or places fewer, it is rare and little`, {
    timeout: 60 * 60_000,
  }, () => {
    const found = { same: 0, cheaper: 0, placesMore: 0, noMeasure: 0 }
    const dearer: number[] = []
    const fewer: number[] = []
    const broken: string[] = []
    /** Seeds at which the setting `firstFit` places more pods or costs less. */
    const lost: number[] = []
    let ours = 0
    let theirs = 0
    let excess = 0
    for (const seed of seeds) {
      const given = randomSnapshot(seed)
      const { decision, refused, price } = outcomeOf(given)
      const plain = outcomeOf({ ...given, settings: { ...given.settings, placement: 'firstFit' } })
      if (refused.size > plain.refused.size || (refused.size === plain.refused.size && price > plain.price)) lost.push(seed)
      const oracle = firstFitOracle(given)
      const violations = violationsOf(given, decision)
      if (violations.length > 0) broken.push(story(seed, given))
      const missing = refused.size - keptApart(decision) - oracle.unplaced.size
      const isDearer = missing === 0 && price > oracle.price + ROUNDING
      if ((missing > 0 || isDearer) && !holds(given, oracle)) found.noMeasure++
      else if (missing > 0) fewer.push(seed)
      else if (isDearer) {
        dearer.push(seed)
        excess += price - oracle.price
      } else if (missing < 0) found.placesMore++
      else if (price < oracle.price - ROUNDING) found.cheaper++
      else found.same++
      if (missing !== 0) continue
      ours += price
      theirs += oracle.price
    }
    const totals = {
      ...found,
      dearer: dearer.length,
      fewer: fewer.length,
      broken: broken.length,
      price: percent(ours / theirs),
      excess: excess / theirs,
    }
    console.log(`${CASES} random clusters against first fit: ${JSON.stringify(totals)}`)
    if (dearer.length + fewer.length > 0) console.log(`dearer: ${dearer.join(' ')}\nfewer: ${fewer.join(' ')}`)
    expect(broken).toEqual([])
    // A few of thousands: there, rules over rare labels are relaxed in another order.
    expect(lost.length, `first fit of its own is better: ${lost.join(' ')}`).toBeLessThanOrEqual(CASES * MOST_LOST)
    expect(unlisted(fewer, FEWER), 'fewer and not listed').toEqual([])
    expect(excess / theirs, `dearer: ${dearer.join(' ')}`).toBeLessThanOrEqual(CASES <= 600 ? TOLERANCE : TOLERANCE_OF_MANY)
    expect(fewer.length).toBeLessThanOrEqual(Object.keys(FEWER).length + CASES * MOST_UNLISTED)
    expect(ours / theirs).toBeLessThan(MOST_PRICE)
  })
})

/** First fit handles neither several terms at once nor DaemonSets that pods avoid. If it places other pods, prices say little. */
const MOST_WIDE_WORSE = 0.01

describe('the engine and the first-fit oracle on clusters of rare mixtures', () => {
  it(`hardly ever place fewer pods or pay more on ${CASES} of them`, { timeout: 60 * 60_000 }, () => {
    const worse = seeds.filter((seed) => {
      const wide = wideSnapshot(seed)
      // The oracle ignores overlays.
      const given = { ...wide, objects: { ...wide.objects, nodeOverlay: [] } }
      const { decision, refused, price } = outcomeOf(given)
      const oracle = firstFitOracle(given)
      const missing = refused.size - keptApart(decision) - oracle.unplaced.size
      return (missing > 0 || (missing === 0 && price > oracle.price + ROUNDING)) && holds(given, oracle)
    })
    expect(worse.length, worse.join(' ')).toBeLessThanOrEqual(CASES * MOST_WIDE_WORSE)
  })
})

/** The number of pods that anti-affinity keeps away from DaemonSets. First fit places them where the scheduler does not bind them. */
function keptApart({ reasons }: Decision): number {
  return reasons.filter(({ code, message }) => code === 'SCHEDULING.ANTI_AFFINITY' && message.includes('off nodes with DaemonSet')).length
}

/** Reports whether the scheduler can carry out the answer of first fit. */
function holds(given: ClusterSnapshot, answer: OracleAnswer): boolean {
  return checkPlacement(given, placementOfOracle(given, answer)).length === 0
}

/** Some seeds for each cause that was fixed. */
const ONCE_WORSE = [
  209, 1100, 1329, 1524, 1881, 2054, 2254, 2693, 3029, 3143, 3424, 3525, 3763, 4883, 6693, 7101, 7154, 7638, 10483, 16922, 18421, 21673,
  38476,
]

/** Seeds at which the plan leaves pods to nodes without claims, and other pods have affinity to those pods. */
const LEFT_TO_NODES = [22_146, 27_525]

describe('pods that the plan leaves to nodes that no claim made', () => {
  it.each(LEFT_TO_NODES)('can be bound so that all others have their place: seed %i', (seed) => {
    const given = randomSnapshot(seed)
    expect(violationsOf(given, outcomeOf(given).decision)).toEqual([])
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
    29695, 36972, 40833, 24725, 22950, 28774, 1288, 2489, 3784,
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

/** The failing cluster, reduced to the smallest one that breaks the same rule. */
function story(seed: number, given: ClusterSnapshot): string {
  const of = (snapshot: ClusterSnapshot) => violationsOf(snapshot, outcomeOf(snapshot).decision)
  const [first] = of(given)
  const least = smallest(given, (each) => of(each).some(({ rule }) => rule === first?.rule))
  return `seed ${seed}, at its smallest:\n${JSON.stringify(least.objects, undefined, 1)}\n${of(least).map(describeViolation).join('\n')}`
}
