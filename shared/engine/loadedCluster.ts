import { defined } from '../base/values.ts'
import { type ClusterSnapshot, type DecisionContext, type Delta, type Objects } from '../model/clusterSnapshot.ts'
import { type Decision, endedBy } from '../model/decision.ts'
import type { FleetSnapshot } from './cluster/fleet.ts'
import { withoutAddressesOf } from './cluster/subnetAddresses.ts'
import { restsAfter, withoutUndone } from './disruption/commands/moveRests.ts'
import { stepCommands } from './disruption/commands/stepCommands.ts'
import { createSweep } from './disruption/commands/sweep.ts'
import { createDisruption } from './disruption/decideDisruption.ts'
import { createExpiry } from './disruption/expiry.ts'
import { createDeletionCosts } from './disruption/planned/deletionCosts.ts'
import { createPlannedMachines } from './disruption/planned/plannedTaints.ts'
import { decideAround, partAround } from './leftOut/decideAround.ts'
import { createMarkers } from './markers/decideMarkers.ts'
import { createRepair } from './repair/repair.ts'
import { claimsExpectingPods, loadPlanning, type Planned, type PlanningState } from './scheduling/planningState.ts'
import type { Relocatable } from './scheduling/relocation/relocationProblem.ts'
import { createOtherObjects, type OtherObjects } from './scheduling/snapshot/otherObjects.ts'
import { simulateDecision } from './simulateDecision.ts'
import { decideStaticPools } from './staticPools/decideStaticPools.ts'
import { decideStaticDrift } from './staticPools/staticDrift.ts'
import { decideStatus, withStatus } from './status/decideStatus.ts'

/**
 * A cluster as all its decisions see it. It is told what changes, and decides at a cost that depends on the changes, not on the size of the cluster.
 * Its decisions are those of a cluster that is loaded with the objects as they are now.
 */
export interface LoadedCluster {
  apply(delta: Delta): void
  /**
   * Decides the status of pools and classes, machines for waiting pods, and machines that go. While waiting pods get places, no new move of a
   * machine with pods begins in a dynamic pool. Broken and expired machines go all the same.
   */
  decide(context: DecisionContext): Decision
  /** The plan that a decision made now would have for waiting pods, with the pools and classes that it plans with. Valid until the next call. */
  plan(context: DecisionContext): PlannedCluster
  /** Which machines a decision made now would take away, and why the others stay. */
  disrupt(context: DecisionContext): Decision
}

/** `commands`: the moves under way that go on. */
export type PlannedCluster = { readonly planned: Planned; readonly judged: Judged; readonly commands: DecisionContext['commands'] }

/** Loads a cluster for one decision. Objects that the decision fails with are left out of it. */
export function decide(snapshot: ClusterSnapshot): Decision {
  try {
    return decideOnce(snapshot)
  } catch (failure) {
    return decideAround(snapshot, decideOnce, failure)
  }
}

/** The part of the snapshot that decisions are made of after one failed, and the objects that are left out of it. */
export function partThatDecides(snapshot: ClusterSnapshot, failure: unknown): ReturnType<typeof partAround> {
  return partAround(snapshot, decideOnce, failure)
}

function decideOnce(snapshot: ClusterSnapshot): Decision {
  return loadCluster(snapshot.objects).decide(snapshot)
}

export function loadCluster(objects: Objects): LoadedCluster {
  return deciding(objects, loadPlanning(objects))
}

/** The moves after their next step, and what they leave behind. */
function afterMoves(before: FleetSnapshot, sweep: Parameters<typeof stepCommands>[1]) {
  const { commands, backOffs, decision: moves } = stepCommands(before, sweep)
  const moveRests = restsAfter(before.moveRests ?? [], moves.actions, before.takenAt)
  const extraNodes = withoutUndone(before.extraNodes ?? [], moves.actions)
  return { stepped: { commands, backOffs, moveRests, extraNodes }, moves }
}

type Disrupting = (snapshot: FleetSnapshot, provisioning: Decision) => { readonly ends: Decision; readonly disruption: Decision }

/** Returns a function that decides which machines end in any case, and which machines moves take. Moves of repairs come first. If they move pods, other pods stay. */
function disrupting(planning: PlanningState): Disrupting {
  const [expire, repair] = [createExpiry(), createRepair()]
  const [planned, decideDisruption] = [createPlannedMachines(), createDisruption()]
  return (snapshot, provisioning) => {
    const relocate = (machines: Relocatable) => planning.relocate(snapshot, machines)
    const over = merge([decideStaticPools(snapshot, provisioning), expire(snapshot)])
    const repairs = repair(snapshot, { relocate, ending: endedBy(over.actions), others: merge([provisioning, over]) })
    const ends = merge([over, repairs.ends])
    const expecting = () => claimsExpectingPods(planning.plan(snapshot))
    const ending = new Set([...endedBy(ends.actions), ...repairs.going])
    const tryChanges = () => planning.tryChanges(snapshot)
    const limited = withoutAddressesOf(snapshot, provisioning, ends, repairs.moves)
    const arePodsSettled = !repairs.movesPods && !findsPlaces(provisioning, snapshot)
    const dynamic = decideDisruption(limited, {
      ...{ expecting, tryChanges, ending, simulateDecision, planned, receiving: repairs.receiving },
      relocate: arePodsSettled ? relocate : undefined,
    })
    const drift = decideStaticDrift(snapshot, { expecting, ending, others: merge([provisioning, ends, repairs.moves, dynamic]) })
    return { ends, disruption: merge([repairs.moves, dynamic, drift]) }
  }
}

