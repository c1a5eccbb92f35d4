import type { Decision } from '../model/decision.ts'
import { type NodeName, nodeName } from '../model/ids.ts'
import type { Sight } from './cluster/sight.ts'
import { decideDisruption } from './disruption/decideDisruption.ts'
import type { Imagining } from './disruption/lookahead/playOut.ts'
import { claimsExpectingPods } from './scheduling/claimsExpectingPods.ts'
import { loadPlanning, type PlanningState } from './scheduling/planningState.ts'
import type { DecisionContext } from './scheduling/snapshot/decisionContext.ts'
import type { Objects } from './scheduling/snapshot/delta.ts'

/** Decides about an imagined cluster: waiting pods get their places, or else machines move. It looks no further ahead. */
export const imagine: Imagining = (objects, context) => {
  const planning = loadPlanning(objects)
  const decision = planning.decide(context)
  const places = placesIn(planning, context)
  const isPlacing = places.size > 0 || decision.actions.some(({ kind }) => kind === 'createClaim')
  const { actions, turn } = isPlacing ? decision : movesOf(planning, objects, context)
  planning.release()
  return { actions, turn, places }
}

/** The node of each pod that is planned onto an existing node. A node that no claim made takes pods as well, and no action names it. */
function placesIn(planning: PlanningState, context: DecisionContext): ReadonlyMap<string, NodeName> {
  const sent = planning.plan(context).provisioning?.assigned().onExistingNodes ?? []
  return new Map([...sent].map(({ pod, existingNode }) => [pod.key, nodeName(existingNode.label)]))
}

function movesOf(planning: PlanningState, objects: Objects, context: DecisionContext): Decision {
  const { pod: _, node: __, nodeClaim: ___, ...few } = objects
  const sight: Sight = { ...context, objects: few, fleet: planning.fleet(context.commands) }
  const expecting = () => claimsExpectingPods(planning.plan(sight))
  return decideDisruption(sight, { expecting, relocate: (machines) => planning.relocate(sight, machines), ending: new Set() })
}
