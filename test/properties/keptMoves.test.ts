import { describe, expect, it } from 'vitest'
import type { FleetSnapshot } from '../../shared/engine/cluster/fleet.ts'
import { createDisruption, type DecideDisruption, decideDisruption } from '../../shared/engine/disruption/decideDisruption.ts'
import { createPlannedMachines } from '../../shared/engine/disruption/planned/plannedTaints.ts'
import { createCandidates } from '../../shared/engine/disruption/verdicts/keptCandidates.ts'
import { decide } from '../../shared/engine/loadedCluster.ts'
import { claimsExpectingPods, loadPlanning, type PlanningState } from '../../shared/engine/scheduling/planningState.ts'
import { createOtherObjects } from '../../shared/engine/scheduling/snapshot/otherObjects.ts'
import { simulateDecision } from '../../shared/engine/simulateDecision.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision, DisruptionCursor } from '../../shared/model/decision.ts'
import { durationMs } from '../../shared/model/units.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { withHeldDrift } from '../generators/driftChanges.ts'
import { randomSnapshot } from '../generators/randomSnapshot.ts'
import { smallChange } from '../generators/smallChanges.ts'
import { tightCluster } from '../generators/tightCluster.ts'
import { casesOf, seedsOf } from './cases.ts'

const CASES = casesOf(100)
const CHANGES = 20

/** Two clusters of three name the nodes that go next. In one of these, drifted machines wait for the budget. */
function startOf(seed: number): ClusterSnapshot {
  const { settings, ...rest } = quiet(seed)
  if (seed % 3 === 0) return { ...rest, settings }
  const naming = { ...rest, settings: { ...settings, mostPlannedTaints: 2 } }
  return seed % 3 === 1 ? naming : withHeldDrift(naming, createRandom(seed * 19))
}

/** A cluster in which no pod waits, machines are quiet, and nothing can be gained. Most have nearly full nodes. */
function quiet(seed: number): ClusterSnapshot {
  const random = createRandom(seed * 17)
  if (seed % 8 > 0) return tightCluster(random)
  for (let other = seed * 1000; other < (seed + 1) * 1000; other++) {
    const given = settled(randomSnapshot(other))
    const decision = decide(given)
    if (!isGaining(decision) && decision.reasons.some(({ code }) => TRIED.has(code))) return given
  }
  throw new Error(`no quiet cluster for seed ${seed}`)
}

function isGaining({ actions }: Decision): boolean {
  return actions.some(({ kind }) => kind === 'deleteClaim' || kind === 'startCommand')
}

/** Reports whether the decision plans which nodes go next. */
function isNaming({ actions }: Decision): boolean {
  return actions.some((action) => action.kind === 'taintPlanned' && action.plannedAt !== undefined)
}

const TRIED: ReadonlySet<string> = new Set(['DISRUPTION.NO_SAVING', 'DISRUPTION.NO_ROOM', 'DISRUPTION.SPOT'])

function settled({ objects, ...rest }: ClusterSnapshot): ClusterSnapshot {
  const nodePool = objects.nodePool.map((pool) => ({ ...pool, disruption: { ...pool.disruption, consolidateAfter: durationMs(0) } }))
  const pod = objects.pod.filter(({ nodeName }) => nodeName !== undefined)
  return { ...rest, drafts: [], objects: { ...objects, nodePool, pod, capacityBuffer: [] } }
}

type Loaded = {
  readonly planning: PlanningState
  readonly others: ReturnType<typeof createOtherObjects>
  readonly planned: ReturnType<typeof createPlannedMachines>
}

function load({ objects }: ClusterSnapshot): Loaded {
  return {
    planning: loadPlanning(objects),
    others: createOtherObjects(objects, (_kind, object) => object),
    planned: createPlannedMachines(),
  }
}

/** One decision about moves, and how many plans of moves it began. */
function lookAt({ planning, others, planned }: Loaded, given: ClusterSnapshot, decideMoves: DecideDisruption, isKept: boolean) {
  const { objects: _, ...context } = given
  const snapshot: FleetSnapshot = { ...context, objects: others.all(), fleet: planning.fleet(context) }
  let plans = 0
  planning.plan(snapshot)
  const decision = decideMoves(snapshot, {
    expecting: () => claimsExpectingPods(planning.plan(snapshot)),
    relocate: (machines) => {
      plans++
      return planning.relocate(snapshot, machines)
    },
    ...(isKept ? { tryChanges: () => planning.tryChanges(snapshot) } : {}),
    ending: new Set(),
    planned,
    simulateDecision,
  })
  planning.release()
  return { decision, plans }
}

/** Mostly the next look begins where this one did. Else it begins behind some machine, or goes on behind this look. */
function nextCursor(given: ClusterSnapshot, { turn }: Decision, random: Random): DisruptionCursor | undefined {
  if (random.chance(0.7)) return given.disruptionCursor
  if (random.chance(0.3)) return turn
  const { objects, ...context } = given
  const all = createCandidates()({ ...context, objects, fleet: loadPlanning(objects).fleet(context) })
  return all.length === 0 ? undefined : random.pick(all).turn
}

describe('moves of a cluster that stays loaded', () => {
  it(`are those of a cluster that is loaded anew, after each of ${CHANGES} small changes of ${CASES} clusters`, () => {
    const looks = { tried: 0, kept: 0, keptAfterChange: 0, keptAndNamed: 0, named: 0, braked: 0, gaining: 0 }
    for (const seed of seedsOf(CASES)) {
      const random = createRandom(seed)
      let now = startOf(seed)
      const loaded = load(now)
      const decideKept = createDisruption()
      for (let change = 0; change <= CHANGES; change++) {
        const { delta, after } = change === 0 ? { delta: {}, after: now } : smallChange(random, now)
        loaded.planning.apply(delta)
        loaded.others.apply(delta)
        const kept = lookAt(loaded, after, decideKept, true)
        const anew = lookAt(load(after), after, decideDisruption, false)
        expect(JSON.stringify(kept.decision), `seed ${seed}, change ${change}`).toBe(JSON.stringify(anew.decision))
        const isKept = kept.plans < anew.plans
        if (isKept) looks.kept++
        else if (anew.plans > 0) looks.tried++
        if (isKept && (delta.put?.pod ?? []).length > 0) looks.keptAfterChange++
        if (isNaming(kept.decision)) looks.named++
        if (isKept && kept.plans > 0) looks.keptAndNamed++
        if (kept.decision.reasons.some(({ code }) => code === 'DISRUPTION.DRIFT_PAUSED')) looks.braked++
        // Moves are not carried out. So a cluster in which something is to be gained stays like that.
        if (isGaining(kept.decision)) {
          looks.gaining++
          break
        }
        const { disruptionCursor: _, ...rest } = after
        const cursor = nextCursor(after, kept.decision, random)
        now = cursor === undefined ? rest : { ...rest, disruptionCursor: cursor }
      }
    }
    expect(looks.tried).toBeGreaterThan(CASES)
    expect(looks.gaining).toBeGreaterThan(CASES / 4)
    expect(looks.named, JSON.stringify(looks)).toBeGreaterThan(CASES / 4)
    expect(looks.braked, JSON.stringify(looks)).toBeGreaterThan(CASES / 4)
    expect(looks.keptAndNamed, JSON.stringify(looks)).toBeGreaterThan(CASES / 20)
    expect(looks.kept, JSON.stringify(looks)).toBeGreaterThan(CASES)
    expect(looks.keptAfterChange, JSON.stringify(looks)).toBeGreaterThan(CASES / 4)
  }, 600_000)
})
