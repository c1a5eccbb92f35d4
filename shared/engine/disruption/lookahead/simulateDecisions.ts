/** Carries out decisions on paper, one after another, until nothing changes. */
import { defined } from '../../../base/defined.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import type { Action, Decision } from '../../../model/decision.ts'
import type { NodeName } from '../../../model/ids.ts'
import { endedBy, simulatedObjects } from './simulatedObjects.ts'

/** The most decisions that are played. This is more than sixteen machines need that go one by one, each with a decision that places its pods. */
const MOST_DECISIONS = 48

type Objects = ClusterSnapshot['objects']
type Context = Omit<ClusterSnapshot, 'objects'>

/** Decides about a simulated cluster. `places`: the node of each pod that waited. */
export type DecisionSimulator = (objects: Objects, context: Context) => Answer
export type Answer = Pick<Decision, 'actions'> & { readonly turn: Decision['turn']; readonly places: ReadonlyMap<string, NodeName> }

/**
 * Micro-USD an hour that all decisions add, less what they save. Infinite if the pods of the first moves need a machine that these moves do not name,
 * if some pod is left without a place, or if there is no end.
 */
export function simulateDecisions(objects: Objects, first: readonly Action[], context: Context, decide: DecisionSimulator): number {
  const { disruptionCursor: _, disruptionResumesAt: __, begunMoves: ___, moveRests: ____, extraNodes: _____, ...rest } = context
  let [state, added] = [objects, 0]
  let { actions, turn, places }: Answer = { actions: first, turn: undefined, places: new Map() }
  for (let count = 0; count < MOST_DECISIONS; count++) {
    added += addedBy(actions)
    const next = simulatedObjects(state, { actions, places }, { ...rest, decision: context.decision + count })
    if (next === undefined) break
    state = next
    const after = defined({ ...rest, commands: [], decision: context.decision + count + 1, disruptionCursor: turn })
    ;({ actions, turn, places } = decide(state, after))
    if (count === 0 && actions.some(isUnnamed)) break
    if (turn === undefined && places.size === 0 && !actions.some(isChange))
      return state.pod.every(({ nodeName }) => nodeName !== undefined) ? added : NEVER
  }
  return NEVER
}

const NEVER = Number.POSITIVE_INFINITY

function addedBy(actions: readonly Action[]): number {
  let added = 0
  for (const action of actions) {
    if (action.kind === 'createClaim') added += action.choice.price ?? 0
    if (action.kind === 'deleteClaim') added -= action.saves?.price ?? 0
    if (action.kind === 'startCommand') for (const { price = 0 } of action.command.candidates) added -= price
  }
  return added
}

function isUnnamed(action: Action): boolean {
  return action.kind === 'createClaim' && action.command === undefined
}

function isChange(action: Action): boolean {
  return action.kind === 'createClaim' || endedBy(action).length > 0
}
