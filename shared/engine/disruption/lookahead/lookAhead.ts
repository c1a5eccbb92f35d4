/** Weighs moves of a small cluster by what the decisions after them add up to in the end. */
import type { FleetSnapshot } from '../../cluster/fleetSnapshot.ts'
import { actionsOf, type Move } from '../moves/move.ts'
import { type DecisionSimulator, type Prospect, simulateDecisions } from './simulateDecisions.ts'

/** The largest cluster with look-ahead. Each simulated decision loads the cluster anew, which takes far too much work for a larger cluster. */
const MOST_NODES = 32
const MOST_PODS = 1_000

/** The most pods of the clusters of all outlooks of a decision together. */
const MOST_PODS_IN_ALL = 4_000
/** The most outlooks of a decision in a very small cluster. Of the random clusters that end cheaper by single moves, none needs more. */
const MOST_OUTLOOKS = 8

export type Outlook = {
  /** What the moves come to in the end. */
  readonly ask: (moves: readonly Move[]) => Prospect
  /** How often the outlook may be asked for. More is too much work. */
  readonly most: number
}

/** `ending`: claims that end in the same decision. */
type Simulating = { readonly simulateDecision?: DecisionSimulator; readonly ending: ReadonlySet<string> }

/** Undefined if the cluster is too large, or if the end of something under way is unknown. `begun`: what the decision does in any case. */
export function lookAhead(snapshot: FleetSnapshot, { simulateDecision, ending }: Simulating, begun: readonly Move[]): Outlook | undefined {
  if (simulateDecision === undefined || snapshot.commands.length > 0 || ending.size > 0) return undefined
  const machines = fewOf(snapshot)
  if (machines === undefined) return undefined
  const { fleet: _, objects, ...context } = snapshot
  const loaded = {
    ...objects,
    node: machines.flatMap(({ node }) => node ?? []),
    nodeClaim: machines.flatMap(({ claim }) => claim ?? []),
    pod: machines.flatMap(({ pods }) => pods),
  }
  return {
    ask: (moves) => simulateDecisions(loaded, actionsOf([...begun, ...moves], snapshot), context, simulateDecision),
    most: Math.min(MOST_OUTLOOKS, Math.floor(MOST_PODS_IN_ALL / Math.max(1, loaded.pod.length))),
  }
}

function fewOf({ fleet }: FleetSnapshot) {
  const machines = []
  let pods = 0
  for (const machine of fleet.all()) {
    machines.push(machine)
    pods += machine.pods.length
    if (machines.length > MOST_NODES || pods > MOST_PODS || machine.isDeleting || !machine.isInitialized) return undefined
  }
  return machines
}
