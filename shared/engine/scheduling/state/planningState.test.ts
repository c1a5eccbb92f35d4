import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../../test/agreement/random.ts'
import { randomChange } from '../../../../test/generators/randomChanges.ts'
import { randomSnapshot } from '../../../../test/generators/randomSnapshot.ts'
import { canonicalJson } from '../../../base/canonicalJson.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import { decideProvisioning } from '../decideProvisioning.ts'
import { loadPlanning } from './planningState.ts'

const CASES = Number(process.env['STATE_CASES'] ?? 120)
const FIRST_SEED = Number(process.env['STATE_SEED'] ?? 1)
const CHANGES = 6

describe('a loaded cluster', () => {
  it(`decides after ${CHANGES} random changes each of ${CASES} random clusters what it would decide from scratch`, {
    timeout: 30 * 60_000,
  }, () => {
    const counts = { claims: 0, nominations: 0, reasons: 0 }
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
      const random = createRandom(seed)
      let now = settled(randomSnapshot(seed), seed)
      const state = loadPlanning(now.objects)
      for (let change = 1; change <= CHANGES; change++) {
        const { delta, after } = randomChange(random, now, settled(randomSnapshot(seed + change * 100_003), seed))
        now = after
        state.apply(delta)
        // Changes may come more than one at a time.
        if (random.chance(0.2)) continue
        const decision = state.decide(now)
        expect(canonicalJson(decision), `seed ${seed}, change ${change}`).toBe(canonicalJson(decideProvisioning(now)))
        counts.claims += decision.actions.filter(({ kind }) => kind === 'createClaim').length
        counts.nominations += decision.actions.filter(({ kind }) => kind === 'nominate').length
        counts.reasons += decision.reasons.length
      }
    }
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(CASES)
  })

  it('decides the same again when nothing has changed', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const given = settled(randomSnapshot(seed), seed)
      const state = loadPlanning(given.objects)
      const first = canonicalJson(state.decide(given))
      expect(canonicalJson(state.decide(given)), `seed ${seed}`).toBe(first)
    }
  })
})

/** Both ways of placing, half the clusters each. */
function settled(given: ClusterSnapshot, seed: number): ClusterSnapshot {
  return { ...given, settings: { ...given.settings, placement: seed % 2 === 0 ? 'price' : 'firstFit' } }
}
