/** Carries out decisions on paper, one after another, until nothing changes. */
import { defined } from '../../../base/defined.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import type { Action, Decision } from '../../../model/decision.ts'
import type { NodeName } from '../../../model/ids.ts'
import { claimsMovedBy } from '../candidates/endedClaims.ts'
import { simulatedObjects } from './simulatedObjects.ts'

/** The most decisions that are played. This is more than sixteen machines need that go one by one, each with a decision that places its pods. */
const MOST_DECISIONS = 48

type Objects = ClusterSnapshot['objects']
type Context = Omit<ClusterSnapshot, 'objects'>

/** Decides about a simulated cluster. `places`: the node of each pod that waited. */
export type DecisionSimulator = (objects: Objects, context: Context) => Answer
export type Answer = Pick<Decision, 'actions'> & { readonly turn: Decision['turn']; readonly places: ReadonlyMap<string, NodeName> }

/** What moves and the decisions after them come to. */
export type Prospect = {
  /** Micro-USD an hour that they add, less what they save. Infinite if the moves do not hold. */
  readonly added: number
  /** The number of pods that they move. A pod that is moved twice counts twice. */
  readonly moved: number
}

/**
 * Moves do not hold if their pods need a machine that they do not name, if some pod is left without a place in the end, or if there is no end.
 */
export function simulateDecisions(objects: Objects, first: readonly Action[], context: Context, decide: DecisionSimulator): Prospect {
  const { disruptionCursor: _, provisioningCursor: __, disruptionResumesAt: ___, begunMoves: ____, ...others } = context
  const { moveRests: _____, extraNodes: ______, ...rest } = others
  let [state, added, moved] = [objects, 0, 0]
  let { actions, turn, places }: Answer = { actions: first, turn: undefined, places: new Map() }
  for (let count = 0; count < MOST_DECISIONS; count++) {
    added += addedBy(actions)
    moved += movedBy(actions)
    const next = simulatedObjects(state, { actions, places }, { ...rest, decision: context.decision + count })
    if (next === undefined) break
    state = next
    const after = defined({ ...rest, commands: [], decision: context.decision + count + 1, disruptionCursor: turn })
    ;({ actions, turn, places } = decide(state, after))
    if (count === 0 && actions.some(isUnnamed)) break
    if (turn === undefined && places.size === 0 && !actions.some(isChange))
      return state.pod.every(({ nodeName }) => nodeName !== undefined) ? { added, moved } : NEVER
  }
  return NEVER
}

const NEVER: Prospect = { added: Number.POSITIVE_INFINITY, moved: 0 }

function addedBy(actions: readonly Action[]): number {
  let added = 0
  for (const action of actions) {
    if (action.kind === 'createClaim') added += action.choice.price ?? 0
    if (action.kind === 'deleteClaim') added -= action.saves?.price ?? 0
    if (action.kind === 'startCommand') for (const { price = 0 } of action.command.candidates) added -= price
  }
  return added
}

function movedBy(actions: readonly Action[]): number {
  let moved = 0
  for (const action of actions) {
    if (action.kind === 'deleteClaim') moved += action.pods?.length ?? 0
    if (action.kind === 'startCommand') for (const { pods } of action.command.candidates) moved += pods.length
  }
  return moved
}

function isUnnamed(action: Action): boolean {
  return action.kind === 'createClaim' && action.command === undefined
}

function isChange(action: Action): boolean {
  return action.kind === 'createClaim' || claimsMovedBy(action).length > 0
}
