import { describe, expect, it } from 'vitest'
import { decide } from '../../shared/engine/loadedCluster.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { bindWave, trialsOf, waveOf } from '../checker/bindWave.ts'
import { justFitting } from '../generators/justFitting.ts'
import { scaledDown } from '../generators/scaledDown.ts'

const CASES = Number(process.env['WAVES_CASES'] ?? 120)
const FIRST_SEED = Number(process.env['WAVES_SEED'] ?? 1)
/** Ways to bind the pods of each wave: with and without the nodes that go, in several orders, with claims of several sizes. */
const TRIALS = 12

/** The largest share of moved pods that are not bound in the first round, or not at all. */
const MOST_LATE = 0.005

/** Binds the pods of the first wave of each cluster in every way. */
function bound(clusterOf: (seed: number) => ClusterSnapshot) {
  const sums = { pods: 0, late: 0, unbound: 0, waves: 0 }
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
    const given = clusterOf(seed)
    const wave = waveOf(given, decide(given))
    const before = sums.pods
    for (const trial of trialsOf(TRIALS)) {
      const { byRound, unbound } = bindWave(wave, trial)
      const all = byRound.reduce((sum, count) => sum + count, unbound.length)
      sums.pods += all
      sums.late += all - (byRound[0] ?? 0)
      sums.unbound += unbound.length
    }
    if (sums.pods > before) sums.waves++
  }
  return sums
}

/**
 * Measured: 0.37 % of the pods for seeds 1 to 300 of the first kind, and 0.12 % for seeds 1 to 100 of the second kind. Without the check of the moves,
 * the shares are 3.5 % and 5.4 %.
 */
const CLUSTERS: readonly (readonly [string, (seed: number) => ClusterSnapshot])[] = [
  ['that were scaled down', scaledDown],
  ['in which pods just fit', justFitting],
]

describe.each(CLUSTERS)(`the waves of ${CASES} clusters %s`, (_, clusterOf) => {
  it('leave nearly every pod a place, however kube-scheduler binds them', { timeout: 60 * 60_000 }, () => {
    const { pods, late, unbound, waves } = bound(clusterOf)
    console.log(`${waves} waves, ${pods} bindings: ${late} late, ${unbound} of them without a place`)
    // Proves that pods move at all.
    expect(waves).toBeGreaterThan(CASES / 5)
    expect(late / pods, `${late} of ${pods}`).toBeLessThanOrEqual(MOST_LATE)
  })
})
