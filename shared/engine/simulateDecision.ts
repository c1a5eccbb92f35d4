import { type DecisionContext, type Objects } from '../model/clusterSnapshot.ts'
import type { Decision } from '../model/decision.ts'
import { type NodeName, nodeName } from '../model/ids.ts'
import type { FleetSnapshot } from './cluster/fleet.ts'
import { decideDisruption } from './disruption/decideDisruption.ts'
import type { DecisionSimulator } from './disruption/lookahead/lookAhead.ts'
import { claimsExpectingPods, loadPlanning, type PlanningState } from './scheduling/planningState.ts'

/** Decides about a simulated cluster: waiting pods get their places, or else machines move. It looks no further ahead. */
export const simulateDecision: DecisionSimulator = (objects, context) => {
  const planning = loadPlanning(objects)
  const binding = withoutPreferences(context)
  const decision = planning.decide(binding)
  const places = placesIn(planning, binding)
  const isPlacing = places.size > 0 || decision.actions.some(({ kind }) => kind === 'createClaim')
  const { actions, turn } = isPlacing ? decision : movesOf(planning, objects, context)
  planning.release()
  return { actions, turn, places }
}

/** kube-scheduler gives up preferences of a pod that would find no node otherwise. Such a pod never asks for a new machine. */
function withoutPreferences<Context extends Pick<DecisionContext, 'settings'>>(context: Context): Context {
  return { ...context, settings: { ...context.settings, preferencePolicy: 'Ignore' } }
}

/**
 * The node of each pod that is planned onto an existing node. A node that no claim made takes pods as well, and no action names it. Pods of buffers
 * are left out: they are planned anew by each decision, and never run.
 */
function placesIn(planning: PlanningState, context: DecisionContext): ReadonlyMap<string, NodeName> {
  const { isReal, provisioning } = planning.plan(context)
  const sent = [...(provisioning?.assigned().onExistingNodes ?? [])].filter(({ pod }) => isReal(pod))
  return new Map(sent.map(({ pod, existingNode }) => [pod.key, nodeName(existingNode.label)]))
}

function movesOf(planning: PlanningState, objects: Objects, context: DecisionContext): Decision {
  const { pod: _, node: __, nodeClaim: ___, ...few } = objects
  const snapshot: FleetSnapshot = { ...context, objects: few, fleet: planning.fleet(context) }
  const expecting = () => claimsExpectingPods(planning.plan(snapshot))
  return decideDisruption(snapshot, { expecting, relocate: (machines) => planning.relocate(snapshot, machines), ending: new Set() })
}