function deciding(objects: Objects, planning: PlanningState): LoadedCluster {
  const others = createOtherObjects(objects, (_kind, object) => object)
  /** Pools and classes as planning has them: with the status that this decision writes, which the watch has not shown yet. */
  let known: Judged = others.all()
  const decideMarkers = createMarkers()
  const [sweep, disrupt, decideDeletionCosts] = [createSweep(), disrupting(planning), createDeletionCosts()]

  function judge(judged: Judged): void {
    const { nodePool, nodeClass } = judged
    if (known.nodePool === nodePool && known.nodeClass === nodeClass) return
    known = judged
    planning.apply({ put: { nodePool, nodeClass } })
  }

  /**
   * The cluster with pools and classes as they will be once their status in this decision is written, and without the moves that this decision ends.
   */
  function see(context: DecisionContext): Seen {
    const before: FleetSnapshot = { ...context, objects: others.all(), fleet: planning.fleet(context) }
    const { stepped, moves } = afterMoves(before, sweep)
    const snapshot: FleetSnapshot = { ...before, ...stepped, fleet: planning.fleet({ ...context, commands: stepped.commands }) }
    const status = decideStatus(snapshot)
    const judged = withStatus(snapshot, status)
    judge(judged.objects)
    return { snapshot: judged, status, moves }
  }

  function look(context: DecisionContext): Decision {
    const { snapshot, status, moves } = see(context)
    const provisioning = planning.decide(snapshot)
    if (context.isFirstDecision === true && findsPlaces(provisioning, context) && isAny(snapshot.fleet.ids()))
      return merge([provisioning, moves, status, lookAgain(context)])
    const { ends, disruption } = disrupt(snapshot, provisioning)
    const costs = decideDeletionCosts(snapshot, merge([ends, disruption]).actions)
    return merge([provisioning, moves, ends, disruption, costs, decideMarkers(snapshot), status])
  }

  return {
    apply(delta) {
      const changed = others.apply(delta)
      planning.apply(delta)
      // Planning has the pools and classes that the watch shows now, and no longer those of a decision.
      if (changed.has('nodePool') || changed.has('nodeClass')) known = NOBODY
    },
    decide: (context) => releasing(planning, look(context)),
    plan(context) {
      const { snapshot } = see(context)
      return { planned: planning.plan(snapshot), judged: snapshot.objects, commands: snapshot.commands }
    },
    disrupt(context) {
      const { snapshot } = see(context)
      return releasing(planning, disrupt(snapshot, planning.decide(snapshot)).disruption)
    },
  }
}

/** Returns the decision, and releases the plan behind it. */
function releasing(planning: PlanningState, decision: Decision): Decision {
  planning.release()
  return decision
}

/** Reports whether waiting pods get new places. A pod that goes where an earlier decision nominated it has its place already. */
function findsPlaces({ actions }: Decision, { nominations }: Pick<DecisionContext, 'nominations'>): boolean {
  const known = new Set(nominations.map(({ pod, claim }) => `${pod} ${claim}`))
  return actions.some(
    (action) =>
      action.kind === 'createClaim' || (action.kind === 'nominate' && action.pods.some(({ uid }) => !known.has(`${uid} ${action.claim}`))),
  )
}

/** Asks for another look at once. It decides what a first look leaves out, as soon as the machines for waiting pods are requested. */
function lookAgain({ takenAt }: DecisionContext): Decision {
  return { actions: [], reasons: [], wakeAt: takenAt }
}

function isAny(items: Iterable<unknown>): boolean {
  for (const _ of items) return true
  return false
}

type Seen = { readonly snapshot: FleetSnapshot; readonly status: Decision; readonly moves: Decision }

type Judged = Pick<OtherObjects, 'nodePool' | 'nodeClass'>

const NOBODY: Judged = { nodePool: [], nodeClass: [] }

function merge(decisions: readonly Decision[]): Decision {
  const actions = decisions.flatMap((decision) => decision.actions)
  const explained = decisions.filter(({ reasons: own }) => own.length > 0)
  // Most reasons are of one decision, and there are as many as machines.
  const [first = [], ...others] = explained.map((decision) => decision.reasons)
  const reasons = others.reduce((all, each) => all.concat(each), first)
  const wakes = decisions.flatMap((decision) => (decision.wakeAt === undefined ? [] : [decision.wakeAt]))
  const wakeAt = wakes.sort((first, second) => first - second)[0]
  const turn = decisions.find((decision) => decision.turn !== undefined)?.turn
  const begunMoves = decisions.find((decision) => decision.begunMoves !== undefined)?.begunMoves
  const moveRests = decisions.find((decision) => decision.moveRests !== undefined)?.moveRests
  const extraNodes = decisions.find((decision) => decision.extraNodes !== undefined)?.extraNodes
  const provisioningCursor = decisions.find((decision) => decision.provisioningCursor !== undefined)?.provisioningCursor
  const schedulerRefusals = decisions.find((decision) => decision.schedulerRefusals !== undefined)?.schedulerRefusals
  return defined({ actions, reasons, wakeAt, turn, provisioningCursor, schedulerRefusals, begunMoves, moveRests, extraNodes })
}
