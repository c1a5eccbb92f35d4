import { describe, expect, it } from 'vitest'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import { violationsOf } from '../checker/checkPlan.ts'
import { describeViolation } from '../checker/violation.ts'
import { randomSnapshot } from '../generators/randomSnapshot.ts'
import { smallest } from '../generators/smallest.ts'
import { firstFitOracle } from '../oracle/firstFitOracle.ts'
import { outcomeOf } from './randomCase.ts'

const CASES = Number(process.env['DIFFERENTIAL_SEEDS'] ?? 600)
const FIRST_SEED = Number(process.env['DIFFERENTIAL_FIRST_SEED'] ?? 1)
const seeds = Array.from({ length: CASES }, (_, index) => FIRST_SEED + index)

/** Rounding of a price an hour, in millionths of a dollar. */
const ROUNDING = 20

const OPEN_ZONES = 'first fit leaves zones open, and two pods that it opened machines for later share one'

/** Where as many pods are placed for more money, and why, among the seeds of every test run. */
const DEARER: { readonly [seed: number]: string } = { 209: OPEN_ZONES }

/** Where fewer pods are placed, likewise. */
const FEWER: { readonly [seed: number]: string } = {}

/** Where the checker finds fault, and why it is left. */
const BROKEN: { readonly [seed: number]: string } = {
  5409: 'a machine that may become one of several sizes is taken for one that a spread of others does not look at, since some of them are',
}

/** Of more seeds than the lists were made for: at most this share. Both are luck in the order of equals; see the closing lines of a run. */
const MOST_DEARER = 0.006
const MOST_FEWER = 0.003

const LISTED = 600

describe('the engine and the first-fit oracle on random clusters', () => {
  it(`place no fewer pods for no more money on ${CASES} of them, without breaking a rule`, { timeout: 60 * 60_000 }, () => {
    const found = { same: 0, cheaper: 0, unequal: 0 }
    const dearer: number[] = []
    const fewer: number[] = []
    const broken: string[] = []
    let ours = 0
    let theirs = 0
    for (const seed of seeds) {
      const given = randomSnapshot(seed)
      const { decision, refused, price } = outcomeOf(given)
      const oracle = firstFitOracle(given)
      const violations = violationsOf(given, decision)
      if (violations.length > 0 && !(seed in BROKEN)) broken.push(story(seed, given))
      const withoutReason = refused.size - keptApart(decision)
      if (withoutReason > oracle.unplaced.size) fewer.push(seed)
      else if (refused.size !== oracle.unplaced.size) found.unequal++
      else {
        ours += price
        theirs += oracle.price
        if (price > oracle.price + ROUNDING) dearer.push(seed)
        else if (price < oracle.price - ROUNDING) found.cheaper++
        else found.same++
      }
    }
    const totals = { ...found, dearer: dearer.length, fewer: fewer.length, broken: broken.length, price: percent(ours / theirs) }
    console.log(`${CASES} random clusters against first fit: ${JSON.stringify(totals)}`)
    if (CASES > LISTED) console.log(`dearer: ${dearer.join(' ')}\nfewer: ${fewer.join(' ')}`)
    expect(broken).toEqual([])
    expect(unlisted(dearer, DEARER), 'dearer and not listed').toEqual([])
    expect(unlisted(fewer, FEWER), 'fewer and not listed').toEqual([])
    expect(dearer.length).toBeLessThanOrEqual(Math.max(Object.keys(DEARER).length, CASES * MOST_DEARER))
    expect(fewer.length).toBeLessThanOrEqual(Math.max(Object.keys(FEWER).length, CASES * MOST_FEWER))
    expect(ours).toBeLessThan(theirs)
  })
})

/** Pods that anti-affinity keeps from daemons: first fit places them where the scheduler will not. */
function keptApart({ reasons }: Decision): number {
  return reasons.filter(({ code, message }) => code === 'SCHEDULING.ANTI_AFFINITY' && message.includes('apart from DaemonSet')).length
}

describe('clusters whose plans broke a rule once', () => {
  it.each([310, 537, 623, 656, 840, 904, 1421, 2672, 2980, 3213, 3351, 3916, 4725, 5036, 6070, 6229, 6750, 8507])(
    'seed %i keeps them all',
    (seed) => {
      const given = randomSnapshot(seed)
      expect(violationsOf(given, outcomeOf(given).decision).map(describeViolation)).toEqual([])
    },
  )
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
