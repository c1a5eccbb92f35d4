import { describe, expect, it } from 'vitest'
import { once } from '../../shared/base/caches.ts'
import type { FleetSnapshot } from '../../shared/engine/cluster/fleet.ts'
import { decideDisruption } from '../../shared/engine/disruption/decideDisruption.ts'
import { claimsExpectingPods, loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import type { Relocation } from '../../shared/engine/scheduling/relocation/relocation.ts'
import type { Relocatable } from '../../shared/engine/scheduling/relocation/relocationProblem.ts'
import { simulateDecision } from '../../shared/engine/simulateDecision.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { bindWave, trialsOf, waveOf } from '../checker/bindWave.ts'
import { justFitting } from '../generators/justFitting.ts'
import { largeWaves } from '../generators/largeWaves.ts'
import { scaledDown } from '../generators/scaledDown.ts'
import { casesOf, seedsOf } from './cases.ts'

const CASES = casesOf(30)
/** Clusters whose waves move hundreds of pods take long to check. */
const LARGE_CASES = Math.ceil(CASES / 6)
/** Ways to bind the pods of each wave: with and without the nodes that go, in several orders, with claims of several sizes. */
const TRIALS = 16

/** The largest share of moved pods that are not bound in the first round, or not at all. */
const MOST_LATE = 0.005

type Decided = ReturnType<typeof decideWithProofs>

type Kind = {
  readonly what: string
  readonly clusterOf: (seed: number) => ClusterSnapshot
  readonly cases: number
  readonly trials: number
  /** The least number of waves that must move more than this number of pods. Proves that pods move at all. */
  readonly moving: { readonly waves: number; readonly pods: number }
}

/** Binds the pods of the first wave of each cluster in every way. */
function bound(decided: readonly Decided[], { trials, moving }: Kind) {
  const sums = { pods: 0, late: 0, unbound: 0, waves: 0 }
  for (const { given, decision } of decided) {
    const wave = waveOf(given, decision)
    const before = sums.pods
    for (const trial of trialsOf(trials)) {
      const { byRound, unbound } = bindWave(wave, trial)
      const all = byRound.reduce((sum, count) => sum + count, unbound.length)
      sums.pods += all
      sums.late += all - (byRound[0] ?? 0)
      sums.unbound += unbound.length
    }
    if (sums.pods - before > moving.pods * trials) sums.waves++
  }
  return sums
}

/**
 * Measured: 0.09 % and 0.35 % of the pods for seeds 1 to 120 of the first two kinds, and one of 30,712 pods for seeds 1 to 20 of the third kind. Without the
 * check of the moves, the first two shares are 3.5 % and 5.4 %. If more than 200 pods are not checked, the third one is 1.1 %.
 */
const KINDS: readonly Kind[] = [
  { what: 'that were scaled down', clusterOf: scaledDown, cases: CASES, trials: TRIALS, moving: { waves: CASES / 5, pods: 0 } },
  { what: 'in which pods just fit', clusterOf: justFitting, cases: CASES, trials: TRIALS, moving: { waves: CASES / 5, pods: 0 } },
  {
    what: 'whose nodes have hundreds of pods',
    clusterOf: largeWaves,
    cases: LARGE_CASES,
    trials: 8,
    moving: { waves: LARGE_CASES / 5, pods: 200 },
  },
]

describe.each(KINDS)('the waves of $cases clusters $what', (kind) => {
  const decided = once(() => seedsOf(kind.cases).map((seed) => decideWithProofs(seed, kind)))

  it('leave nearly every pod a place, however kube-scheduler binds them', { timeout: 60 * 60_000 }, () => {
    const { pods, late, unbound, waves } = bound(decided(), kind)
    console.log(`${waves} waves, ${pods} bindings: ${late} late, ${unbound} of them without a place`)
    expect(waves).toBeGreaterThan(kind.moving.waves)
    expect(late / pods, `${late} of ${pods}`).toBeLessThanOrEqual(MOST_LATE)
  })

  it('begin only with moves whose check found that their pods bind in any order', { timeout: 60 * 60_000 }, () => {
    let moves = 0
    for (const { seed, proofs, isAny } of decided()) {
      expect(proofs, `seed ${seed}`).not.toContain('unchecked')
      expect(proofs.length > 0, `seed ${seed}`).toBe(isAny)
      moves += proofs.length
    }
    expect(moves).toBeGreaterThan(kind.cases / 10)
  })
})

/** `proofs`: how the check of each move that begins found that its pods bind. `isAny`: true if nodes with pods go. */
function decideWithProofs(seed: number, { clusterOf }: Pick<Kind, 'clusterOf'>) {
  const given = clusterOf(seed)
  const planning = loadPlanning(given.objects)
  const relocations: Relocation[] = []
  const snapshot: FleetSnapshot = { ...given, fleet: planning.fleet(given) }
  const expecting = () => claimsExpectingPods(planning.plan(snapshot))
  const relocate = (machines: Relocatable): Relocation => {
    const relocation = planning.relocate(snapshot, machines)
    relocations.push(relocation)
    return relocation
  }
  const decision = decideDisruption(snapshot, { expecting, relocate, ending: new Set(), simulateDecision })
  const proofs = relocations.flatMap((relocation) => relocation.proofs())
  planning.release()
  const isAny = decision.actions.some(
    (action) => action.kind === 'startCommand' || (action.kind === 'deleteClaim' && action.pods !== undefined),
  )
  return { seed, given, decision, proofs, isAny }
}
