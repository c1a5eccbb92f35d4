import { describe, expect, it } from 'vitest'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { checkPlacement } from '../checker/checkPlacement.ts'
import { placementOfOracle } from '../checker/placement.ts'
import { describeViolation, type Violation } from '../checker/violation.ts'
import { firstFitOracle } from '../oracle/firstFitOracle.ts'
import type { Quirks } from '../oracle/oracleAnswer.ts'
import { casesOf, FIRST_SEED, seedsOf } from '../properties/cases.ts'
import { randomSnapshot } from './randomSnapshot.ts'
import { smallest } from './smallest.ts'

const CASES = casesOf(200)
const seeds = seedsOf(CASES)

describe('the oracle on random clusters', () => {
  it(`keeps every rule on ${CASES} of them`, { timeout: 30 * 60_000 }, () => {
    const counts = { placed: 0, unplaced: 0, claims: 0 }
    for (const seed of seeds) {
      const given = randomSnapshot(seed)
      const answer = firstFitOracle(given)
      const found = checkPlacement(given, placementOfOracle(given, answer))
      expect(found.map(describeViolation), found.length === 0 ? '' : story(seed, given, found)).toEqual([])
      counts.placed += [...answer.targets.values(), ...answer.claims.map(({ pods }) => pods)].flat().length
      counts.unplaced += answer.unplaced.size
      counts.claims += answer.claims.length
    }
    console.log(`oracle on ${CASES} random clusters: ${JSON.stringify(counts)}, no violation`)
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(CASES / 2)
  })

  it('breaks rules where it follows upstream to the letter, and the checker sees it', () => {
    const broken = seeds.slice(0, 200).flatMap((seed) => violationsOf(randomSnapshot(seed), 'upstream'))
    expect(broken.length).toBeGreaterThan(0)
  })

  it('is asked the same for the same seed', () => {
    expect(randomSnapshot(FIRST_SEED)).toEqual(randomSnapshot(FIRST_SEED))
    expect(randomSnapshot(FIRST_SEED)).not.toEqual(randomSnapshot(FIRST_SEED + 1))
  })

  it('answers the same whatever the order of the input', () => {
    for (const seed of seeds.slice(0, 40)) {
      const given = randomSnapshot(seed)
      const turned = Object.fromEntries(Object.entries(given.objects).map(([kind, list]) => [kind, list.toReversed()]))
      const objects: ClusterSnapshot['objects'] = { ...given.objects, ...turned }
      expect(firstFitOracle({ ...given, objects }), `seed ${seed}`).toEqual(firstFitOracle(given))
    }
  })
})

function violationsOf(given: ClusterSnapshot, quirks: Quirks = 'fixed'): readonly Violation[] {
  return checkPlacement(given, placementOfOracle(given, firstFitOracle(given, { quirks })))
}

/** The failing cluster, reduced to the smallest one that breaks the same rule. */
function story(seed: number, given: ClusterSnapshot, [first]: readonly Violation[]): string {
  const least = smallest(given, (each) => violationsOf(each).some(({ rule }) => rule === first?.rule))
  return `seed ${seed}, at its smallest:\n${JSON.stringify(least.objects, undefined, 1)}\n${violationsOf(least).map(describeViolation).join('\n')}`
}
